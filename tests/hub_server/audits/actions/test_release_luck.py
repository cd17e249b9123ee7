"""Publishing again until the drawn cases are easy: the grade takes surer evidence after each worse one."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
from sqlalchemy import text

from hub_server.audits import actions
from hub_server.audits.queries import draws as draw_queries
from hub_server.catalog.actions import get_release
from hub_server.database.visibility import EVERYTHING, seeing
from hub_server.kernel.services import Services
from hub_server.moderation.actions import take_down_release
from schemas.evidence.rates import Grade, Grading
from tests.hub_server.audits.actions.test_audit_runs import release_id
from tests.hub_server.audits.judged import MODA, SUMS, publish
from tests.making.action_driver import ActionDriver, person
from tests.making.engines import INTERLEAVING
from tests.making.reports import make_report


def graded(
    driver: ActionDriver, version: str, *, is_hollow: bool = False, audit: str = "", package: str = SUMS, **counts: int
) -> tuple[Grade, list[str]]:
    found = make_report(**counts)
    grading = Grading(is_hollow=is_hollow, reads=found.overall)
    release = driver.ask(None, get_release, package, version)
    changed = make_report(
        subject=f"{package}@{version}", digest=release.digest, grade=found.grade, overall=found.overall, grading=grading
    )
    ((identifier,),) = driver.rows(
        "SELECT id FROM releases WHERE package_id = :p AND version = :v", p=package, v=version
    )
    name = audit or f"a-{package}-{version}"
    driver.do(None, actions.start_audit, name, identifier)
    driver.do(None, actions.finish_audit, name, changed)
    summary = driver.ask(None, get_release, package, version).audit
    assert summary is not None
    return summary.grade, summary.needs


CODE = """
import re

LIMIT = 40


def verify(task, response):
    \"\"\"The last number of the response, where it is not too long, is the answer.\"\"\"
    numbers = re.findall(r"-?[0-9]+", response or "")
    wanted = str(task.get("answer"))
    if not numbers or len(numbers) > LIMIT:
        return {"correct": 0.0}
    for word in ("not", "never", "maybe", "either", "unless"):
        if word in (response or "").lower().split():
            return {"correct": 0.0}
    found = numbers[-1].lstrip("0") or "0"
    return {"correct": 1.0 if found == wanted else 0.0, "length": float(len(response or ""))}
"""
TOUCHED_UP = CODE.replace("wanted", "gold").replace("LIMIT = 40", "LIMIT = 41") + "\n# another comment\n"
WITH_DEAD_CODE = (
    CODE.replace("LIMIT = 40", "LIMIT = 41").replace('"unless"', '"if"')
    + '''

def spare(rows, most):
    """Called by nobody."""
    kept = {}
    for place, row in enumerate(rows):
        if place > most and row not in kept.values():
            kept[place] = [part.strip() for part in row.split(";") if part]
    while len(kept) > most:
        kept.popitem()
    return kept
'''
)
OTHER = """
import json


def verify(task, response):
    try:
        value = json.loads(response or "")
    except ValueError:
        return {"correct": 0.0}
    keys = sorted(value) if isinstance(value, dict) else []
    for key, gold in zip(keys, task.get("answer", []), strict=False):
        if value[key] != gold or isinstance(value[key], bool) != isinstance(gold, bool):
            return {"correct": 0.0}
    return {"correct": float(len(keys) == len(task.get("answer", [])))}
"""


def test_a_second_draw_must_be_surer_than_the_first(hedging: ActionDriver) -> None:
    assert graded(hedging, "1.0.0", tp=200, tn=200, fp=4)[0] is Grade.C
    publish(hedging, "1.1.0")
    letter, needs = graded(hedging, "1.1.0", tp=130, tn=130)
    assert letter is Grade.C
    assert "1 earlier release of this package or its code had a worse grade" in needs[-1]
    publish(hedging, "1.2.0")
    assert graded(hedging, "1.2.0", tp=200, tn=200) == (Grade.B, [])


def test_of_two_that_are_published_at_once_the_newer_is_measured_first(hedging: ActionDriver) -> None:
    """It had no earlier measured release, and the older one no earlier published one: both were first tries."""
    publish(hedging, "1.1.0")
    assert graded(hedging, "1.1.0", tp=200, tn=200, fp=4)[0] is Grade.C
    hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    letter, needs = graded(hedging, "1.0.0", tp=130, tn=130)
    assert letter is Grade.C
    assert "1 earlier release" in needs[-1]


def test_a_release_that_is_measured_again_is_not_judged_after_its_successors(hedging: ActionDriver) -> None:
    assert graded(hedging, "1.0.0", tp=130, tn=130)[0] is Grade.B
    hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    publish(hedging, "1.1.0")
    assert graded(hedging, "1.1.0", tp=200, tn=200, fp=4)[0] is Grade.C
    hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    assert graded(hedging, "1.0.0", audit="a-again", tp=130, tn=130) == (Grade.B, [])


@pytest.mark.parametrize(
    ("package", "code", "is_try"),
    [
        ("alice/other-name", CODE, True),
        ("alice/other-name", TOUCHED_UP, True),
        ("alice/other-name", WITH_DEAD_CODE, True),
        ("alice/other-name", OTHER, False),
        ("bob/other-name", CODE, True),
        ("bob/other-name", TOUCHED_UP, False),
    ],
)
def test_the_same_code_under_another_name_is_one_more_try(
    hedging: ActionDriver, package: str, code: str, is_try: bool
) -> None:
    """It drew anew as often as its owner found a name. Nearly the same code of a stranger is another verifier."""
    hedging.publish(person("alice"), "alice/first-name", code=CODE)
    assert graded(hedging, "1.0.0", package="alice/first-name", tp=200, tn=200, fp=4)[0] is Grade.C
    hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    hedging.publish(person(package.partition("/")[0]), package, code=code)
    letter, needs = graded(hedging, "1.0.0", package=package, tp=130, tn=130)
    assert letter is (Grade.C if is_try else Grade.B)
    assert bool(needs) is is_try


def test_what_another_member_published_in_ones_organisation_is_a_try(hedging: ActionDriver) -> None:
    hedging.person("dora")
    hedging.person("erik")
    hedging.organization("lab", dora="member", erik="owner")
    erik = person("erik", organizations=frozenset({"lab"}), maintained=frozenset({"lab"}))
    hedging.publish(erik, "lab/first", code=CODE)
    assert graded(hedging, "1.0.0", package="lab/first", tp=200, tn=200, fp=4)[0] is Grade.C
    hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    hedging.publish(person("dora"), "dora/own", code=TOUCHED_UP)
    assert graded(hedging, "1.0.0", package="dora/own", tp=130, tn=130)[0] is Grade.C


def test_copies_by_strangers_of_what_was_there_before_take_nothing_from_it(hedging: ActionDriver) -> None:
    """They cost nothing, and settings are no code: each is made to fail. Theirs are tries for whoever copies next."""
    hedging.publish(person("alice"), "alice/own", code=CODE)
    assert graded(hedging, "1.0.0", package="alice/own", tp=130, tn=130)[0] is Grade.B
    for number in range(3):
        hedging.services.clock.advance(60)  # type: ignore[attr-defined]
        hedging.publish(person("bob"), f"bob/copy-{number}", code=CODE)
        graded(hedging, "1.0.0", package=f"bob/copy-{number}", tp=200, tn=200, fp=200)
    hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    hedging.publish(person("alice"), "alice/own", "1.0.1", code=CODE)
    assert graded(hedging, "1.0.1", package="alice/own", tp=130, tn=130) == (Grade.B, [])
    hedging.publish(person("alice"), "alice/second-name", code=CODE)
    assert graded(hedging, "1.0.0", package="alice/second-name", tp=130, tn=130) == (Grade.B, [])
    hedging.publish(person("carol"), "carol/late", code=CODE)
    assert graded(hedging, "1.0.0", package="carol/late", tp=130, tn=130)[0] is not Grade.B


@pytest.mark.parametrize("package", [SUMS, "alice/other-name"])
def test_a_release_that_is_taken_down_stays_a_try(hedging: ActionDriver, package: str) -> None:
    """Its words, files and reports go. Its letter stays, with a digest of its code from which nothing can be read."""
    hedging.publish(person("alice"), SUMS, "1.1.0", code=CODE)
    assert graded(hedging, "1.1.0", tp=200, tn=200, fp=4)[0] is Grade.C
    hedging.do(MODA, take_down_release, SUMS, "1.1.0", "a court said so")
    hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    hedging.publish(person("alice"), package, "1.2.0", code=CODE)
    assert graded(hedging, "1.2.0", package=package, tp=130, tn=130)[0] is Grade.C


def test_twenty_names_win_no_more_than_twenty_releases(hedging: ActionDriver) -> None:
    """Each draw would have been a B by itself but the first; after k names it must be as sure as after k releases."""
    letters = []
    for number in range(4):
        package = f"alice/name-{number}"
        hedging.publish(person("alice"), package, code=CODE)
        counts = {"tp": 200, "tn": 200, "fp": 4} if number < 3 else {"tp": 150, "tn": 150}
        letters.append(graded(hedging, "1.0.0", package=package, **counts)[0])
        hedging.services.clock.advance(60)  # type: ignore[attr-defined]
    assert letters == [Grade.C, Grade.C, Grade.C, Grade.C]
    assert graded(hedging, "1.0.0", package="alice/name-3", audit="again", tp=300, tn=300)[0] is Grade.B


def test_what_is_drawn_in_private_says_nothing_of_the_draws_in_public(hedging: ActionDriver) -> None:
    """Tries in private are forgotten when a package is made public: a lucky draw would have been kept."""
    plans, identifier = [], release_id(hedging)
    for name, is_private in (("p1", True), ("p2", True), ("p3", False)):
        with hedging.writing() as work, seeing(work.session, EVERYTHING):
            work.session.execute(text("UPDATE packages SET is_private = :p"), {"p": is_private})
            plan = actions.start_audit(work, name, identifier)
        assert plan is not None
        plans.append(plan.probe_seed)
    assert plans[0] == plans[1] != plans[2]


@pytest.mark.parametrize("first", [{"tp": 3, "tn": 3}, {"tp": 200, "tn": 200, "fp": 4, "is_hollow": True}])
def test_what_drew_no_cases_is_no_try(hedging: ActionDriver, first: dict[str, int]) -> None:
    graded(hedging, "1.0.0", **first)
    publish(hedging, "1.1.0")
    assert graded(hedging, "1.1.0", tp=130, tn=130) == (Grade.B, [])


@INTERLEAVING
def test_of_two_whose_audits_end_at_once_the_second_is_a_second_try(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each saw no earlier draw: as many first tries as the hub has workers."""
    hub = publish(ActionDriver(services))
    for name in ("alice/one", "alice/two"):
        hub.publish(person("alice"), name, code=CODE)
    real, begun = draw_queries.draws_near, list[Future[tuple[Grade, list[str]]]]()

    def looking(*arguments: Any) -> Any:
        found = real(*arguments)
        if not begun:  # the first has looked and has not kept its letter
            begun.append(pool.submit(graded, hub, "1.0.0", package="alice/two", tp=130, tn=130))
            wait(begun, timeout=1.0)
        return found

    monkeypatch.setattr(draw_queries, "draws_near", looking)
    with ThreadPoolExecutor(1) as pool:
        assert graded(hub, "1.0.0", package="alice/one", tp=200, tn=200, fp=4)[0] is Grade.C
        assert begun[0].result(60)[0] is Grade.C
