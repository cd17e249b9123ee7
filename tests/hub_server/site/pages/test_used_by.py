"""What uses a package: packages, lists that name it, and runs."""

import pytest
from sqlalchemy import event

from hub_server.catalog.actions import dependants
from hub_server.kernel.services import Services
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package
from tests.making.wheel import MANIFEST

PACKAGE = "/packages/alice/small-sums"
USED = f"{PACKAGE}/used-by"
NEEDS = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice/small-sums@1.0.0"
"""
BENCHMARK = """\
format = 1
id = "alice/bench"
kind = "benchmark"
environments = ["alice/small-sums@1.0.0"]
split = "train"
"""


def _user(package: str) -> bytes:
    """An environment that is judged by alice/small-sums."""
    return make_package(package, manifest=NEEDS)


def _publish_users(hub: Api, count: int = 1) -> None:
    bench = make_package("alice/bench", manifest=BENCHMARK)
    assert hub.publish(bench).status_code == 201
    for i in range(count):
        answer = hub.publish(_user(f"alice/user{i}"))
        assert answer.status_code == 201, answer.text


def test_a_package_lists_the_runs_that_pinned_it(reader: Browser, catalogue: Api) -> None:
    assert "alice/grpo-fractions-14" in reader.get(USED).text
    page = reader.get("/packages/alice/unmeasured/used-by")
    assert "No run on this hub has used it yet" in page.text
    assert page.text.count("None on this hub.") == 2


def test_packages_and_lists_that_need_it_are_told_apart_and_counted(reader: Browser, catalogue: Api) -> None:
    _publish_users(catalogue)
    page = reader.get(USED)
    assert "Packages that depend on it 1" in page.text
    assert "suites and recipes that name it 1" in page.text
    assert "Runs that pinned it 1" in page.text
    assert (
        page.html.index("/packages/alice/user0")
        < page.html.index('id="lists"')
        < page.html.index("/packages/alice/bench")
    )
    items = catalogue.get(f"/api/v1{PACKAGE}/dependants").json()["items"]
    assert [one["id"] for one in items] == ["alice/bench", "alice/user0"]
    assert [one["id"] for one in catalogue.get(f"/api/v1{PACKAGE}/dependants?kind=benchmark").json()["items"]] == [
        "alice/bench"
    ]


def test_a_private_dependant_is_neither_listed_nor_counted_for_others(reader: Browser, catalogue: Api) -> None:
    wheel = _user("alice/secret-user")
    assert catalogue.post("/api/v1/packages?visibility=private", content=wheel).status_code == 201
    page = reader.get(USED)
    assert "secret-user" not in page.html
    assert "Packages that depend on it 0" in page.text
    assert "secret-user" in catalogue.get(f"/api/v1{PACKAGE}/dependants").text


def test_what_needs_it_no_more_is_left_out(reader: Browser, catalogue: Api) -> None:
    _publish_users(catalogue)
    newer = make_package("alice/user0", version="2.0.0", manifest=MANIFEST)
    assert catalogue.publish(newer).status_code == 201
    assert "alice/user0" not in reader.get(USED).html


def test_lists_are_paged_and_cost_as_many_statements_whatever_their_length(
    reader: Browser, catalogue: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependants, "PAGE", 2)
    costs = []
    for count in (1, 3):
        for i in range(count):
            catalogue.publish(_user(f"alice/user{i}"))
        sent: list[str] = []

        def note(_connection, _cursor, statement, *_rest, sent=sent) -> None:
            sent.append(statement)

        event.listen(services.database.engine, "before_cursor_execute", note)
        try:
            page = reader.get(USED)
        finally:
            event.remove(services.database.engine, "before_cursor_execute", note)
        costs.append(len(sent))
    assert costs[0] == costs[1]
    assert "Packages that depend on it 3" in page.text
    (more,) = [a["href"] for a in page.all("a") if a.get("rel") == "next"]
    second = reader.get(more.partition("#")[0])
    assert "alice/user2" in second.html
    assert "alice/user0" not in second.html
    assert reader.get(f"{USED}?packages=nonsense").status == 422
