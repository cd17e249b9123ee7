"""An account with many cases is hidden in steps: no transaction grows with what it has said."""

from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from hub_server.audits.actions import hidden_accounts, seconders, standing
from hub_server.kernel.services import Services
from tests.fakes.clock import FakeClock
from tests.hub_server.audits.test_hidden_disputers import PACKAGE, hide, moda, show_again, sock
from tests.making.hub import Api, run_jobs

assert moda is not None, "the fixture, for this file too"
assert sock is not None, "the fixture, for this file too"


@pytest.fixture(autouse=True)
def all_have_standing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (seconders, standing):
        monkeypatch.setattr(module, "points", lambda *_: 99)


@pytest.fixture(autouse=True)
def two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden_accounts, "_AT_ONCE", 2)


def counting(bob: Api, sock: Api, dora: Api, many: int, first: int = 0) -> list[str]:
    """Cases of bob that count by the word of sock and dora."""
    paths = []
    for number in range(first, first + many):
        case = {"id": "x", "task": {"id": "t", "prompt": "1+1", "answer": 2}, "response": f"{number + 3}"}
        answer = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json={**case, "label": "correct"})
        assert answer.status_code == 201, answer.text
        paths.append(f"{PACKAGE}/cases/{answer.json()['id']}")
        dora.post(f"{paths[-1]}/second")
        assert sock.post(f"{paths[-1]}/second").json()["counted_by"] == "standing"
    return paths


def words(bob: Api, paths: list[str]) -> list[str]:
    return [bob.get(path).json()["counted_by"] for path in paths]


def settled(services: Services, clock: FakeClock) -> None:
    clock.advance(5)
    run_jobs(services)


def test_the_first_are_changed_at_once_and_the_others_by_jobs(
    sock: Api, bob: Api, moda: Api, api: Api, services: Services, clock: FakeClock
) -> None:
    paths = counting(bob, sock, api.sign_up("dora"), 5)
    settled(services, clock)
    hide(moda, "sock")
    assert words(bob, paths) == ["", "", "standing", "standing", "standing"]
    settled(services, clock)
    assert words(bob, paths) == [""] * 5
    show_again(moda, "sock")
    assert words(bob, paths) == ["standing", "standing", "", "", ""]
    settled(services, clock)
    assert words(bob, paths) == ["standing"] * 5


def test_who_is_shown_before_the_jobs_ran_is_shown_in_all(
    sock: Api, bob: Api, moda: Api, api: Api, services: Services, clock: FakeClock
) -> None:
    paths = counting(bob, sock, api.sign_up("dora"), 5)
    settled(services, clock)
    hide(moda, "sock")
    show_again(moda, "sock")
    settled(services, clock)
    assert words(bob, paths) == ["standing"] * 5
    hide(moda, "sock")
    show_again(moda, "sock")
    hide(moda, "sock")
    settled(services, clock)
    assert words(bob, paths) == [""] * 5


@contextmanager
def sent(services: Services) -> Any:
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        found.append(statement)

    engine = services.database.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_a_moderator_waits_as_long_for_many_cases_as_for_a_few(
    sock: Api, bob: Api, moda: Api, api: Api, services: Services, clock: FakeClock
) -> None:
    """Each case took dozens of statements, in one transaction; and every history of the hub was read."""
    dora = api.sign_up("dora")
    counting(bob, sock, dora, 3)
    settled(services, clock)
    with sent(services) as few:
        hide(moda, "sock")
    settled(services, clock)
    show_again(moda, "sock")
    settled(services, clock)
    counting(bob, sock, dora, 6, first=3)
    settled(services, clock)
    with sent(services) as many:
        hide(moda, "sock")
    assert len(many) <= len(few)
    assert not any("LIKE" in one and "counter_examples" in one for one in many)
