"""Every knob of the hub, read once: ``VERIHUB_SERVER_…``, with ``__`` between group and name."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StorageSettings(_Group):
    """Where rows and bytes live. Empty means: inside the data folder."""

    database_url: str = ""
    """``postgresql+psycopg://…`` or empty for SQLite in the data folder."""
    blobs_url: str = ""
    """``s3://bucket/prefix`` or empty for a folder in the data folder."""
    busy_timeout_seconds: float = Field(default=15.0, gt=0)
    pool_size: int = Field(default=48, ge=1)


class LimitSettings(_Group):
    """Caps. Bytes and counts; rates are requests a second with a burst."""

    wheel_bytes: int = 64 * 2**20
    body_bytes: int = 8 * 2**20
    """Any other request body."""
    score_body_bytes: int = 256 * 2**20
    score_line_bytes: int = 4 * 2**20
    inspect_seconds: float = 60.0
    inspect_memory_mb: int = 2048
    releases_per_day: int = 200
    reads_per_second: float = 200.0
    reads_burst: int = 2000
    writes_per_second: float = 20.0
    writes_burst: int = 400
    logins_per_second: float = 0.1
    logins_burst: int = 20
    tool_connections: int = Field(default=64, ge=1)
    """Connections to tools that may be open at a time, over the Model Context Protocol."""
    tool_connections_each: int = Field(default=8, ge=1)
    """Of one account."""
    tool_idle_seconds: float = Field(default=600.0, gt=0)
    """After which a connection that nobody uses ends."""


class WorkerSettings(_Group):
    """How jobs are claimed and given up."""

    poll_seconds: float = Field(default=0.5, gt=0)
    lease_seconds: float = Field(default=30.0, gt=0)
    attempts: int = Field(default=8, ge=1)
    retry_seconds: float = Field(default=5.0, ge=0)
    unavailable_retry_seconds: float = Field(default=15.0, ge=0)
    threads: int = Field(default=1, ge=1)


class LabelSettings(_Group):
    """When people agree."""

    agreeing: int = Field(default=2, ge=1)
    """By how many labels one answer must lead, among people who do not own the package, to settle a question."""
    rollouts: int = Field(default=200, ge=1)
    """So many of a package's newest rollouts are looked through for disagreement."""


class SandboxChoice(_Group):
    """Which backend executes, and what it needs."""

    backend: str = "docker"
    trusted: bool = False
    """Required for the ``local`` backend, which isolates nothing."""
    audit_repeats: int = Field(default=2, ge=1, le=10)
    task_seconds: float = Field(default=60.0, gt=0)


class ServerSettings(BaseSettings):
    """Settings of ``verihub serve`` and ``verihub worker``."""

    model_config = SettingsConfigDict(
        env_prefix="VERIHUB_SERVER_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    data: Path = Path("verihub-data")
    public_url: str = ""
    """How readers reach this hub; empty = whatever address a request came to."""
    moderators: list[str] = Field(default_factory=list)
    sign_up_open: bool = True
    secure_cookies: bool | None = None
    """``None``: secure when the request came over HTTPS."""
    signing_key: Path | None = None
    """The Ed25519 key (PEM, mode 0600) that signs audit reports; None: ``keys/signing.pem`` in the data folder."""
    storage: StorageSettings = StorageSettings()
    limits: LimitSettings = LimitSettings()
    worker: WorkerSettings = WorkerSettings()
    sandbox: SandboxChoice = SandboxChoice()
    labels: LabelSettings = LabelSettings()

    @property
    def database_url(self) -> str:
        """The SQLAlchemy URL that is meant."""
        if self.storage.database_url:
            scheme, separator, rest = self.storage.database_url.partition("://")
            if scheme in ("postgres", "postgresql"):
                scheme = "postgresql+psycopg"
            return scheme + separator + rest
        return f"sqlite:///{self.data.absolute() / 'hub.sqlite3'}"

    @property
    def blobs_url(self) -> str:
        """Where blobs are: a folder's path or an object store's URL."""
        return self.storage.blobs_url or str(self.data.absolute() / "blobs")
