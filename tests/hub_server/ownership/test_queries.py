"""What others have built on a release is counted, the owners' own left out; on both databases."""

from sqlalchemy import select

from hub_server.catalog.models import ReleaseRow
from hub_server.database.engine import Database
from hub_server.database.visibility import EVERYTHING
from hub_server.ownership import queries
from hub_server.ownership.rules import Uses
from tests.making.hub import Api, make_package

PIN = {"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:" + "0" * 64}
WRONG = {"id": "c1", "task": {"id": "t", "prompt": "?", "answer": 4}, "response": "five", "label": "incorrect"}


def uses(database: Database, version: str = "1.0.0") -> Uses:
    with database.reading(sees=EVERYTHING) as session:
        row = session.scalars(select(ReleaseRow).where(ReleaseRow.version == version)).one()
        return queries.uses_of(session, row, {"alice"})


def test_only_what_others_have_built_counts(alice: Api, bob: Api, database: Database) -> None:
    for version in ("1.0.0", "1.1.0"):
        assert alice.publish(make_package(version=version)).status_code == 201
    run = {"name": "r", "kind": "training", "model": "m", "packages": [PIN]}
    assert alice.post("/api/v1/runs", json=run).status_code == 201
    assert alice.post("/api/v1/packages/alice/small-sums/releases/1.0.0/cases", json=WRONG).status_code < 300
    assert uses(database) == Uses()
    assert bob.post("/api/v1/runs", json=run | {"is_private": True}).status_code == 201
    other = WRONG | {"response": "six"}
    assert bob.post("/api/v1/packages/alice/small-sums/releases/1.0.0/cases", json=other).status_code < 300
    assert uses(database) == Uses(runs=1, cases=1)
    assert uses(database, "1.1.0") == Uses(), "another release"
