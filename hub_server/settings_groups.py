"""Groups of the hub's settings: where its rows and bytes live, how its database is reached, when people agree."""

from pydantic import BaseModel, ConfigDict, Field


class SettingsGroup(BaseModel):
    """Settings that belong together: ``VERIHUB_SERVER_GROUP__NAME``."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class StorageSettings(SettingsGroup):
    """Where rows and bytes live. Empty means: inside the data folder."""

    database_url: str = ""
    """``postgresql+psycopg://…`` or empty for SQLite in the data folder."""
    blobs_url: str = ""
    """``s3://bucket/prefix`` or empty for a folder in the data folder."""
    busy_timeout_seconds: float = Field(default=15.0, gt=0)
    """How long a writer waits for SQLite's lock."""
    pool_size: int = Field(default=48, ge=1)
    """Connections to the database that this process may hold."""
    search_in_memory: bool = False
    """Keep the search index in memory, built anew at every start, in place of a folder in the data folder."""


class ConnectionSettings(SettingsGroup):
    """When a connection to PostgreSQL is given up. A server that vanishes without a word (a machine without power, a
    network that drops packets) answers nothing, and nothing tells the hub: without these its threads wait for hours.
    """

    connect_seconds: int = Field(default=10, ge=2)
    """So long a connection may take to be made, for each address of the host; libpq knows none below 2."""
    unanswered_seconds: float = Field(default=30.0, gt=0)
    """So long what was sent may stay without an acknowledgement (``tcp_user_timeout``; Linux). A statement that takes
    longer is not ended: its server acknowledges what it was sent.
    """
    idle_seconds: int = Field(default=15, ge=1)
    """After so long without a word a server is asked whether it is there (``keepalives_idle``)."""
    probe_seconds: int = Field(default=5, ge=1)
    """So long between two such questions (``keepalives_interval``)."""
    probes: int = Field(default=3, ge=1)
    """So many of them stay unanswered before the connection is given up (``keepalives_count``)."""

    def for_driver(self) -> dict[str, int]:
        """By the names of libpq's parameters."""
        return {
            "connect_timeout": self.connect_seconds,
            "tcp_user_timeout": max(1, round(self.unanswered_seconds * 1000)),
            "keepalives": 1,
            "keepalives_idle": self.idle_seconds,
            "keepalives_interval": self.probe_seconds,
            "keepalives_count": self.probes,
        }


class QuotaSettings(SettingsGroup):
    """What one account may do to others' verifiers: a new account, one of standing, and one that the hub trusts (a
    moderator, an owner whom ``suite_owners`` names, and a package's owner on that package).

    A case that waits costs every audit of its package two calls, and one audit when it comes; so a new account's five
    add a twentieth to an audit of a hundred cases. Points below zero make a new account's quotas smaller.
    """

    waiting_new: int = Field(default=5, ge=1)
    """Cases of a new account against one package that nobody has seconded."""
    waiting_standing: int = Field(default=30, ge=1)
    """The same of an account of standing."""
    waiting_trusted: int = Field(default=100, ge=1)
    """The same of an account that the hub trusts."""
    cases_new: int = Field(default=40, ge=1)
    """Cases that a new account may submit to one release, refuted ones included."""
    cases_standing: int = Field(default=200, ge=1)
    """The same of an account of standing."""
    cases_trusted: int = Field(default=1000, ge=1)
    """The same of an account that the hub trusts."""
    labels_new: int = Field(default=50, ge=1)
    """Answers to questions that a new account may give in 24 hours."""
    labels_standing: int = Field(default=500, ge=1)
    """The same of an account of standing."""
    labels_trusted: int = Field(default=5000, ge=1)
    """The same of an account that the hub trusts."""
    words_new: int = Field(default=10, ge=1)
    """Others' cases that a new account may second or dispute in 24 hours; people have to answer a dispute."""
    words_standing: int = Field(default=100, ge=1)
    """The same of an account of standing."""
    words_trusted: int = Field(default=1000, ge=1)
    """The same of an account that the hub trusts. A package's owner has no limit on its own package."""


class LabelSettings(SettingsGroup):
    """How many people answer a question of the labelling queue, and when their answers settle it."""

    agreeing: int = Field(default=2, ge=1)
    """By how many labels one answer must lead, among people who do not own the package, to settle a question."""
    rollouts: int = Field(default=200, ge=1)
    """So many of a package's newest rollouts are looked through for disagreement."""
    answers_by_account: int = Field(default=10, ge=1)
    """So often one account may answer one question: it may change its mind, and each answer stays on record."""
    people: int = Field(default=100, ge=2)
    """So many accounts may answer one question. Where they do not agree, more will not either."""
    open_questions: int = Field(default=500, ge=1)
    """So many questions about one package may be open."""
    open_from_runs: int = Field(default=200, ge=1)
    """So many open questions may come from the runs of one account."""
    open_about_response: int = Field(default=20, ge=1)
    """So many questions about one response to one task may be open, of all packages."""
    open_about_response_by_owner: int = Field(default=3, ge=1)
    """So many of these may be of packages of one owner."""
