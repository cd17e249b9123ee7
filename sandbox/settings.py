"""Every knob of the sandbox, read once (environment prefix ``VERIHUB_SANDBOX_``)."""

import os
import tempfile
from pathlib import Path

import platformdirs
from pydantic import Field
from pydantic_settings import SettingsConfigDict

from schemas.settings import Settings


def _default_state_folder(run: Path = Path("/run")) -> Path:
    """Below a folder that only this user may write in, where the system has one; every process must find the same."""
    own = run / "user" / str(os.getuid()) if os.getuid() else run
    if own.is_dir() and os.access(own, os.W_OK) and own.stat().st_uid == os.getuid():
        return own / "verihub-sandbox"
    return Path(tempfile.gettempdir()) / f"verihub-sandbox-{os.getuid()}"


class SandboxSettings(Settings):
    """Argument > environment > default. Sizes are in MB, times in seconds."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_SANDBOX_", allow_inf_nan=False)

    trust_local_code: bool = False
    """The ``local`` backend isolates nothing, and starts only if this is true."""
    local_as_root: bool = False
    """Started by root, the ``local`` backend runs each box as an unprivileged user; this lets it go without, where it
    cannot (no right to change users). Then a package's code can end and delete whatever there is."""
    runtime: str | None = None
    """OCI runtime for boxes, for example ``runsc`` (gVisor); None means the engine's default."""
    docker_url: str | None = None
    """Engine address; None means ``DOCKER_HOST`` or the usual socket."""
    docker_timeout_seconds: float = Field(default=30.0, gt=0)
    """How long one request to the engine may take."""
    use_sockets: bool = True
    """Whether boxes on this machine's engine may reach the host by a Unix socket instead of through the engine."""
    state_folder: Path = Field(default_factory=_default_state_folder)
    """Owner locks; on a local disk, shared by all processes of this user, and written by nobody else. Default: below
    ``/run`` for root, below ``/run/user/UID`` where there is one, else below the folder for temporary files."""

    boxes_per_package: int = Field(default_factory=lambda: max(2, os.cpu_count() or 2), ge=1)
    """Boxes that one release may have at a time."""
    max_boxes: int = Field(default=64, ge=2)
    """Boxes of all releases together."""
    starting_boxes: int = Field(default=4, ge=1)
    """How many boxes may be created at the same time."""
    box_idle_seconds: float = Field(default=600.0, gt=0)
    """A box that nobody used for so long is ended."""
    box_call_groups: int = Field(default=10_000, ge=1)
    """A box is replaced after so many call groups. Each call group is a fork."""
    box_lifetime_seconds: float = Field(default=3600.0, gt=0)
    """A box is replaced after so long."""
    start_timeout_seconds: float = Field(default=60.0, gt=0)
    """How long a package may take for its import and its warm-up. Waiting for a processor does not count."""
    grace_seconds: float = Field(default=1.0, gt=0)
    """How long after a guest's own clock the host waits before it kills the box."""

    queue_limit: int = Field(default=4096, ge=1)
    """Calls of one package that may wait. A stream of more calls is not read on until there is room."""
    queue_mb: int = Field(default=128, ge=1)
    """How much of this process's memory the waiting calls of one package may take. A stream of more is not read on
    until there is room.
    """
    batch_calls: int = Field(default=32, ge=1, le=1024)
    """Calls that share one fork at level ``batch``. Not isolated from each other: more are faster, fewer safer."""
    worker_calls: int = Field(default=256, ge=1, le=1024)
    """Calls that are sent together at level ``worker``."""
    host_retries: int = Field(default=2, ge=0)
    """How often a call that was lost through no fault of its own runs again."""
    engine_patience_seconds: float = Field(default=20.0, ge=0)
    """How long calls wait for an engine that served us before and does not now: time enough for it to restart."""
    replay_fraction: float = Field(default=0.01, ge=0, le=1)
    """Share of worker and batch calls that are run again one level up and compared."""
    warm_examples: int = Field(default=8, ge=0)
    """A package's examples that are run when a box starts, before the first call."""

    most_memory_mb: int = Field(default=16384, ge=32)
    """The most memory that a package may ask for; a package that asks for more is not run."""
    most_timeout_seconds: float = Field(default=600.0, gt=0)
    """The longest time limit of a call that a package may ask for; a package that asks for more is not run."""
    call_processes: int = Field(default=48, ge=8)
    """Processes and threads of a box that judges calls, together."""
    solution_memory_mb: int = Field(default=512, ge=32)
    """The most memory that a verifier may ask for one solution, and the memory of a solution's box."""
    solution_timeout_seconds: float = Field(default=60.0, gt=0)
    """The longest time that a verifier may ask for one solution."""
    solution_patience_seconds: float = Field(default=600.0, gt=0)
    """How long a call waits for one solution, its place in the queue included. After that the result is a fault of the
    host.
    """
    judge_calls: int = Field(default=5_000, ge=0)
    """Model calls of one run or audit of a verifier; answers from the cache are not counted."""
    judge_tokens: int = Field(default=5_000_000, ge=0)
    """Tokens that the model calls of one run or audit may take, prompts and answers together."""
    judge_cost: float | None = Field(default=None, ge=0)
    """What the model calls of one run or audit may cost, in the currency of the prices; None: no limit."""
    judge_day_calls: int = Field(default=50_000, ge=0)
    """Model calls of all verifiers together in a day of UTC, of one process."""
    judge_day_tokens: int = Field(default=50_000_000, ge=0)
    """Tokens that the model calls of one day may take."""
    judge_day_cost: float | None = Field(default=None, ge=0)
    """What the model calls of one day may cost; None: no limit."""
    judge_prompt_price: float = Field(default=0.0, ge=0)
    """The price of a million tokens of prompts."""
    judge_answer_price: float = Field(default=0.0, ge=0)
    """The price of a million tokens of answers."""
    judge_timeout_seconds: float = Field(default=120.0, gt=0)
    """How long the model may take for one answer."""
    judge_requests: int = Field(default=4, ge=1, le=256)
    """Model calls at a time."""
    judge_cache_folder: Path = Field(default_factory=lambda: platformdirs.user_cache_path("verihub") / "judge")
    """Where the model's answers are kept, by the digest of the request."""
    judge_cache_mb: int = Field(default=256, ge=0)
    """How much the kept answers may take together; 0: none is kept."""
    sessions_per_box: int = Field(default=32, ge=1)
    """Live sessions of one release that share a box."""
    session_requests: int = Field(default_factory=lambda: 8 * (os.cpu_count() or 2), ge=1)
    """Requests to sessions that are under way at a time; the others wait with their clocks stopped."""
    session_undo_depth: int = Field(default=4, ge=0, le=16)
    """Steps that can be taken back. Each costs a sleeping process a session: about 1 MB, plus what the step changed."""
    session_lifetime_seconds: float = Field(default=86_400.0, gt=0)
    """A box with live sessions counts as an orphan after so long."""
