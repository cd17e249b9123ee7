"""All settings of image making, read once (environment prefix ``VERIHUB_IMAGES_``)."""

from pathlib import Path

import platformdirs
from pydantic import Field
from pydantic_settings import SettingsConfigDict

from schemas.settings import Settings


class ImageSettings(Settings):
    """Argument > environment > default."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_IMAGES_")

    cache_folder: Path = Field(default_factory=lambda: platformdirs.user_cache_path("verihub") / "images")
    """Layers, fetched wheels and build locks; shared by every process of this user."""
    registry_image: str = "python:{python}-slim"
    """The image to pull when a registry answers, with the box's Python in place of ``{python}``. Empty: always build
    from Debian's packages.
    """
    pull_timeout_seconds: float = Field(default=15.0, gt=0)
    """How long a registry may stay silent before the base is built instead."""
    suites: dict[str, str] = Field(default={"3.11": "bookworm", "3.13": "trixie"})
    """The Debian release that the base with each Python is built from. A Python without one needs a registry."""
    mirror: str | None = None
    """Debian mirror for the built base; None means mmdebstrap's default with its security updates."""
    build_timeout_seconds: float = Field(default=600.0, gt=0)
    """How long building the base may take."""
    fetch_timeout_seconds: float = Field(default=300.0, gt=0)
    """How long fetching all wheels of one lock may take."""
    disk_budget_mb: int = Field(default=10_240, ge=0)
    """What package and dependency images may take together. Beyond it the least recently used ones are removed.

    Looked at when a twentieth of it was built since the last time, and at a build on the next day.
    """
    max_age_days: float = Field(default=30.0, gt=0)
    """Images that nobody has used for so long are removed. Looked at as ``disk_budget_mb`` is."""
