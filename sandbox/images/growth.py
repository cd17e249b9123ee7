"""When images are due to be looked through, from what was built since the last time."""

from datetime import UTC, datetime
from pathlib import Path

from sandbox.images.settings import ImageSettings

_AT_LEAST_EVERY_SECONDS = 86_400.0  # what is old is removed although nothing was built


class Growth:
    """Bytes of images that this user's processes built since the last collection: a file with a line for each build.

    A collection asks the engine for every image one by one: 1 ms each on an idle machine, 10 ms on a busy one, and
    there may be thousands. So it is not made after each build, but after each twentieth of the disk budget that was
    built, and once a day.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "built_since_collection"

    def note(self, size_bytes: int, now: datetime | None = None) -> None:
        """An image of that size was built. Raises OSError."""
        with self._file.open("a") as stream:
            stream.write(f"{(now or datetime.now(UTC)).timestamp():.0f} {size_bytes}\n")

    def is_due(self, settings: ImageSettings, now: datetime | None = None) -> bool:
        """Whether so much or so long ago was built that images are looked through.

        A file that cannot be understood (its writer was killed, the disk was full) is a reason as well. Raises OSError.
        """
        lines = self._file.read_text(errors="replace").splitlines() if self._file.exists() else []
        try:
            builds = [(float(time), int(size)) for time, size in map(str.split, lines)]
        except ValueError:
            return True
        if not builds:
            return False
        age_seconds = (now or datetime.now(UTC)).timestamp() - builds[0][0]
        built = sum(size for _, size in builds)
        return built > settings.disk_budget_mb * 2**20 / 20 or age_seconds > _AT_LEAST_EVERY_SECONDS

    def clear(self) -> None:
        """A collection begins. Raises OSError."""
        self._file.unlink(missing_ok=True)
