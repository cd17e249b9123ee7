"""Every knob of the sandbox, read once (environment prefix ``VERIHUB_SANDBOX_``)."""

import os
import tempfile
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


def _default_state_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"verihub-sandbox-{os.getuid()}"


class SandboxSettings(BaseSettings):
    """Argument > environment > default. Sizes are in MB, times in seconds."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_SANDBOX_", frozen=True)

    trust_local_code: bool = False
    """The ``local`` backend isolates nothing and starts only when this is true."""
    local_as_root: bool = False
    """Started by root, the ``local`` backend runs each box as an unprivileged user; this lets it go without, where it
    cannot (no right to change users). Then a package's code can end and delete whatever there is."""
    runtime: str | None = None
    """OCI runtime for boxes, for example ``runsc`` (gVisor); None means the engine's default."""
    docker_url: str | None = None
    """Engine address; None means ``DOCKER_HOST`` or the usual socket."""
    docker_timeout_seconds: float = Field(default=30.0, gt=0)
    use_doors: bool = True
    """Whether boxes on this machine's engine may reach the host by a Unix socket instead of through the engine."""
    state_folder: Path = Field(default_factory=_default_state_folder)
    """Owner locks; must be on a local disk and shared by every owner on the machine."""

    boxes_per_package: int = Field(default_factory=lambda: max(2, os.cpu_count() or 2), ge=1)
    max_boxes: int = Field(default=64, ge=2)
    starting_boxes: int = Field(default=4, ge=1)
    """How many boxes may be created at the same time."""
    box_idle_seconds: float = Field(default=600.0, gt=0)
    box_groups: int = Field(default=10_000, ge=1)
    """Groups of calls, of which each is a fork, after which a box is replaced."""
    box_lifetime_seconds: float = Field(default=3600.0, gt=0)
    start_timeout_seconds: float = Field(default=60.0, gt=0)
    """Import and warm-up of a package."""
    grace_seconds: float = Field(default=1.0, gt=0)
    """How long after a guest's own clock the host waits before it kills the box."""

    queue_limit: int = Field(default=4096, ge=1)
    """Calls of one package that may wait; a stream beyond it is read no further."""
    batch_calls: int = Field(default=32, ge=1, le=1024)
    worker_calls: int = Field(default=256, ge=1, le=1024)
    host_retries: int = Field(default=2, ge=0)
    engine_patience_seconds: float = Field(default=20.0, ge=0)
    """How long calls wait for an engine that served us before and does not now: time enough for it to restart."""
    replay_fraction: float = Field(default=0.01, ge=0, le=1)
    """Share of worker and batch calls that are run again one level up and compared."""
    warm_examples: int = Field(default=8, ge=0)

    solution_memory_mb: int = Field(default=512, ge=32)
    solution_timeout_seconds: float = Field(default=60.0, gt=0)
    """The most that a verifier may ask for one solution."""
    sessions_per_box: int = Field(default=32, ge=1)
    session_requests: int = Field(default_factory=lambda: 8 * (os.cpu_count() or 2), ge=1)
    """Requests to sessions that are under way at a time; the others wait with their clocks stopped."""
    session_undo_depth: int = Field(default=4, ge=0, le=16)
    """Steps that can be taken back. Each costs a sleeping process a session: about 1 MB, plus what the step changed."""
    session_lifetime_seconds: float = Field(default=86_400.0, gt=0)
    """After which even a live session's box is an orphan."""
