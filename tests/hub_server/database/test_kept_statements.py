"""A statement that is made once serves every viewer, and shows each what that viewer sees: in any order, in any thread."""

import gc
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select, union
from sqlalchemy.orm import Session

from hub_server.catalog.models import PackageFacetRow, PackageRow, ReleaseFileRow, ReleaseRow
from hub_server.catalog.queries import cards, counts, packages
from hub_server.database.engine import Database
from hub_server.database.package_changes import PackageChangeRow
from hub_server.database.visibility import _PUBLIC, EVERYBODY, EVERYTHING, Viewer, seeing

NOW = datetime(2026, 11, 27, tzinfo=UTC)
LATER = datetime(2026, 11, 28, tzinfo=UTC)
OWNERS = {"alice/open": "alice", "acme/hush": "acme", "bob/quiet": "bob"}
SEEN = {
    EVERYBODY: {"alice/open"},
    Viewer(frozenset({"mallory"})): {"alice/open"},
    Viewer(frozenset({"acme", "alice"})): {"alice/open", "acme/hush"},
    Viewer(frozenset({"bob"})): {"alice/open", "bob/quiet"},
    Viewer(frozenset({"acme", "bob"}), only_package="acme/hush"): {"alice/open", "acme/hush"},
    EVERYTHING: set(OWNERS),
}


@pytest.fixture
def filled(database: Database) -> Database:
    with database.writing() as session:
        for one, owner in OWNERS.items():
            session.add(
                PackageRow(
                    id=one, owner=owner, kind="tool", is_private=owner != "alice", is_listed=True, summary=one,
                    created_at=NOW, created_by=owner, updated_at=NOW,
                )
            )  # fmt: skip
            session.flush()
            session.add(PackageFacetRow(package_id=one, facet="tag", value=one))
            for version, at in (("1.0.0", NOW), ("2.0.0", LATER)):
                session.add(_release(one, version, at))
                session.flush()
                session.add(ReleaseFileRow(release_id=f"{one}@{version}", path="a.py", size=1, sha256="0"))
    return database


def _release(package: str, version: str, at: datetime) -> ReleaseRow:
    return ReleaseRow(
        id=f"{package}@{version}", package_id=package, version=version, version_key=version, digest=f"{package}{version}",
        size_bytes=1, state="listed", is_prerelease=False, published_at=at, published_by=OWNERS[package], dependencies=[], manifest={},
        task_counts={},
    )  # fmt: skip


def seen_by_kept_statements(session: Session) -> dict[str, set[str]]:
    """Which packages each of them finds."""
    every, releases = list(OWNERS), {f"{one}@1.0.0": one for one in OWNERS}
    one_by_one = {
        "package": packages.find_package,
        "release": lambda session, one: packages.find_release_by_key(session, one, "1.0.0"),
        "later": lambda session, one: packages.has_release_after(session, one, NOW),
        "facets": packages.facets_of_one,
        "files": lambda session, one: packages.files_of(session, f"{one}@1.0.0"),
        "count": counts.count_releases,
    }
    found = {name: {one for one in every if ask(session, one)} for name, ask in one_by_one.items()}
    found["cards"] = set(cards.packages_for_cards(session, every))
    found["released"] = {releases[one] for one in cards.releases_for_cards(session, releases)}
    found["tags"] = {one for one, tags in cards.tags_of(session, every).items() if tags}
    return found


def test_threads_of_many_viewers_each_see_their_own(filled: Database) -> None:
    """With threads that change after every few instructions, and viewers that change within a transaction too."""

    def look(seed: int) -> list[str]:
        draw, wrong = random.Random(seed), []
        for _ in range(6):
            first, second = draw.choices(list(SEEN), k=2)
            with filled.reading(sees=first) as session:
                for viewer in (first, second, first):
                    with seeing(session, viewer):
                        found = seen_by_kept_statements(session)
                    wrong += [f"{name} of {viewer}: {got}" for name, got in found.items() if got != SEEN[viewer]]
        return wrong

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert [one for wrong in threads.map(look, range(4)) for one in wrong] == []
    finally:
        sys.setswitchinterval(before)


def test_what_is_kept_of_statements_goes_with_them(filled: Database) -> None:
    def ask(session: Session, number: int) -> None:
        inner = select(PackageRow.id).where(PackageRow.owner != str(number)).subquery()
        session.scalars(select(PackageRow).from_statement(select(PackageRow).limit(number))).all()
        session.scalars(union(select(PackageRow.id), select(ReleaseRow.package_id)).limit(number)).all()
        session.scalar(select(func.count()).select_from(inner))
        session.get(PackageRow, f"none/{number}")
        session.scalars(select(PackageChangeRow.position).limit(number)).all()  # never private

    with filled.reading() as session:
        seen_by_kept_statements(session)
        gc.collect()
        before = len(_PUBLIC)
        for number in range(40):
            ask(session, number)
        gc.collect()
        assert len(_PUBLIC) - before <= 10
