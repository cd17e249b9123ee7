"""An engine in memory that keeps images as an engine does, and wheels made on the spot."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sandbox.images import layout
from sandbox.images.engine import ImageRecord
from sandbox.images.errors import ImageEngineError
from sandbox.images.settings import ImageSettings
from sandbox.interface import LockedWheel, Source
from schemas.manifest import Manifest

BASE_LAYERS = ("sha256:" + "a" * 64, "sha256:" + "b" * 64)
MANIFEST = 'format = 1\nid = "al/tiny"\nkind = "verifier"\nverifier = "al_tiny:verify"\n[rewards.correct]\n'


class MemoryEngine:
    """Implements ImageEngine. ``wants_all_layers`` refuses thin archives, as containerd's image store does."""

    def __init__(self, *, wants_all_layers: bool = False) -> None:
        self.images: dict[str, ImageRecord] = {}
        self.contents: dict[str, dict[str, bytes]] = {}
        self.layers: set[str] = set()
        self.wants_all_layers = wants_all_layers
        self.in_use: set[str] = set()
        self.saved: dict[str, bytes] = {}
        """What an archive of any image has beside its manifest."""
        self.load_count = 0
        self.run_count = 0
        self.clock = datetime.now(UTC)

    def add_base(self, layers: tuple[str, ...] = BASE_LAYERS) -> None:
        """A base image that was there before."""
        self.layers.update(layers)
        digest = hashlib.sha256("\n".join(layers).encode()).hexdigest()
        labels = {layout.LABEL_KIND: "base", layout.LABEL_DIGEST: f"sha256:{digest}"}
        tag = f"{layout.BASE_REPOSITORY}:{layout.IMAGE_FORMAT}-amd64"
        self.images[tag] = ImageRecord("sha256:base", (tag,), labels, layers, 80, self.clock)

    def architecture(self) -> str:
        return "amd64"

    def find(self, reference: str) -> ImageRecord | None:
        return self.images.get(reference)

    def labelled(self, labels: Mapping[str, str]) -> list[ImageRecord]:
        return [
            image
            for image in self.images.values()
            if all(name in image.labels and value in ("", image.labels[name]) for name, value in labels.items())
        ]

    def load(self, archive: Path) -> None:
        self.load_count += 1
        with tarfile.open(archive) as tar:
            names = set(tar.getnames())
            (manifest,) = json.load(tar.extractfile("manifest.json"))
            raw = tar.extractfile(manifest["Config"]).read()
            config = json.loads(raw)
            diff_ids = config["rootfs"]["diff_ids"]
            for diff_id, name in zip(diff_ids, manifest["Layers"], strict=True):
                if name in names:
                    data = tar.extractfile(name).read()
                    assert "sha256:" + hashlib.sha256(data).hexdigest() == diff_id
                    with tarfile.open(fileobj=io.BytesIO(data)) as layer:
                        self.contents[diff_id] = {
                            item.name: layer.extractfile(item).read() for item in layer if item.isreg()
                        }
                elif self.wants_all_layers or diff_id not in self.layers:
                    raise ImageEngineError(f"layer {name} is missing")
            self.layers.update(diff_ids)
        (tag,) = manifest["RepoTags"]
        image_id = "sha256:" + hashlib.sha256(raw).hexdigest()
        self.images[tag] = ImageRecord(
            image_id, (tag,), config["config"]["Labels"], tuple(diff_ids), len(raw), self.clock
        )

    def tag(self, image_id: str, reference: str) -> None:
        self.clock += timedelta(seconds=1)
        old = self.images[reference]
        assert old.image_id == image_id
        self.images[reference] = ImageRecord(image_id, (reference,), old.labels, old.layers, old.size_bytes, self.clock)

    def pull(self, reference: str, timeout_seconds: float) -> None:
        raise ImageEngineError("no registry here")

    def export(self, reference: str) -> Iterator[bytes]:
        raise NotImplementedError

    def save(self, reference: str) -> Iterator[bytes]:
        """As podman does it: layers under names of its own."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for name, data in [("manifest.json", b"[]"), *self.saved.items()]:
                item = tarfile.TarInfo(name)
                item.size = len(data)
                tar.addfile(item, io.BytesIO(data))
        yield from (buffer.getvalue()[start : start + 700] for start in range(0, len(buffer.getvalue()), 700))

    def run_once(self, reference: str, command: list[str], work: bytes, timeout_seconds: float) -> bytes:
        self.run_count += 1
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(fileobj=io.BytesIO(work)) as tar:
                for item in tar:
                    path = Path(folder) / item.name
                    if item.isdir():
                        path.mkdir(parents=True, exist_ok=True)
                    else:
                        path.write_bytes(tar.extractfile(item).read())
            local = [sys.executable, *(folder if part == "/work" else part for part in command[1:])]
            return subprocess.run(local, capture_output=True, check=True, timeout=60).stdout

    def remove(self, reference: str) -> bool:
        if reference in self.in_use:
            return False
        self.images.pop(reference, None)
        return True


@pytest.fixture
def engine() -> MemoryEngine:
    made = MemoryEngine()
    made.add_base()
    return made


@pytest.fixture
def engine_class() -> type[MemoryEngine]:
    return MemoryEngine


@pytest.fixture
def settings(tmp_path: Path) -> ImageSettings:
    return ImageSettings(cache_folder=tmp_path / "cache", registry_image="")


@pytest.fixture
def write_wheel(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, files: Mapping[str, str | bytes]) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as archive:
            for inner, data in files.items():
                archive.writestr(zipfile.ZipInfo(inner), data)
        return path

    return write


@pytest.fixture
def make_source(write_wheel: Callable[..., Path]) -> Callable[..., Source]:
    def make(
        code: str = "def verify(task):\n    return {'correct': 1.0}\n", lock: tuple[LockedWheel, ...] = ()
    ) -> Source:
        path = write_wheel(
            "al_tiny-1.0-py3-none-any.whl", {"al_tiny/__init__.py": code, "al_tiny/verihub.toml": MANIFEST}
        )
        digest = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        return Source(digest=digest, wheel=path, manifest=Manifest.from_toml(MANIFEST), lock=lock)

    return make


@pytest.fixture
def make_dependency(write_wheel: Callable[..., Path]) -> Callable[..., LockedWheel]:
    def make(
        name: str = "dep",
        version: str = "2.0",
        files: Mapping[str, str | bytes] | None = None,
        tags: str = "py3-none-any",
    ) -> LockedWheel:
        path = write_wheel(f"{name}-{version}-{tags}.whl", files or {f"{name}/__init__.py": "VALUE = 1\n"})
        return LockedWheel(name, version, hashlib.sha256(path.read_bytes()).hexdigest(), path)

    return make
