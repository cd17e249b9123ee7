"""What a hidden account labelled: its word is taken out of the cases that people agreed on, and comes back with it."""

import pytest

from hub_server.audits.actions import seconders, standing
from hub_server.kernel.services import Services
from tests.fakes.clock import FakeClock
from tests.hub_server.audits.test_hidden_disputers import hide, moda, show_again
from tests.hub_server.audits.test_labelling import PACKAGE, give, hub, queue
from tests.making.hub import Api, run_jobs

assert hub is not None, "the fixture, for this file too"
assert moda is not None, "the fixture, for this file too"
ABUSE = "a note of abuse"


@pytest.fixture
def with_standing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Who has standing."""
    names = {"bob", "carol", "dora", "sock"}
    for module in (seconders, standing):
        monkeypatch.setattr(module, "points", lambda _, name: 99 if name in names else 0)
    return names


def settle(hub: Api, *people: str) -> str:
    """The address of the case on which these people agree, in that order."""
    question = queue(hub)[1]
    for name in people[:-1]:
        give(person(hub, name), question, "correct", ABUSE if name == "sock" else f"{name} is sure")
    last = give(person(hub, people[-1]), question, "correct", ABUSE if people[-1] == "sock" else "")
    assert last["state"] == "settled"
    return f"{PACKAGE}/cases/{last['case_id']}"


def person(hub: Api, name: str) -> Api:
    return hub.as_token(None).sign_up(name)


@pytest.mark.usefixtures("with_standing")
def test_a_case_that_counts_by_a_hidden_accounts_label_counts_no_more_until_it_is_back(
    hub: Api, moda: Api, services: Services, clock: FakeClock
) -> None:
    """Two of standing agreed. With one of them hidden the case went on counting, for ever."""
    path = settle(hub, "sock", "carol")
    assert hub.get(path).json()["counted_by"] == "labels"
    clock.advance(10)
    run_jobs(services)
    assert counted_false_negatives(hub) == 1
    hide(moda, "sock")
    assert hub.get(path).json()["counted_by"] == ""
    clock.advance(10)
    run_jobs(services)
    assert counted_false_negatives(hub) == 0, "the release was measured anew"
    show_again(moda, "sock")
    assert hub.get(path).json()["counted_by"] == "labels"
    clock.advance(10)
    run_jobs(services)
    assert counted_false_negatives(hub) == 1


def counted_false_negatives(hub: Api) -> int:
    newest = hub.get(f"{PACKAGE}/releases/1.1.0/audits").json()["items"][0]
    return int(newest["report"]["overall"]["fn"])


@pytest.mark.usefixtures("with_standing")
def test_a_case_on_which_enough_others_agree_goes_on_counting(hub: Api, moda: Api) -> None:
    question = queue(hub)[1]
    path = settle(hub, "sock", "carol")
    give(person(hub, "dora"), question, "correct")
    hide(moda, "sock")
    assert hub.get(path).json()["counted_by"] == "labels"


@pytest.mark.usefixtures("with_standing")
def test_who_said_otherwise_takes_nothing_away(hub: Api, moda: Api) -> None:
    question = queue(hub)[1]
    path = settle(hub, "bob", "carol")
    give(person(hub, "sock"), question, "incorrect")
    hide(moda, "sock")
    assert hub.get(path).json()["counted_by"] == "labels"


@pytest.mark.usefixtures("with_standing")
def test_what_others_seconded_counts_by_their_word_then(hub: Api, alice: Api, moda: Api) -> None:
    path = settle(hub, "sock", "carol")
    alice.post(f"{path}/second")
    hide(moda, "sock")
    assert hub.get(path).json()["counted_by"] == "owner"
    show_again(moda, "sock")
    assert hub.get(path).json()["counted_by"] == "labels"


@pytest.mark.usefixtures("with_standing")
def test_two_who_seconded_let_it_count_when_the_labels_do_not(hub: Api, moda: Api) -> None:
    path = settle(hub, "sock", "carol")
    for name in ("bob", "dora"):
        person(hub, name).post(f"{path}/second")
    hide(moda, "sock")
    assert hub.get(path).json()["counted_by"] == "standing"
    hide(moda, "dora")
    assert hub.get(path).json()["counted_by"] == ""


def test_a_case_that_a_moderator_decided_stays(hub: Api, moda: Api, with_standing: set[str]) -> None:
    path = settle(hub, "sock", "carol")
    assert moda.post(f"{path}/second").json()["counted_by"] == "moderator"
    hide(moda, "sock")
    assert hub.get(path).json()["counted_by"] == "moderator"


def test_what_a_hidden_account_noted_is_shown_on_no_case(hub: Api, moda: Api) -> None:
    """Its note and its name stood on the case in which the question had ended."""
    path = settle(hub, "sock", "carol")
    assert ABUSE in hub.get(path).text
    hide(moda, "sock")
    for address in (path, f"{PACKAGE}/cases", "/packages/alice/small-sums/releases/1.1.0/cases", "/"):
        shown = hub.get(address, headers={"Accept": "text/html"} if "/api/" not in address else {})
        assert shown.status_code < 400, address
        assert ABUSE not in shown.text, address
        assert "sock" not in shown.text, address
    show_again(moda, "sock")
    assert f"{ABUSE} (sock)" in hub.get(path).text
    assert "agreed by sock, carol" in hub.get(path).text


def test_a_case_on_which_others_agree_does_not_go_with_the_account_in_whose_name_it_stands(
    hub: Api, moda: Api, with_standing: set[str]
) -> None:
    """Whoever answered last took an honest case away by getting its own account hidden."""
    question = queue(hub)[1]
    path = settle(hub, "bob", "sock")
    give(person(hub, "carol"), question, "correct")
    assert hub.get(path).json()["submitted_by"] == "sock"
    hide(moda, "sock")
    shown = hub.get(path).json()
    assert (shown["submitted_by"], shown["counted_by"]) == ("carol", "labels")
    assert "sock" not in hub.get(path).text
    show_again(moda, "sock")
    assert hub.get(path).json()["submitted_by"] == "carol"


def test_a_case_on_which_too_few_others_agree_goes_with_its_account(hub: Api, moda: Api) -> None:
    path = settle(hub, "bob", "sock")
    hide(moda, "sock")
    assert hub.get(path).status_code == 404
    show_again(moda, "sock")
    assert hub.get(path).status_code == 200


@pytest.mark.parametrize("counts", [True, False])
def test_no_report_shows_what_a_hidden_account_noted(
    counts: bool, hub: Api, moda: Api, services: Services, clock: FakeClock, with_standing: set[str]
) -> None:
    """The newest report of the release quotes the notes of its cases."""
    if not counts:
        with_standing.clear()
    settle(hub, "sock", "carol")
    clock.advance(10)
    run_jobs(services)
    hide(moda, "sock")
    clock.advance(10)
    run_jobs(services)
    audits = hub.get(f"{PACKAGE}/releases/1.1.0/audits").json()["items"]
    pages = [f"/packages/alice/small-sums/releases/1.1.0/audits/{one['id']}" for one in audits]
    for page in ("/packages/alice/small-sums/releases/1.1.0/audit", *pages):
        shown = hub.get(page, headers={"Accept": "text/html"})
        assert shown.status_code == 200, page
        assert ABUSE not in shown.text, (page, pages)
    for one in audits:
        assert ABUSE not in str(one)
