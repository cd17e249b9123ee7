"""Writes docker archives: configuration and layers, so that an image's id follows from its content alone."""

import io
import json
import tarfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.images import layout
from sandbox.images.layers import Layer
from schemas.task import canonical_json


def write_archive(
    target: Path,
    *,
    layers: Sequence[Layer],
    labels: Mapping[str, str],
    architecture: str,
    tag: str,
    leave_out: Collection[str] = (),
) -> None:
    """Write what ``docker load`` reads. Layers named in ``leave_out`` (diff ids) are those the engine already has."""
    config = _configuration([layer.diff_id for layer in layers], labels, architecture)
    names = [f"{layer.diff_id.removeprefix('sha256:')}.tar" for layer in layers]
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": names}]
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as tar:
        _add(tar, "config.json", config)
        for layer, name in zip(layers, names, strict=True):
            if layer.diff_id not in leave_out:
                tar.add(layer.path, arcname=name, filter=_anonymous)
        _add(tar, "manifest.json", json.dumps(manifest).encode())


def _configuration(diff_ids: list[str], labels: Mapping[str, str], architecture: str) -> bytes:
    """The image's configuration. Its SHA-256 is the image id, so it holds no time and no machine."""
    epoch = "1970-01-01T00:00:00Z"
    return canonical_json(
        {
            "architecture": architecture,
            "os": "linux",
            "created": epoch,
            "config": {"Env": list(layout.ENVIRONMENT), "Labels": dict(labels), "WorkingDir": "/", "Cmd": ["python3"]},
            "rootfs": {"type": "layers", "diff_ids": diff_ids},
            "history": [{"created": epoch, "created_by": "verihub"} for _ in diff_ids],
        }
    )


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o644
    return entry


class Blocks(io.RawIOBase):
    """An iterator of byte blocks as a readable file, which is what tarfile wants."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = block
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count
