"""Two reports of one account, or a report and its decision, that come at the same time: nothing is lost or doubled."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace

import pytest

from hub_server.collections.actions import write_collection
from hub_server.kernel.services import Services
from hub_server.moderation import actions, queries
from hub_server.moderation.errors import TooManyReportsError
from schemas.collections import CollectionWrite
from schemas.moderation import CollectionReportCreate, OwnerReportCreate, Report, ReportCreate, ReportDecision
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.engines import INTERLEAVING

ALICE, BOB, MODA = caller("alice"), caller("bob"), person("moda", is_moderator=True)
DISMISSED = ReportDecision(state="dismissed", decision="it is well")
Act = Callable[[], object]


@pytest.fixture
def hub(services: Services) -> ActionDriver:
    driver = ActionDriver(services)
    for name in ("alice", "bob", "moda"):
        driver.person(name)
    return driver


def owner(hub: ActionDriver, text: str = "first", name: str = "alice") -> Report:
    return hub.do(BOB, actions.report_owner, name, OwnerReportCreate(reason="spam", text=text))


def package(hub: ActionDriver, text: str = "first") -> Report:
    return hub.do(BOB, actions.report_package, "alice/small-sums", ReportCreate(reason="spam", text=text))


def collection(hub: ActionDriver, text: str = "first") -> Report:
    return hub.do(BOB, actions.report_collection, "alice", "ones", CollectionReportCreate(reason="spam", text=text))


def meanwhile(monkeypatch: pytest.MonkeyPatch, first: Act, second: Act) -> None:
    """``second`` begins when ``first`` has looked for an open report and has not written yet."""
    real, begun = queries.find_open_report, list[Future[object]]()

    def looking(*arguments: object, **more: object) -> object:
        found = real(*arguments, **more)  # type: ignore[arg-type]
        if not begun:
            begun.append(pool.submit(second))
            wait(begun, timeout=0.3)
        return found

    monkeypatch.setattr(queries, "find_open_report", looking)
    with ThreadPoolExecutor(1) as pool:
        first()
        begun[0].result(60)


@INTERLEAVING
@pytest.mark.parametrize("report", [owner, package, collection])
def test_of_two_first_reports_at_once_the_second_joins_the_first(
    hub: ActionDriver, monkeypatch: pytest.MonkeyPatch, report: Callable[..., Report]
) -> None:
    hub.publish(ALICE)
    hub.do(ALICE, write_collection, "alice", "ones", CollectionWrite(title="Ones", visibility="public"))
    meanwhile(monkeypatch, lambda: report(hub), lambda: report(hub, "second"))
    assert hub.rows("SELECT text FROM reports") == [("first\n\nsecond",)]


@INTERLEAVING
def test_of_two_that_add_to_one_report_at_once_both_stay(hub: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    owner(hub)
    meanwhile(monkeypatch, lambda: owner(hub, "second"), lambda: owner(hub, "third"))
    assert hub.rows("SELECT text FROM reports") == [("first\n\nsecond\n\nthird",)]


@INTERLEAVING
def test_what_is_added_while_a_moderator_decides_is_read_by_the_moderator_or_stays_open(
    hub: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it is in a report that has ended, and nobody ever sees it."""
    sent = owner(hub)
    real, begun = queries.lock_report, list[Future[object]]()

    def looking(*arguments: object, **more: object) -> object:
        found = real(*arguments, **more)  # type: ignore[arg-type]
        if not begun:
            begun.append(pool.submit(owner, hub, "and it is worse"))
            wait(begun, timeout=0.3)
        return found

    monkeypatch.setattr(queries, "lock_report", looking)
    with ThreadPoolExecutor(1) as pool:
        hub.do(MODA, actions.decide_report, sent.id, DISMISSED)
        begun[0].result(60)
    assert hub.rows("SELECT state, text FROM reports ORDER BY state") == [
        ("dismissed", "first"),
        ("open", "and it is worse"),
    ]


@INTERLEAVING
def test_reports_at_once_do_not_exceed_what_one_account_may_have(
    hub: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = hub.services.settings.limits.model_copy(update={"open_reports": 1})
    hub.services = replace(hub.services, settings=hub.services.settings.model_copy(update={"limits": limits}))

    def refused() -> None:
        with pytest.raises(TooManyReportsError):
            owner(hub, name="moda")

    meanwhile(monkeypatch, lambda: owner(hub), refused)
    assert hub.rows("SELECT account FROM reports") == [("alice",)]
