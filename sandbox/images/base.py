"""The base image: a small Debian with python3, from a registry where one answers, else built from Debian's packages."""

import contextlib
import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock

from sandbox.images import layout
from sandbox.images.archives import Blocks, write_archive
from sandbox.images.base_filter import BaseFilter
from sandbox.images.byte_code import compiled_standard_library, standard_library_folder
from sandbox.images.engine import ImageEngine, ImageRecord
from sandbox.images.errors import BaseImageError, ImageEngineError
from sandbox.images.layers import Layer, LayerStore
from sandbox.images.settings import ImageSettings
from schemas.wheels.box_python import DEFAULT_PYTHON

Say = Callable[[str], None]
_LAYERS = 2
"""The root file system, and the byte code of the standard library."""

PACKAGES = ("python3", "libpython3-stdlib", "libstdc++6", "tzdata")
"""What the built base holds besides Debian's essential set: the whole standard library, no pip, no compiler.

Wheels for manylinux, numpy's among them, may rely on ``libstdc++``.
"""


def ensure_base(
    engine: ImageEngine, settings: ImageSettings, say: Say = lambda _: None, python: str = DEFAULT_PYTHON
) -> ImageRecord:
    """The base image with that Python, made if it is not there. Idempotent; two processes make it once.

    ``say`` gets one line a step. Raises :class:`~sandbox.images.errors.BaseImageError` with what to do when there
    is neither a registry nor mmdebstrap.
    """
    found = find_base(engine, python)
    if found is not None:
        return found
    settings.cache_folder.mkdir(parents=True, exist_ok=True)
    with FileLock(settings.cache_folder / f"base-{python}.lock"):
        found = find_base(engine, python)
        if found is not None:
            return found
        try:
            return _make_base(engine, settings, say, python)
        except ImageEngineError:
            # Another user of the engine has locks of their own, and removes the unfinished image when theirs is done.
            found = find_base(engine, python)
            if found is None:
                raise
            return found


def find_base(engine: ImageEngine, python: str = DEFAULT_PYTHON) -> ImageRecord | None:
    """The base image with that Python, in this version of its format, if the engine has it.

    An image of that name is ours if its labels name its very layers: not if it was made by something else, built upon a
    base of ours (it has its labels then), or left unfinished by an older version, which named it before it was done.
    """
    found = engine.find(_tag(engine, python))
    return found if found is not None and _is_finished(found) else None


def _is_finished(image: ImageRecord) -> bool:
    labels = image.labels
    is_ours = labels.get(layout.LABEL_KIND) == "base" and labels.get(layout.LABEL_DIGEST) == _digest_of(image.layers)
    return is_ours and len(image.layers) == _LAYERS


def _digest_of(layers: Sequence[str]) -> str:
    return "sha256:" + hashlib.sha256("\n".join(layers).encode()).hexdigest()


def _tag(engine: ImageEngine, python: str) -> str:
    which = "" if python == DEFAULT_PYTHON else f"python{python}-"
    return f"{layout.BASE_REPOSITORY}:{layout.IMAGE_FORMAT}-{which}{engine.architecture()}"


def _make_base(engine: ImageEngine, settings: ImageSettings, say: Say, python: str) -> ImageRecord:
    layers = LayerStore(settings.cache_folder / "layers")
    root, source = _root_layer(engine, settings, layers, say, python)
    tag = _tag(engine, python)
    # Under its final name there is only ever a finished image: who finds that name may use it.
    bare = f"{tag}-bare"
    say("loading it into the engine")
    _load(engine, [root], source, bare)
    try:
        say("compiling the standard library")
        folder = standard_library_folder(engine, bare, settings.build_timeout_seconds)
        if not folder.endswith(f"/python{python}"):
            raise BaseImageError(
                f"{source} has its Python's library in {folder}, and Python {python} is wanted: "
                "VERIHUB_IMAGES_REGISTRY_IMAGE must hold {python}, and VERIHUB_IMAGES_SUITES name a Debian with it"
            )
        library = layers.write_files(folder, compiled_standard_library(engine, bare, settings.build_timeout_seconds))
        _load(engine, [root, library], source, tag)
    finally:
        with contextlib.suppress(ImageEngineError):  # what went wrong before is what to say
            engine.remove(bare)
    record = find_base(engine, python)
    if record is None:
        raise BaseImageError(
            "the engine loaded the base image and then could not find it: is another process removing images?"
        )
    return record


def _root_layer(
    engine: ImageEngine, settings: ImageSettings, layers: LayerStore, say: Say, python: str
) -> tuple[Layer, str]:
    """The root file system as one layer, and where it came from."""
    refusal = "no registry image is configured"
    image = settings.registry_image.replace("{python}", python)
    if image:
        say(f"asking a registry for {image} ({settings.pull_timeout_seconds:g} s of silence at most)")
        try:
            return _from_registry(engine, image, settings.pull_timeout_seconds, layers, say), image
        except ImageEngineError as error:
            refusal = str(error)
            say("no registry answers")
    suite = settings.suites.get(python)
    if suite is None:
        raise BaseImageError(
            f"a box with Python {python} needs a registry ({refusal}), since no Debian has it: let the engine reach "
            f"one, load an image as {image or 'VERIHUB_IMAGES_REGISTRY_IMAGE'}, or let requires-python allow "
            f"{' or '.join(sorted(settings.suites))}"
        )
    if shutil.which("mmdebstrap") is None:
        raise BaseImageError(
            f"the base image needs a registry or mmdebstrap ({refusal}): "
            "run apt-get install mmdebstrap, or let the engine reach a registry, then run scripts/base_image again"
        )
    say(f"building it from Debian's packages ({suite}; about 20 s)")
    return _from_packages(settings, suite, engine.architecture(), layers), f"debian:{suite}"


def _from_registry(engine: ImageEngine, image: str, timeout_seconds: float, layers: LayerStore, say: Say) -> Layer:
    was_there = engine.find(image) is not None
    if not was_there:
        engine.pull(image, timeout_seconds)
    say("flattening it")
    try:
        return _filtered(layers, io.BufferedReader(Blocks(engine.export(image)), 1 << 20))
    except tarfile.TarError as error:
        raise ImageEngineError(f"what the engine exports of {image} is not a complete file system: {error}") from None
    finally:
        if not was_there:
            engine.remove(image)


def _from_packages(settings: ImageSettings, suite: str, architecture: str, layers: LayerStore) -> Layer:
    with tempfile.TemporaryDirectory(prefix="verihub-base-") as folder:
        tar = Path(folder) / "base.tar"
        command = ["mmdebstrap", "--quiet", "--variant=essential", f"--include={','.join(PACKAGES)}"]
        command.append(f"--architectures={architecture}")  # of the engine, which may be another machine's
        keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
        if keyring.exists():
            command.append(f"--keyring={keyring}")
        command += [suite, str(tar), *([settings.mirror] if settings.mirror else [])]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=settings.build_timeout_seconds)
        except subprocess.CalledProcessError as error:
            words = error.stderr.decode(errors="replace").strip().splitlines()[-3:]
            raise BaseImageError(f"mmdebstrap failed: {' / '.join(words)}; is a Debian mirror reachable?") from None
        except subprocess.TimeoutExpired:
            raise BaseImageError(
                f"mmdebstrap took longer than {settings.build_timeout_seconds:g} s; is a Debian mirror reachable?"
            ) from None
        with tar.open("rb") as stream:
            return _filtered(layers, stream)


def _filtered(layers: LayerStore, stream: BinaryIO) -> Layer:
    def fill(target: tarfile.TarFile) -> None:
        with tarfile.open(fileobj=stream, mode="r|") as source:
            BaseFilter().copy(source, target)

    return layers.write(fill)


def _load(engine: ImageEngine, parts: list[Layer], source: str, tag: str) -> None:
    labels = {
        layout.LABEL_KIND: "base",
        layout.LABEL_FORMAT: str(layout.IMAGE_FORMAT),
        layout.LABEL_DIGEST: _digest_of([part.diff_id for part in parts]),
        layout.LABEL_SOURCE: source,
    }
    with tempfile.TemporaryDirectory(prefix="verihub-base-") as folder:
        archive = Path(folder) / "image.tar"
        write_archive(archive, layers=parts, labels=labels, architecture=engine.architecture(), tag=tag)
        engine.load(archive)
