"""The image of a release: base, dependencies, guest and package as layers that are made once and shared."""

import contextlib
import hashlib
import io
import logging
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path

from filelock import FileLock

from sandbox.images import layout
from sandbox.images.archives import Blocks, write_archive
from sandbox.images.base import Say, ensure_base
from sandbox.images.byte_code import compiled
from sandbox.images.dependency_wheels import lock_lines, read_locked_wheels
from sandbox.images.engine import ImageEngine, ImageRecord
from sandbox.images.errors import ImageEngineError, WheelRefusedError
from sandbox.images.garbage import UseTimes, collect_garbage
from sandbox.images.growth import Growth
from sandbox.images.layers import Layer, LayerStore, digest_of_file
from sandbox.images.settings import ImageSettings
from sandbox.interface import LockedWheel, Source
from schemas.task import canonical_json
from schemas.wheels.archive import read_archive
from schemas.wheels.box_files import box_files
from schemas.wheels.box_python import DEFAULT_PYTHON
from schemas.wheels.wheel_error import WheelError

_phases = logging.getLogger("verihub.phases")
"""Long phases log a line here, and the command line shows it."""
_OPEN_FOLDERS = ("tmp",)
"""Folders of root's that anybody may write in. runc gives a tmpfs the mode of the folder that it is mounted on."""


@dataclass(frozen=True)
class BuiltImage:
    """An image to start boxes from.

    ``digest`` is ``sha256:…`` of its inputs, the same on every machine with the same base.
    """

    reference: str
    image_id: str
    digest: str


def ensure_image(source: Source, engine: ImageEngine, settings: ImageSettings, say: Say = _phases.info) -> BuiltImage:
    """The image of a verifier or environment box. Made once, by one process, from local files only.

    Raises :class:`~sandbox.images.errors.WheelRefusedError` and ``LockRefusedError`` (the package's fault), and host
    faults of the engine and the base.
    """
    return _Builder(engine, settings, say, source.python).package_image(source)


def ensure_guest_image(
    engine: ImageEngine, settings: ImageSettings, say: Say = _phases.info, python: str = DEFAULT_PYTHON
) -> BuiltImage:
    """The image of a solution box: base and guest, no package and no dependency."""
    return _Builder(engine, settings, say, python).guest_image()


def guest_files() -> dict[str, bytes]:
    """The guest as it is imported in a box: ``sandbox/__init__.py`` and ``sandbox/guest/*.py``."""
    folder = resources("sandbox.guest")
    found = {"sandbox/__init__.py": resources("sandbox").joinpath("__init__.py").read_bytes()}
    for item in folder.iterdir():
        if item.name.endswith(".py"):
            found[f"sandbox/guest/{item.name}"] = item.read_bytes()
    return found


class _Builder:
    """One request for an image; holds what its steps share."""

    def __init__(self, engine: ImageEngine, settings: ImageSettings, say: Say, python: str) -> None:
        self._engine, self._settings, self._say, self._python = engine, settings, say, python
        self._base = ensure_base(engine, settings, say, python)
        self._base_digest = self._base.labels[layout.LABEL_DIGEST]
        self._layers = LayerStore(settings.cache_folder / "layers")
        self._uses = UseTimes(settings.cache_folder / "used")
        self._growth = Growth(settings.cache_folder)
        self._held = set(self._base.layers)
        """Layers that need not be sent, because images in the engine hold them."""
        self._guest = guest_files()

    def package_image(self, source: Source) -> BuiltImage:
        """Base, dependencies, guest and package."""
        made_of = self._made_of(
            "package", package=source.digest, lock=lock_lines(source.lock), left_out="labelled cases"
        )

        def layers() -> list[Layer]:
            shared = self._dependency_layers(source.lock)
            return [*shared, self._guest_layer(), self._package_layer(source)]

        return _built(self._ensure(layout.PACKAGE_REPOSITORY, "package", made_of, source.digest, layers))

    def guest_image(self) -> BuiltImage:
        """Base and guest."""
        made_of = self._made_of("guest")
        return _built(self._ensure(layout.GUEST_REPOSITORY, "guest", made_of, "", lambda: [self._guest_layer()]))

    def _dependency_layers(self, lock: Sequence[LockedWheel]) -> list[Layer]:
        """The lock's layer (none for an empty lock); it gets an image of its own, which the engine shares."""
        if not lock:
            return []
        lines = lock_lines(lock)
        key = _digest({"base": self._base_digest, "lock": lines})

        def make() -> Layer:
            self._say(f"building the box: unpacking {len(lock)} locked wheels")
            files = read_locked_wheels(lock, self._engine.architecture(), self._python)
            return self._compiled_layer(layout.DEPENDENCIES_ROOT, files)

        made_of = {"kind": "dependencies", "format": layout.IMAGE_FORMAT, "base": self._base_digest, "lock": lines}
        record = self._ensure(
            layout.DEPENDENCIES_REPOSITORY,
            "dependencies",
            made_of,
            _digest({"lock": lines}),
            lambda: [self._layers.remembered(key, make)],
        )
        self._held.add(record.layers[-1])
        return [self._known_layer(record.layers[-1])]

    def _guest_layer(self) -> Layer:
        key = _digest({"base": self._base_digest, "guest": _hashes(self._guest), "open": _OPEN_FOLDERS})
        return self._layers.remembered(
            key, lambda: self._compiled_layer(layout.GUEST_ROOT, self._guest, open_folders=_OPEN_FOLDERS)
        )

    def _package_layer(self, source: Source) -> Layer:
        if digest_of_file(source.wheel) != source.digest:
            raise WheelRefusedError(f"{source.wheel.name} is not {source.digest}: download the release again")
        try:
            files = read_archive(source.wheel.read_bytes())
        except WheelError as error:
            raise WheelRefusedError(f"{source.wheel.name} cannot be unpacked: {error}") from None
        return self._layers.write_files(layout.PACKAGE_ROOT, box_files(files, source.manifest))

    def _compiled_layer(self, root: str, files: Mapping[str, bytes], open_folders: tuple[str, ...] = ()) -> Layer:
        """Sources with their byte code. Without the byte code a box still works and only starts slower."""
        base = self._base.references[0]
        try:
            code = compiled(self._engine, base, root, files, self._settings.build_timeout_seconds)
        except ImageEngineError as error:
            self._say(f"no byte code ahead of time: {error}")
            code = {}
        return self._layers.write_files(root, {**files, **code}, open_folders)

    def _made_of(self, kind: str, **parts: object) -> dict[str, object]:
        guest = _hashes(self._guest)
        made_of = {"kind": kind, "format": layout.IMAGE_FORMAT, "base": self._base_digest, "guest": guest}
        return {**made_of, "open": _OPEN_FOLDERS, **parts}

    def _ensure(
        self,
        repository: str,
        kind: str,
        made_of: Mapping[str, object],
        source: str,
        layers: Callable[[], list[Layer]],
    ) -> ImageRecord:
        """Find the image by what it is made of, or make it while other processes wait for this one."""
        digest = _digest(made_of)
        reference = layout.reference(repository, digest)
        record = self._used(reference, digest)
        if record is None:
            locks = self._settings.cache_folder / "locks"
            locks.mkdir(parents=True, exist_ok=True)
            with FileLock(locks / f"{reference.replace('/', '-').replace(':', '-')}.lock"):
                record = self._used(reference, digest) or self._make(reference, kind, digest, source, layers())
        return record

    def _used(self, reference: str, digest: str) -> ImageRecord | None:
        """The image, with its time of last use set to now. None as well for one of that name that we have not made."""
        record = self._engine.find(reference)
        if record is not None:
            is_ours = record.labels.get(layout.LABEL_DIGEST) == digest
            if not is_ours or record.layers[: len(self._base.layers)] != self._base.layers:
                return None
            self._engine.tag(record.image_id, reference)
            self._uses.note(record)
        return record

    def _make(self, reference: str, kind: str, digest: str, source: str, upper: list[Layer]) -> ImageRecord:
        self._say(f"building the box: loading {reference}")
        labels = {
            layout.LABEL_KIND: kind,
            layout.LABEL_FORMAT: str(layout.IMAGE_FORMAT),
            layout.LABEL_DIGEST: digest,
            layout.LABEL_SOURCE: source,
            layout.LABEL_BYTES: str(upper[-1].size_bytes if kind == "package" else sum(x.size_bytes for x in upper)),
        }
        layers = [*(self._known_layer(diff_id) for diff_id in self._base.layers), *upper]
        try:
            self._load(reference, layers, labels, self._held)
        except ImageEngineError:
            # Some engines (podman, containerd's image store) want every layer in the archive.
            layers = self._with_files(layers)
            if not all(layer.path.is_file() for layer in layers):
                raise
            self._load(reference, layers, labels, set())
        record = self._used(reference, digest)
        if record is None:
            raise ImageEngineError(f"the engine loaded {reference} and then could not find it")
        with contextlib.suppress(OSError):
            self._growth.note(int(labels[layout.LABEL_BYTES]))
        if kind == "package":
            self._tidy(reference)
        return record

    def _tidy(self, made: str) -> None:
        """Remove old images, now and then. An error here does not fail the build."""
        with contextlib.suppress(ImageEngineError, OSError):
            if self._growth.is_due(self._settings):
                self._growth.clear()
                collect_garbage(self._engine, self._settings, spare=made)

    def _load(self, reference: str, layers: list[Layer], labels: Mapping[str, str], leave_out: set[str]) -> None:
        with tempfile.TemporaryDirectory(prefix="verihub-image-") as folder:
            archive = Path(folder) / "image.tar"
            architecture = self._engine.architecture()
            try:
                write_archive(
                    archive, layers=layers, labels=labels, architecture=architecture, tag=reference, leave_out=leave_out
                )
            except FileNotFoundError as error:
                raise ImageEngineError(f"a layer left the cache while {reference} was made: {error}") from None
            self._engine.load(archive)

    def _known_layer(self, diff_id: str) -> Layer:
        """A layer that the engine holds. Its local file may be missing, so it can be named but perhaps not sent."""
        return self._layers.get(diff_id) or Layer(diff_id, Path(), 0)

    def _with_files(self, layers: list[Layer]) -> list[Layer]:
        """``layers`` with their local files. Those that are missing here are taken from the engine's images."""
        missing = {layer.diff_id for layer in layers if not layer.path.is_file()}
        for record in [self._base, *self._engine.labelled({layout.LABEL_KIND: "dependencies"})]:
            if wanted := missing.intersection(record.layers):
                with contextlib.suppress(ImageEngineError, OSError, tarfile.TarError):  # the caller says what is wrong
                    self._layers.recover(wanted, io.BufferedReader(Blocks(self._engine.save(record.image_id))))
                missing -= wanted
        return [self._known_layer(layer.diff_id) for layer in layers]


def _built(record: ImageRecord) -> BuiltImage:
    return BuiltImage(record.references[0], record.image_id, record.labels[layout.LABEL_DIGEST])


def _digest(value: object) -> str:
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()


def _hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
