"""The hub's settings, read once: ``VERIHUB_SERVER_…``, with ``__`` between group and name."""

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_settings import SettingsConfigDict

from hub_server.settings_groups import (
    ConnectionSettings,
    LabelSettings,
    QuotaSettings,
    SettingsGroup,
    StorageSettings,
)
from schemas.judge_model import ANY_MODEL
from schemas.manifest import Manifest, SandboxNeeds
from schemas.settings import Settings
from schemas.wheels.archive import MOST_WHEEL_BYTES


class LimitSettings(SettingsGroup):
    """Caps. Bytes and counts; rates are requests a second with a burst."""

    wheel_bytes: int = Field(default=64 * 2**20, le=MOST_WHEEL_BYTES)
    """The largest wheel that is accepted, in bytes, and the most that its files may hold: up to 512 MiB. Reading one
    takes about three times as much memory (``inspect_memory_mb``), in the hub and where its code runs.
    """
    body_bytes: int = 8 * 2**20
    """The largest request body, in bytes, apart from wheels and streams of responses."""
    head_seconds: float = Field(default=20.0, gt=0)
    """A connection that has not sent the whole head of a request after so long is closed."""
    body_idle_seconds: float = Field(default=30.0, gt=0)
    """A request is refused whose body sends nothing for so long."""
    body_seconds: float = Field(default=900.0, gt=0)
    """A request is refused whose body takes longer than this in all. Streams of responses have limits of their own."""
    score_body_bytes: int = 256 * 2**20
    """The largest body of one stream of responses to score, in bytes."""
    score_line_bytes: int = 4 * 2**20
    """The longest line in a stream of responses to score, in bytes."""
    inspect_seconds: float = 60.0
    """How long the inspection of an uploaded wheel may take."""
    inspect_memory_mb: int = 2048
    """How much memory the inspection of an uploaded wheel may take."""
    releases_per_day: int = 200
    """Releases that one account may publish in 24 hours."""
    uploads_per_day: int = Field(default=1000, ge=1)
    """Uploads of one account in a day, refused ones and dry runs included."""
    upload_bytes_per_day: int = Field(default=4 * 2**30, ge=1)
    """Bytes that one account may upload in a day, refused uploads and dry runs included."""
    run_bytes: int = Field(default=2**30, ge=2**16)
    """Bytes of one run with its rollouts; its metrics and its end may take a tenth more."""
    runs_bytes_each: int = Field(default=8 * 2**30, ge=2**16)
    """Bytes of all runs of one account; metrics and ends may take a tenth more. Deleted runs do not count."""
    discussions_per_day: int = Field(default=30, ge=0)
    """Discussions that one account may begin in 24 hours."""
    posts_per_day: int = Field(default=300, ge=0)
    """Posts that one account may write in discussions in 24 hours."""
    open_reports: int = Field(default=30, ge=1)
    """Reports to the moderators that one account may have open at a time."""
    events_burst: int = Field(default=2000, ge=1)
    """Entries of the list of events that one account may cause at once."""
    events_per_hour: int = Field(default=100, ge=1)
    """Entries that one account may cause an hour when it has caused so many at once."""
    notices_burst: int = Field(default=500, ge=1)
    """Mails to others about changes that one account may cause at once."""
    notices_per_hour: int = Field(default=50, ge=1)
    """Such mails that one account may cause an hour when it has caused so many at once."""
    reads_per_second: float = 200.0
    """Reads that one token (or one address without a token) may send per second, on average."""
    reads_burst: int = 2000
    """Reads that one sender may send at once."""
    writes_per_second: float = 20.0
    """Writes that one token (or one address without a token) may send per second, on average."""
    writes_burst: int = 400
    """Writes that one sender may send at once."""
    logins_per_second: float = 0.1
    """Tries to log in or sign up that one address may make per second, on average."""
    logins_burst: int = 20
    """Tries to log in or sign up that one address may make at once."""
    shared: bool | None = None
    """Count requests in the database, so that all serving processes count together. None: with PostgreSQL."""
    tool_connections: int = Field(default=64, ge=1)
    """Connections to tools (Model Context Protocol) that may be open at a time."""
    tool_connections_each: int = Field(default=8, ge=1)
    """Connections to tools that one account may have open at a time."""
    tool_idle_seconds: float = Field(default=600.0, gt=0)
    """A connection to tools ends when nobody has used it for so long."""


class SlotSettings(SettingsGroup):
    """How many of one kind of work run at a time."""

    total: int = Field(ge=1)
    """In all."""
    each: int = Field(ge=1)
    """Of one account."""
    anonymous: int = Field(ge=0)
    """Of all requests without an account together; 0: the work needs an account."""
    anonymous_each: int = Field(ge=0)
    """Of one address without an account."""


class ExecutionSettings(SettingsGroup):
    """Work for somebody who waits for the answer: how much runs at a time, and what a package may ask for."""

    calls: SlotSettings = SlotSettings(total=12, each=4, anonymous=4, anonymous_each=2)
    """Single requests that run code: judge, Try it, generated tasks, a counter-example."""
    streams: SlotSettings = SlotSettings(total=64, each=16, anonymous=24, anonymous_each=8)
    """Streams of tasks and verdicts that are open."""
    episodes: SlotSettings = SlotSettings(total=32, each=8, anonymous=0, anonymous_each=0)
    """Sessions that are played over a WebSocket. Each needs an account."""
    inspections: SlotSettings = SlotSettings(total=4, each=2, anonymous=0, anonymous_each=0)
    """Uploaded wheels that are read at the same time; each may use ``limits.inspect_memory_mb``."""
    case_seconds: float = Field(default=20.0, ge=0)
    """How long whoever submits a counter-example waits for its verdict; after that the worker judges it.

    With ``wait_seconds`` before it, well below the 60 that the client waits for an answer.
    """
    wait_seconds: float = Field(default=10.0, ge=0)
    """How long a request waits for a free slot before it is refused."""
    idle_seconds: float = Field(default=600.0, gt=0)
    """A stream or an episode ends when its client has sent nothing for so long."""
    anonymous_idle_seconds: float = Field(default=30.0, gt=0)
    """The same for a stream without an account, except while it waits for verdicts of what it sent."""
    anonymous_stream_seconds: float = Field(default=600.0, gt=0)
    """The longest that a stream without an account may take as a whole; one of an account has no such limit."""
    slow_reader_seconds: float = Field(default=60.0, gt=0)
    """A stream ends when its client has read nothing for so long."""
    most_timeout_seconds: float = Field(default=120.0, gt=0)
    """The longest ``timeout_seconds`` and ``generate_timeout_seconds`` of a manifest that this hub takes and runs."""
    most_memory_mb: int = Field(default=4096, ge=32)
    """The largest ``sandbox.memory_mb`` of a manifest that this hub takes and runs."""

    def why_not_run(self, needs: SandboxNeeds) -> str:
        """Why this hub does not run a package with these needs, and what to do; empty when it does."""
        if needs.longest_seconds > self.most_timeout_seconds:
            name = "generate_timeout_seconds" if needs.timeout_seconds < needs.longest_seconds else "timeout_seconds"
            return (
                f"sandbox.{name} is {needs.longest_seconds:g}, and this hub runs calls of at most "
                f"{self.most_timeout_seconds:g} s: publish a version that asks for less."
            )
        if needs.memory_mb > self.most_memory_mb:
            return (
                f"sandbox.memory_mb is {needs.memory_mb}, and this hub gives at most {self.most_memory_mb}: "
                "publish a version that asks for less."
            )
        return ""


class WorkerSettings(SettingsGroup):
    """How jobs are claimed and given up."""

    poll_seconds: float = Field(default=0.5, gt=0)
    """How often an idle worker looks for a job."""
    lease_seconds: float = Field(default=30.0, gt=0)
    """A job whose worker has said nothing for so long is given to another."""
    attempts: int = Field(default=8, ge=1)
    """How often a job that fails by itself is tried before it is given up."""
    retry_seconds: float = Field(default=5.0, ge=0)
    """The pause before the second try; it grows with each."""
    unavailable_retry_seconds: float = Field(default=15.0, ge=0)
    """The pause while the sandbox is away. Such tries do not count."""
    threads: int = Field(default=2, ge=1)
    """Jobs that one worker runs at a time."""
    jobs_each: int | None = Field(default=None, ge=1)
    """Jobs of one account that run at a time; None: one fewer than ``threads``, so that others always find one free."""
    job_seconds: float = Field(default=3600.0, gt=0)
    """The longest that a job may take. One that takes longer fails, and its page says so."""


class SandboxChoice(SettingsGroup):
    """Which backend executes, and what it needs."""

    backend: str = "docker"
    """Where boxes are: ``docker``, ``remote``, ``ray``, or ``local``, which isolates nothing."""
    trusted: bool = False
    """Required for the ``local`` backend, which isolates nothing."""
    audit_repeats: int = Field(default=2, ge=1, le=10)
    """How often an audit runs each case, to see whether verdicts hold."""
    audit_again_days: float = Field(default=30.0, gt=0)
    """A shown release that was not measured for so long is measured again, in another order."""
    audit_seconds: float = Field(default=3600.0, gt=0)
    """An audit ends after so long: what was not judged by then is reported as not judged."""


class JudgeSettings(SettingsGroup):
    """The model that verifiers on this hub may ask. Without ``url`` and ``model`` they may ask none.

    What model calls may cost is set by ``VERIHUB_SANDBOX_JUDGE_…``.
    """

    url: str = ""
    """The address of an OpenAI-compatible server, up to ``/v1``."""
    model: str = ""
    """The model's name on that server. Pages and verdicts show it."""
    key: str = Field(default="", repr=False)
    """The key for the server."""
    owners: list[str] = Field(default_factory=list)
    """Accounts whose verifiers may ask the model; empty: everybody's."""

    @property
    def is_offered(self) -> bool:
        """Whether there is a model at all."""
        return bool(self.url and self.model)

    def why_not_asked(self, manifest: Manifest, owner: str = "") -> str:
        """Why this package's verifier cannot ask a model here, in one sentence; empty when it can, or asks none.

        ``owner``: who has the package, where that is known; else whom it is named after.
        """
        needs = manifest.model
        if needs is None:
            return ""
        if not self.is_offered:
            return f"{manifest.id} asks a model, and this hub offers none"
        if self.owners and (owner or manifest.id.split("/")[0]) not in self.owners:
            return f"{manifest.id} asks a model, and this hub lets only verifiers of some accounts ask"
        if needs.name not in (ANY_MODEL, self.model):
            return f"{manifest.id} asks for the model {needs.name}, and this hub offers {self.model}"
        return ""


class LogSettings(SettingsGroup):
    """What stands in the log, on stderr."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe level that is logged."""
    format: Literal["text", "json"] = "text"
    """``json``: one object a line, for a log collector."""
    requests: bool = True
    """Whether each request has a line: method, path without its query, status, milliseconds, request id."""


class MailSettings(SettingsGroup):
    """Mail of the hub: links that set a new password, and links that confirm an address."""

    host: str = ""
    """The SMTP server. Empty: what would be mailed, links included, is written to the log."""
    port: int = Field(default=587, ge=1, le=65535)
    """The SMTP server's port."""
    security: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection is kept private. ``none`` is for a server on this machine."""
    user: str = ""
    """The name to log in with at the SMTP server; empty: no login."""
    password: str = Field(default="", repr=False)
    """The password to log in with at the SMTP server."""
    sender: str = ""
    """The address that mail comes from."""
    timeout_seconds: float = Field(default=20.0, gt=0)
    """How long the server may take to answer."""


class TrustedPublishingSettings(SettingsGroup):
    """Publishing from continuous integration by an identity token (OpenID Connect), without a stored token."""

    issuers: list[str] = Field(default_factory=list)
    """Identity providers whose tokens are accepted, such as ``https://token.actions.githubusercontent.com`` and
    ``https://gitlab.com``. The hub fetches their public keys. Tokens must name ``PUBLIC_URL`` as their audience."""


class OutgoingSettings(SettingsGroup):
    """What the hub sends to addresses that accounts name (webhooks), and asks of a hub that it mirrors."""

    allowed_networks: list[str] = Field(default_factory=list)
    """Networks that are not public and that may be reached all the same, such as ``10.1.0.0/16``."""
    seconds: float = Field(default=10.0, gt=0)
    """How long one request may take, from its name to its answer."""


class MirrorSettings(SettingsGroup):
    """A read-only mirror of another hub. Without ``of`` this is a hub of its own."""

    of: str = ""
    """The address of the hub to mirror, such as ``https://hub.example.org``. Its folder stays a mirror for ever."""
    journal: str = ""
    """The name of its journal (``verihub/…``, as `verihub verify` prints it). Empty: the first contact is believed."""
    poll_seconds: float = Field(default=15.0, gt=0)
    """How often the mirror asks for news."""
    seconds: float = Field(default=120.0, gt=0)
    """How long one answer of the other hub may take."""
    answer_bytes: int = Field(default=16 * 2**20, ge=2**16)
    """The largest answer that is read, apart from wheels, for which ``limits.wheel_bytes`` holds."""
    entries: int = Field(default=10_000_000, ge=1)
    """So many entries of the journal are copied at the most: another hub cannot fill this disk."""
    wheels_bytes: int = Field(default=2**40, ge=1)
    """So many bytes of wheels are kept at the most, in all."""

    @field_validator("of")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        is_more = parts.query or parts.fragment or parts.username is not None  # every reader is shown this address
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or is_more):
            raise ValueError("the hub to mirror is named by an address such as https://hub.example.org")
        return value.rstrip("/")


class ServerSettings(Settings):
    """Settings of ``verihub serve`` and ``verihub worker``."""

    model_config = SettingsConfigDict(
        env_prefix="VERIHUB_SERVER_",
        env_nested_delimiter="__",
        nested_model_default_partial_update=True,
    )

    data: Path = Path("verihub-data")
    """The folder for database, blobs and keys."""
    public_url: str = ""
    """The address at which readers reach this hub; empty: the address to which a request came."""
    hosts: list[str] = Field(default_factory=list)
    """Names by which this hub is reached; others are refused. Empty: any, but on a loopback address only its own."""
    metrics_token: str = Field(default="", repr=False)
    """The bearer token that reads ``/metrics``. Empty: ``/metrics`` answers nobody."""
    trusted_proxies: list[str] = Field(default_factory=list)
    """Addresses or networks of reverse proxies; only their ``X-Forwarded-For`` and ``-Proto`` are believed."""
    suite_owners: list[str] = Field(default_factory=list)
    """Accounts whose suites count as the hub's own: without such suites, or files in ``held/``, no grade is above C.
    Without a verifier of theirs no counter-example counts because verifiers agree.
    """
    moderators: list[str] = Field(default_factory=list)
    """Accounts that may settle disputes and quarantine releases."""
    sign_up_open: bool = True
    """Whether anybody may make an account."""
    confirmed_email_needed: bool = False
    """Whether only accounts whose e-mail address is confirmed may publish, and submit or dispute cases."""
    security_contact: str = ""
    """Where whoever finds a hole in this hub reports it: ``mailto:…`` or ``https://…``. It stands in
    ``/.well-known/security.txt``, which is not there without it.
    """
    appeals_contact: str = ""
    """Whom somebody writes to who objects to what moderators did: ``mailto:…`` or ``https://…``. It stands on the page
    ``/moderation``, which a suspended account can read too. Empty: the page says that the operator named nobody.
    """
    owner_change_hours: float = Field(default=72.0, ge=0, le=14 * 24 - 24)
    """How long it takes until one owner of an organisation has removed another, and until an offered package can be
    taken over. All owners are mailed, and can stop it meanwhile. 0: at once.
    """
    secure_cookies: bool | None = None
    """Whether cookies are marked secure. None: when the request came over HTTPS."""
    stop_seconds: float = Field(default=10.0, ge=0)
    """How long requests under way may still take when the hub is told to stop."""
    signing_key: Path | None = None
    """The Ed25519 key (PEM, mode 0600) that the hub signs with; None: ``keys/signing.pem`` in the data folder."""
    storage: StorageSettings = StorageSettings()
    connection: ConnectionSettings = ConnectionSettings()
    limits: LimitSettings = LimitSettings()
    worker: WorkerSettings = WorkerSettings()
    execution: ExecutionSettings = ExecutionSettings()
    sandbox: SandboxChoice = SandboxChoice()
    judge: JudgeSettings = JudgeSettings()
    log: LogSettings = LogSettings()
    labels: LabelSettings = LabelSettings()
    quotas: QuotaSettings = QuotaSettings()
    mail: MailSettings = MailSettings()
    trusted_publishing: TrustedPublishingSettings = TrustedPublishingSettings()
    outgoing: OutgoingSettings = OutgoingSettings()
    mirror: MirrorSettings = MirrorSettings()

    @field_validator("security_contact", "appeals_contact")
    @classmethod
    def _is_contact(cls, value: str) -> str:
        """A contact as RFC 9116 asks for: a URI of mail or of a page."""
        if value and (not value.startswith(("mailto:", "https://")) or not value.isprintable() or " " in value):
            raise ValueError("write mailto:… or https://…")
        return value

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
    def search_folder(self) -> Path | None:
        """Where the search index is; None: in memory."""
        return None if self.storage.search_in_memory else self.data.absolute() / "search"

    @property
    def blobs_url(self) -> str:
        """Where blobs are: a folder's path or an object store's URL."""
        return self.storage.blobs_url or str(self.data.absolute() / "blobs")
