"""Removes images: first those unused for a long time, then the least recently used over the disk budget."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sandbox.images import layout
from sandbox.images.engine import ImageEngine, ImageRecord
from sandbox.images.layers import LayerStore
from sandbox.images.settings import ImageSettings

_NEVER = datetime.min.replace(tzinfo=UTC)
_COLLECTED = ("package", "guest", "dependencies")


@dataclass(frozen=True)
class Collected:
    """What a collection removed."""

    references: tuple[str, ...]
    layer_bytes: int
    kept_in_use: int
    """How many images were due for removal but are still used by a container."""


class UseTimes:
    """When images were last used, for engines that do not record it (podman).

    Each image has an empty file, whose modification time is the time of last use.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def note(self, image: ImageRecord, now: datetime | None = None) -> None:
        """Note that ``image`` is used now. Images that were not used for long are removed first."""
        if image.used_at is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / image.image_id.removeprefix("sha256:")
            path.touch()
            if now is not None:
                os.utime(path, (now.timestamp(), now.timestamp()))

    def completed(self, images: Iterable[ImageRecord], now: datetime) -> list[ImageRecord]:
        """``images`` with what is known here. An image without a record counts as used ``now``."""
        rows = list(images)
        known = {path.name: path for path in self._folder.glob("*")}
        for image in rows:
            if image.image_id.removeprefix("sha256:") not in known:
                self.note(image, now)
        for name in known.keys() - {image.image_id.removeprefix("sha256:") for image in rows}:
            known[name].unlink(missing_ok=True)
        return [image if image.used_at else replace(image, used_at=self._time(image)) for image in rows]

    def _time(self, image: ImageRecord) -> datetime | None:
        try:
            stamp = (self._folder / image.image_id.removeprefix("sha256:")).stat().st_mtime
        except OSError:
            return None
        return datetime.fromtimestamp(stamp, UTC)


def collect_garbage(
    engine: ImageEngine, settings: ImageSettings, now: datetime | None = None, spare: str | None = None
) -> Collected:
    """Remove images by age, then by disk budget, least recently used first.

    Never the base, never others' images, never the one whose reference is ``spare`` (somebody is about to use it).
    """
    now = now or datetime.now(UTC)
    found = [image for image in engine.labelled({layout.LABEL_KIND: ""}) if _kind(image) in _COLLECTED]
    images = UseTimes(settings.cache_folder / "used").completed(found, now)
    removable = choose_removable(images, settings, now, spare)
    removed = [image for image in removable if _remove(engine, image)]
    gone = {image.image_id for image in removed}
    kept = [image for image in images if image.image_id not in gone]
    wanted = {layer for image in kept for layer in image.layers} | _base_layers(engine)
    freed = LayerStore(settings.cache_folder / "layers").keep_only(wanted)
    names = tuple(name for image in removed for name in image.references)
    return Collected(references=names, layer_bytes=freed, kept_in_use=len(removable) - len(removed))


def choose_removable(
    images: Iterable[ImageRecord], settings: ImageSettings, now: datetime, spare: str | None = None
) -> list[ImageRecord]:
    """Which of ``images`` should go, package images before the dependency images below them."""
    newest_first = sorted(images, key=lambda image: image.used_at or _NEVER, reverse=True)
    newest_first.sort(key=lambda image: spare not in image.references)
    oldest_allowed = now - timedelta(days=settings.max_age_days)
    budget = settings.disk_budget_mb * 2**20
    kept: list[ImageRecord] = []
    removable: list[ImageRecord] = []
    spent = 0
    for image in sorted(newest_first, key=lambda image: _kind(image) == "dependencies"):
        size = int(image.labels.get(layout.LABEL_BYTES, image.size_bytes))
        carried = _kind(image) == "dependencies" and any(set(image.layers) <= set(user.layers) for user in kept)
        too_old = (image.used_at or _NEVER) < oldest_allowed
        spared = spare is not None and spare in image.references
        if spared or carried or (not too_old and spent + size <= budget):
            kept.append(image)
            spent += size
        else:
            removable.append(image)
    return removable


def _remove(engine: ImageEngine, image: ImageRecord) -> bool:
    """Remove every tag of the image; False when a container still uses it."""
    return not [name for name in image.references if not engine.remove(name)]


def _kind(image: ImageRecord) -> str:
    return image.labels.get(layout.LABEL_KIND, "")


def _base_layers(engine: ImageEngine) -> set[str]:
    return {layer for image in engine.labelled({layout.LABEL_KIND: "base"}) for layer in image.layers}
