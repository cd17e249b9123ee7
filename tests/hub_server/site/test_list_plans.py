"""No list of the hub reads a whole table, or sorts one, by SQLite's own plan: what it costs does not grow with the hub.

SQLite plans without knowing how many rows there are, so a small hub shows how a large one is read.
"""

from typing import Any

import pytest
from sqlalchemy import event

from hub_server.database.engine import Database
from tests.making.hub import Api

PACKAGE = "alice/small-sums"
OF_A_PACKAGE = (
    "audits",
    "cases",
    "cases?state=fixed",
    "dependants",
    "discussions?state=open",
    "releases",
    "releases/1.1.0",
)
SORTS = ("relevance", "updated", "newest", "downloads", "trending", "error", "name")
PATHS = (
    "/", "/benchmarks", "/collections", "/compare", "/label", "/owners/alice", "/packages?q=sums", "/simple/",
    f"/packages/{PACKAGE}", f"/packages/{PACKAGE}/used-by", "/feeds/releases.atom", "/feeds/owners/alice.atom",
    "/api/v1/collections?owner=alice", f"/api/v1/collections?package={PACKAGE}", "/api/v1/events",
    "/api/v1/label/questions", f"/api/v1/label/questions?package={PACKAGE}",
    *(f"/packages?sort={sort}{more}" for sort in SORTS for more in ("", "&kind=tool", "&kind=tool&kind=suite")),
    *(f"/api/v1/packages/{PACKAGE}/{each}" for each in OF_A_PACKAGE),
    *(f"/api/v1/runs?{each}" for each in (
        "", "owner=alice", "model=small", "kind=training", "state=running", f"package={PACKAGE}", "sort=reward",
    )),
)  # fmt: skip
FEW = ("signing_keys", "subquery", "anon_", "CONSTANT", "json_each")
"""Tables of a handful of rows, and what is no table."""


@pytest.mark.parametrize("path", PATHS)
def test_a_list_is_read_by_an_index_and_in_its_order(catalogue: Api, database: Database, path: str) -> None:
    plans: dict[str, list[str]] = {}

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans[statement] = [row[-1] for row in cursor.fetchall()]

    event.listen(database.engine, "before_cursor_execute", explain)
    try:
        answer = catalogue.get(path)
    finally:
        event.remove(database.engine, "before_cursor_execute", explain)
    assert answer.status_code == 200, answer.text
    assert plans
    for statement, plan in plans.items():
        scans = [step for step in plan if step.startswith("SCAN") and not any(few in step for few in FEW)]
        assert all("USING" in step for step in scans), f"{statement}\n{plan}"
        assert not scans or not any("ORDER BY" in step for step in plan), f"{statement}\n{plan}"


def test_a_page_far_behind_begins_where_the_page_before_ended(catalogue: Api, database: Database) -> None:
    """Every page before it was read too."""
    more = catalogue.get("/api/v1/packages?sort=downloads&limit=1").json()["next"]
    plans: list[str] = []

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("SELECT packages.") and "LIMIT" in statement:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.append(str([row[-1] for row in cursor.fetchall()]))

    event.listen(database.engine, "before_cursor_execute", explain)
    try:
        answer = catalogue.get(f"/api/v1/packages?sort=downloads&limit=1&cursor={more}")
    finally:
        event.remove(database.engine, "before_cursor_execute", explain)
    assert answer.json()["items"]
    assert any("SEARCH packages USING INDEX ix_packages_downloads_id (downloads<?)" in plan for plan in plans), plans
