"""Which file of a release a README's relative link means. It names files by their place in the project."""

from collections.abc import Collection, Iterable
from itertools import islice

from hub_server.site.rendering.animations import is_calm
from hub_server.site.rendering.image_sizes import is_bounded
from schemas.package import ReleaseFile

IMAGE_TYPES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
"""Suffix -> content type of the images that are shown: pixels alone. An SVG may hold scripts and load things."""
MOST_IMAGE_BYTES = 2_000_000  # chosen, not measured
MOST_IMAGES = 200
"""Of a release. Each image that a README names is looked for among them."""
_BEGINNINGS = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
}


def find_file(path: str, paths: Collection[str]) -> str | None:
    """The path in the wheel that a README's ``path`` means: ``src/alice_sums/a.png`` is ``alice_sums/a.png`` there."""
    plain = path.removeprefix("./")
    if plain in paths:
        return plain
    bare = plain.removeprefix("src/")
    found = {one for one in paths if one == bare or one.endswith(f"/{bare}")}
    return found.pop() if len(found) == 1 else None


def image_paths(files: Iterable[ReleaseFile]) -> tuple[str, ...]:
    """Paths of the images that a page may show, by their names and sizes; at most ``MOST_IMAGES``."""
    found = (one.path for one in files if one.size <= MOST_IMAGE_BYTES and _type_by_name(one.path))
    return tuple(islice(found, MOST_IMAGES))


def image_type(path: str, content: bytes) -> str | None:
    """The content type of an image whose bytes are what its name says, with bounded pixels and frames; else None."""
    found = _type_by_name(path)
    if found is None or not _begins_as(found, content):
        return None
    return found if is_bounded(found, content) and is_calm(found, content) else None


def _begins_as(kind: str, content: bytes) -> bool:
    if kind == "image/webp":
        return content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    return content.startswith(_BEGINNINGS[kind])


def _type_by_name(path: str) -> str | None:
    return IMAGE_TYPES.get(path.rpartition(".")[2].lower())
