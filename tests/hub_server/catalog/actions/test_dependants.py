"""Which packages need a package."""

from typing import Any

from sqlalchemy import event

from hub_server.catalog.queries import packages as queries
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api, make_package

NEEDS = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice/small-sums@1.0.0"
"""
BENCH = 'format = 1\nid = "alice/small-sums"\nkind = "benchmark"\nenvironments = ["alice/small-sums@1.0.0"]\nsplit = "train"\n'
PATH = "/api/v1/packages/alice/small-sums/dependants"


def test_dependants_come_by_id_page_by_page_and_by_kind(alice: Api) -> None:
    wheels = [make_package(), make_package("alice/user", manifest=NEEDS), make_package("alice/bench", manifest=BENCH)]
    for wheel in wheels:
        assert alice.publish(wheel).status_code == 201
    first = alice.get(f"{PATH}?limit=1").json()
    second = alice.get(f"{PATH}?limit=1&cursor={first['next']}").json()
    assert [one["id"] for one in first["items"] + second["items"]] == ["alice/bench", "alice/user"]
    assert second["next"] is None
    assert [one["id"] for one in alice.get(f"{PATH}?kind=benchmark").json()["items"]] == ["alice/bench"]
    assert alice.get("/api/v1/packages/alice/none/dependants").status_code == 404


def test_a_private_dependant_is_neither_listed_nor_counted_but_for_its_owner(alice: Api) -> None:
    assert alice.publish(make_package()).status_code == 201
    private = make_package("alice/user", manifest=NEEDS)
    assert alice.post("/api/v1/packages?visibility=private", content=private).status_code == 201
    page = "/packages/alice/small-sums/used-by"
    anyone = alice.as_token(None)
    assert anyone.get(PATH).json()["items"] == []
    assert "alice/user" not in anyone.get(page, headers={"accept": "text/html"}).text
    assert [one["id"] for one in alice.get(PATH).json()["items"]] == ["alice/user"]


def test_dependants_are_found_by_what_refers_to_the_package_and_not_by_reading_all_packages(
    driver: ActionDriver,
) -> None:
    plans: list[str] = []
    engine = driver.services.database.engine

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "FROM packages" in statement and not statement.startswith("EXPLAIN"):
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.append(str([row[3] for row in cursor.fetchall()]))

    event.listen(engine, "before_cursor_execute", explain)
    try:
        with driver.reading() as work:
            queries.page_of_dependants(work.session, "alice/small-sums", ["environment", "tool"], "a", 21)
            queries.count_dependants(work.session, "alice/small-sums")
    finally:
        event.remove(engine, "before_cursor_execute", explain)
    assert len(plans) == 2
    for plan in plans:
        assert "SEARCH release_needs USING INDEX ix_release_needs_package_id" in plan
        assert "SCAN packages" not in plan
        assert "kind_downloads" not in plan
