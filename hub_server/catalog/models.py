"""Tables of the catalogue: packages, their releases and files."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base, OrderedText


class PackageRow(Base):
    """A package. From ``latest_version`` on the columns follow from its releases (``actions.refresh_package``)."""

    __tablename__ = "packages"
    __table_args__ = (
        Index("ix_packages_error_bound_id", "error_bound", "id"),
        # Packages of one kind or grade may all stand at the end of an order: tools, for one, are never measured.
        Index("ix_packages_kind_error_bound_id", "kind", "error_bound", "id"),
        Index("ix_packages_grade_error_bound_id", "grade", "error_bound", "id"),
        Index("ix_packages_owner", "owner"),
        Index(
            "ix_packages_private",
            "id",
            sqlite_where=text("is_private"),
            postgresql_where=text("is_private"),
        ),
    )

    id: Mapped[str] = mapped_column(OrderedText, primary_key=True)
    """``owner/name``: its address for ever. Its first owner is named in it."""
    owner: Mapped[str]
    """Who has it now: the account or organisation that it was given to, else the one in its id."""
    kind: Mapped[str]
    created_at: Mapped[datetime]
    """Of one that was private: when it was made public. Lists of what is new come in this order."""
    created_by: Mapped[str]
    updated_at: Mapped[datetime]
    downloads: Mapped[int] = mapped_column(default=0)
    trend: Mapped[float] = mapped_column(default=0.0)
    """How clearly more senders download it than before (``rules.trend_of``); 0: not so."""
    is_private: Mapped[bool] = mapped_column(default=False)
    """Whether only its owner sees it, and the members of an organisation that owns it (``database.visibility``)."""
    is_listed: Mapped[bool] = mapped_column(default=True)
    """False when every release is quarantined."""
    quarantined_reason: Mapped[str | None]
    """Why no release can be used and none added; None: it is not quarantined as a whole."""
    hidden_reason: Mapped[str | None]
    """Why it is not shown, while its owner is suspended; None: it is."""
    taken_down_reason: Mapped[str | None]
    """Why its content was removed for good; None: it was not."""
    archived_reason: Mapped[str | None]
    """Why its owner publishes no more of it; None: it goes on. What there is stays usable."""
    fixed_case_count: Mapped[int] = mapped_column(default=0)
    """Counter-examples that a release once fixed: a later release must get them right before it is ``@latest``."""
    latest_version: Mapped[str | None]
    shown_release_id: Mapped[str | None]
    """The release that the card describes: ``@latest``, else the newest that is not quarantined."""
    summary: Mapped[str] = mapped_column(default="")
    licence: Mapped[str] = mapped_column(default="")
    grade: Mapped[str] = mapped_column(default="U")
    error_bound: Mapped[float] = mapped_column(default=2.0)
    """The larger upper bound of the two error rates, 0..1. Unmeasured: 2, so that these sort last."""
    audit_summary: Mapped[dict[str, Any] | None]


for _order in (PackageRow.trend, PackageRow.downloads):
    Index(f"ix_packages_kind_{_order.key}_id", PackageRow.kind, _order.desc(), PackageRow.id)
# The most comes first and names follow the alphabet. With an index in another order SQLite sorts equals again, and of
# 50,000 packages nearly all may have the trend 0: 284 ms of CPU.
for _most_first in (PackageRow.updated_at, PackageRow.created_at, PackageRow.trend, PackageRow.downloads):
    Index(f"ix_packages_{_most_first.key}_id", _most_first.desc(), PackageRow.id)


class FormerOwnerRow(Base):
    """An account or organisation that had a package before it was given away."""

    __tablename__ = "former_owners"

    package_id: Mapped[str] = mapped_column(OrderedText, ForeignKey("packages.id"), primary_key=True)
    owner: Mapped[str] = mapped_column(primary_key=True, index=True)
    until: Mapped[datetime]


class DownloadDayRow(Base):
    """Downloads of a package on one day (UTC, ``2026-11-21``); days without any have no row."""

    __tablename__ = "download_days"

    package_id: Mapped[str] = mapped_column(OrderedText, ForeignKey("packages.id"), primary_key=True)
    day: Mapped[str] = mapped_column(primary_key=True)
    downloads: Mapped[int]
    senders: Mapped[int] = mapped_column(default=0)
    """Senders that had not downloaded it in the two weeks before: each counts once in two weeks."""


class DownloadSenderRow(Base):
    """That a sender downloaded a package, kept for two weeks.

    ``sender``: one of 4,096 numbers that senders fall on (``rules.trends.sender_number``): enough to tell a few dozen
    senders from one that comes again, and too few to say who it was.
    """

    __tablename__ = "download_senders"

    package_id: Mapped[str] = mapped_column(OrderedText, ForeignKey("packages.id"), primary_key=True)
    sender: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    day: Mapped[str] = mapped_column(index=True)


class PackageFacetRow(Base):
    """One value of a facet of a package's shown release: a tag, a kind of interaction, a family of tasks."""

    __tablename__ = "package_facets"
    __table_args__ = (Index("ix_package_facets_facet_value", "facet", "value"),)

    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"), primary_key=True)
    facet: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(primary_key=True)


class ReleaseRow(Base):
    """One version: one wheel.

    ``version_key`` is equal for equal versions (1.0 and 1.0.0) and orders as PEP 440 does.
    """

    __tablename__ = "releases"
    __table_args__ = (
        UniqueConstraint("package_id", "version_key"),
        Index("ix_releases_published_by_published_at", "published_by", "published_at"),
        Index("ix_releases_package_id_published_at", "package_id", "published_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"))
    version: Mapped[str]
    version_key: Mapped[str] = mapped_column(OrderedText)
    is_prerelease: Mapped[bool]
    digest: Mapped[str] = mapped_column(index=True)
    size_bytes: Mapped[int]
    state: Mapped[str]
    """Follows, like ``state_reason``, from the facts below and the package's (``rules.states``). Never set it."""
    state_reason: Mapped[str] = mapped_column(default="")
    yanked_reason: Mapped[str | None]
    """Why it is yanked (may be empty); None: it is not. The same holds for the other three reasons."""
    yanked_by: Mapped[str | None]
    """The account that did it, and when; None where nobody did, or a hub did not write it down yet."""
    yanked_at: Mapped[datetime | None]
    deprecated_reason: Mapped[str | None]
    deprecated_by: Mapped[str | None]
    deprecated_at: Mapped[datetime | None]
    quarantined_reason: Mapped[str | None]
    taken_down_reason: Mapped[str | None]
    published_at: Mapped[datetime]
    public_since: Mapped[datetime | None]
    """When its private package was made public; None: the same readers have seen it since ``published_at``."""
    published_by: Mapped[str]
    requires_python: Mapped[str] = mapped_column(default="")
    dependencies: Mapped[list[str]]
    licence: Mapped[str] = mapped_column(default="")
    summary: Mapped[str] = mapped_column(default="")
    manifest: Mapped[dict[str, Any]]
    readme: Mapped[str] = mapped_column(default="")
    authors: Mapped[list[str] | None]
    """Names of authors and maintainers; None: it was published before hubs read them. The same holds for links."""
    links: Mapped[list[dict[str, Any]] | None]
    notes: Mapped[str] = mapped_column(default="")
    """Markdown: what its changelog says of this version."""
    task_counts: Mapped[dict[str, Any]]
    case_count: Mapped[int] = mapped_column(default=0)
    blocked: Mapped[str] = mapped_column(default="")
    """Why this release may not become ``@latest``, or empty."""
    audit_state: Mapped[str] = mapped_column(default="none")
    audit_summary: Mapped[dict[str, Any] | None]
    downloads: Mapped[int] = mapped_column(default=0)
    replayed_count: Mapped[int] = mapped_column(default=0)
    replay_mismatch_count: Mapped[int] = mapped_column(default=0)
    author_key: Mapped[str | None]
    """The public key (base64) with which its author has signed it; None: it came unsigned."""
    author_signature: Mapped[str | None]


SEEN_SINCE = func.coalesce(ReleaseRow.public_since, ReleaseRow.published_at)
"""Since when whoever sees a release now has seen it: what is new to readers comes in this order."""
Index("ix_releases_seen_since_id", SEEN_SINCE, ReleaseRow.id)
Index("ix_releases_package_id_seen_since_state", ReleaseRow.package_id, SEEN_SINCE, ReleaseRow.state)


class ReleaseNeedRow(Base):
    """A package that a release refers to: in its manifest, or as a dependency of its wheel."""

    __tablename__ = "release_needs"

    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    package_id: Mapped[str] = mapped_column(OrderedText, primary_key=True, index=True)


class ReleaseFileRow(Base):
    """One file inside a wheel."""

    __tablename__ = "release_files"

    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    path: Mapped[str] = mapped_column(OrderedText, primary_key=True)
    size: Mapped[int]
    sha256: Mapped[str]
