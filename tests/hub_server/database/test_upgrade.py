"""A hub that was filled by version 0.2.0 goes on under this version: every row, every byte, every password.

``hub_0_2_0.tar.gz`` is its database and blobs: an account, two packages with three releases (two measured), a run with
metrics and rollouts, and jobs that waited. It was made by the tests' own catalogue at the last commit of that version.
"""

import tarfile
from pathlib import Path

import pytest
from sqlalchemy import text

from hub_server.app import create_app
from hub_server.database.schema_steps import upgrade
from hub_server.kernel.services import Services
from hub_server.publishing.actions import check_bytes, enter_missing_releases
from schemas.names import digest_of
from tests.making.catalogue import make_services
from tests.making.hub import PASSWORD, Api, make_package, run_jobs

HELD = Path(__file__).with_name("hub_0_2_0.tar.gz")
KEPT = (
    "accounts",
    "packages",
    "releases",
    "release_files",
    "audits",
    "runs",
    "metric_points",
    "rollouts",
    "jobs",
    "tokens",
)
PACKAGE = "/api/v1/packages/alice/small-sums"


@pytest.fixture
def upgraded(tmp_path: Path) -> Services:
    with tarfile.open(HELD) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 of Debian 12 has none
        archive.extractall(tmp_path)
    services = make_services(tmp_path)
    with services.database.engine.connect() as connection:
        before = counts(connection)
    upgrade(services.database)
    with services.database.engine.connect() as connection:
        assert counts(connection) == before
    yield services
    services.close()


def counts(connection) -> dict[str, int]:
    return {table: connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() for table in KEPT}


def test_nothing_is_lost_and_the_database_is_sound(upgraded: Services) -> None:
    assert upgraded.database.faults() == []
    assert list(check_bytes(upgraded)) == []
    assert enter_missing_releases(upgraded) == 3  # the journal knows what was published before it
    assert enter_missing_releases(upgraded) == 0


def test_what_was_published_is_read_by_its_old_addresses(upgraded: Services) -> None:
    api = Api(create_app(upgraded))
    release = api.get(f"{PACKAGE}/releases/1.1.0").json()
    assert digest_of(api.get(f"{PACKAGE}/releases/1.1.0/wheel").content) == release["digest"]
    card = api.get(PACKAGE).json()["card"]
    assert (card["latest"], card["visibility"], card["audit_state"]) == ("1.1.0", "public", "done")
    assert card["audit"]["case_count"] > 0
    [run] = api.get("/api/v1/runs").json()["items"]
    assert run["is_private"] is False
    assert len(api.get(f"/api/v1/runs/{run['id']}/metrics").json()["items"]) == 81
    assert "alice/small-sums" in [one["id"] for one in api.get("/api/v1/packages?q=sums").json()["items"]]
    pages = ("/", "/packages", "/packages/alice/small-sums", "/packages/alice/small-sums/releases/1.1.0/audit", "/runs")
    for page in (*pages, f"/runs/{run['id']}", "/owners/alice", "/packages/alice/small-sums/releases/1.0.0/code"):
        assert api.get(page, headers={"Accept": "text/html"}).status_code == 200, page


def test_its_people_log_in_publish_and_are_measured(upgraded: Services) -> None:
    api = Api(create_app(upgraded))
    answer = api.post("/api/v1/sudo", json={"name": "alice", "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    alice = api.as_token(answer.json()["secret"])
    assert alice.publish(make_package(version="2.0.0")).status_code == 201
    upgraded.clock.advance(3600)  # type: ignore[attr-defined]
    assert run_jobs(upgraded) > 1  # the waiting jobs of the old version, and the new audit
    assert api.get(f"{PACKAGE}/releases/2.0.0").json()["audit"]["version"] == "2.0.0"
