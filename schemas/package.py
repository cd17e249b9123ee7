"""What a package is, and the cards and releases that the catalogue shows."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.rates import Grade, Measurement, WorsePart
from schemas.journal.author_signature import AuthorSignature
from schemas.kinds import PackageKind
from schemas.manifest import Manifest, RewardDeclaration
from schemas.names import Digest, PackageId, VersionText
from schemas.page import Page
from schemas.wording import counted


class ReleaseState(StrEnum):
    """Status of a release.

    ``yanked`` still resolves by exact version or digest; ``quarantined`` does not resolve at all.
    """

    ACTIVE = "active"
    DEPRECATED = "deprecated"
    YANKED = "yanked"
    QUARANTINED = "quarantined"


class Interaction(StrEnum):
    """How a model meets an environment, and whether a verdict needs a model call."""

    SINGLE_TURN = "single-turn"
    SEVERAL_TURNS = "several-turns"
    TOOLS = "tools"
    ASKS_A_MODEL = "asks-a-model"


class Difficulty(StrEnum):
    """How the best model did on an environment, by the evaluations that accounts reported to the hub.

    Hard: at most a fifth of the tasks, by the upper end of its interval. Solved: at least four fifths, by the lower
    end. Reachable: neither, and surely more than a twentieth. Small models have fewer than two billion parameters. Two
    accounts must have reported it; those that have the environment are one.
    """

    HARD_FOR_SMALL = "hard-for-small-models"
    REACHABLE_FOR_SMALL = "reachable-for-small-models"
    SOLVED_BY_SMALL = "solved-by-small-models"
    HARD_FOR_LARGE = "hard-for-large-models"
    REACHABLE_FOR_LARGE = "reachable-for-large-models"
    SOLVED_BY_LARGE = "solved-by-large-models"


class PackageSort(StrEnum):
    """How a list of packages is ordered.

    ``relevance`` (without words: ``updated``), ``error`` (the smallest error bound first), ``updated`` and ``newest``
    (latest first), ``downloads`` (most first), ``trending`` (downloaded by more senders in the last two weeks than in
    the two before, the clearest first), ``name``.
    """

    RELEVANCE = "relevance"
    ERROR = "error"
    UPDATED = "updated"
    NEWEST = "newest"
    DOWNLOADS = "downloads"
    TRENDING = "trending"
    NAME = "name"

    @classmethod
    def _missing_(cls, value: object) -> "PackageSort | None":
        """``jaw`` was the name of ``error`` before 0.1. It is still accepted."""
        return cls.ERROR if value == "jaw" else None


class ReleaseFile(WireModel):
    """One file inside the wheel. ``path`` is relative to the wheel's root, ``size`` in bytes."""

    path: str
    size: int
    sha256: str


class ProjectLink(WireModel):
    """A link that a package gives of itself, such as its source. ``url`` is http or https; both are untrusted."""

    label: str
    url: str


class Release(WireModel):
    """One version of a package: one wheel, identified by its digest, which never changes."""

    package: PackageId
    version: VersionText
    digest: Digest
    size_bytes: int
    state: ReleaseState = ReleaseState.ACTIVE
    """The strictest of the facts below, with its reason: taken down or quarantined before yanked before deprecated."""
    state_reason: str = ""
    yanked_reason: str | None = None
    """Why it was yanked (may be empty); null where it is not. The same holds for the other three reasons."""
    yanked_by: str | None = None
    """The account that yanked it, and when; null where it is not yanked, or was before hubs wrote this down."""
    yanked_at: datetime | None = None
    deprecated_reason: str | None = None
    deprecated_by: str | None = None
    deprecated_at: datetime | None = None
    quarantined_reason: str | None = None
    taken_down_reason: str | None = None
    """Why its bytes and its README were removed for good. Its version is never given to other bytes."""
    published_at: datetime
    public_since: datetime | None = None
    """When its private package was made public; null: it was not private, or still is, or its hub did not note it."""
    published_by: str
    author_signature: AuthorSignature | None = None
    """Of whoever published it, by a key that the account had registered then; null: it came without one."""
    requires_python: str = ""
    dependencies: list[str] = Field(default_factory=list)
    licence: str
    summary: str = ""
    authors: list[str] = Field(default_factory=list)
    """Names of authors and maintainers, as its author wrote them; e-mail addresses are left out."""
    links: list[ProjectLink] = Field(default_factory=list)
    """``[project.urls]`` of its project."""
    notes: str = ""
    """Markdown: what its CHANGELOG.md says of this version; untrusted. Empty in lists of releases."""
    manifest: Manifest
    task_counts: dict[str, int | None] = Field(default_factory=dict)
    """Number of tasks in each split; ``None`` for a generated split, which has no end."""
    case_count: int = 0
    audit: "AuditSummary | None" = None
    blocked_from_latest: str = ""
    """Why this release may not become ``@latest`` (a fixed counter-example returned), or empty."""
    replayed_count: int = 0
    """Calls that this hub repeated one isolation level higher."""
    replay_mismatch_count: int = 0
    """Those of them that got another verdict: the verifier keeps state between calls, or is not deterministic."""

    @property
    def seen_since(self) -> datetime:
        """Since when those who see it now have seen it."""
        return self.public_since or self.published_at


class AuditSummary(WireModel):
    """The few figures of the newest audit that lists and page headers show."""

    version: VersionText
    grade: Grade
    overall: Measurement
    case_count: int
    audited_at: datetime
    is_hollow: bool = False
    """True when only the author's own cases support the grade."""
    reads: Measurement | None = None
    """What the grade is based on, when that is not ``overall``."""
    first_look: Measurement | None = None
    """``Grading.first_look``: on others' cases that the release's author could not know."""
    known: Measurement | None = None
    """``Grading.known``: on others' cases that were there before the release."""
    pulled: list[WorsePart] = Field(default_factory=list)
    """Parts of the evidence that are surely worse than the grade and lower it; the worst first.

    The name stays: clients of this version of the API read it, and that of ``Grading.pulled`` is signed.
    """
    needs: list[str] = Field(default_factory=list)
    """``Grading.needs``: the first sentence is what to do next. A summary of an older hub may begin with a reason."""
    suites: dict[str, Measurement] = Field(default_factory=dict)
    """Suite of another package -> rates on its cases, those that the hub drew from it included."""
    origins: dict[str, Measurement] = Field(default_factory=dict)
    """Origin of cases (``author``, ``suite``, ``held``, ``community``, ``rollout``) -> rates of these cases alone."""

    @property
    def graded(self) -> Measurement:
        """The rates that the grade is based on: to be shown wherever the grade is, or the two contradict each other."""
        return self.reads or self.overall

    @property
    def evidence_words(self) -> str:
        """Which cases these rates are of: a corrected pass rate holds only for answers that are like them."""
        found = self.graded
        count = counted(found.tp + found.fp + found.tn + found.fn, "case")
        if self.is_hollow:
            return f"{count}, its author's among them"
        return f"{count} that others than its author chose"


class Visibility(StrEnum):
    """Who sees a package: everybody, or its owner and the members of an organisation that owns it."""

    PUBLIC = "public"
    PRIVATE = "private"


class PackageCard(WireModel):
    """A package as a list shows it."""

    id: PackageId
    kind: PackageKind
    summary: str
    tags: list[str]
    licence: str
    latest: VersionText | None
    latest_digest: Digest | None
    updated_at: datetime
    downloads: int = 0
    rewards: dict[str, RewardDeclaration] = Field(default_factory=dict)
    audit: AuditSummary | None = None
    audit_state: str = "none"
    """``none`` (never measured), ``queued``, ``running``, ``done`` or ``failed``."""
    visibility: Visibility = Visibility.PUBLIC
    is_archived: bool = False
    """Whether its owner publishes no more of it."""


class PackagePage(Page[PackageCard]):
    """A page of a search."""

    has_every_word: bool = True
    """False: no package has every word of the search, and these have at least half of them, or one in name or tags."""


class PackageDetail(WireModel):
    """A package with its highest releases, yanked ones included; all are in pages of ``…/releases``."""

    card: PackageCard
    owner: str
    """Who has it now. Its id names its first owner for ever."""
    created_at: datetime
    releases: list[Release]
    release_count: int | None = None
    """How many there are in all."""
    quarantined_reason: str | None = None
    """Why the whole package is quarantined: none of its releases can be used, and none is added. Null: it is not."""
    archived_reason: str | None = None
    """Why its owner publishes no more of it, though it stays usable. Null: it goes on."""
    readme: str = ""
    """Markdown of the latest release; untrusted."""


class Dependant(WireModel):
    """A package whose shown release depends on another, or names it in its manifest."""

    id: PackageId
    kind: PackageKind
    summary: str = ""
    latest: VersionText | None = None


class UploadPart(WireModel):
    """A part of a wheel that comes in parts. ``number``: its place, from 0."""

    number: int
    size_bytes: int
    digest: str
    """``sha256:…`` of the part's bytes."""


class Upload(WireModel):
    """What has arrived of a wheel that comes in parts, in order."""

    digest: str
    part_bytes: int
    """How many bytes a part has at most."""
    parts: list[UploadPart]
    kept_until: datetime | None = None
    """When the parts are forgotten unless another comes. Null: none has arrived."""


class PublishReceipt(WireModel):
    """The answer to a publish. ``created`` is false when the same bytes were there already."""

    release: Release
    created: bool
    url: str
    audit_job: str | None = None
