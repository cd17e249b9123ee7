"""The cases that a release faces: each under an origin that says whose word it is, and a bad row breaks no audit."""

import logging
from datetime import timedelta

import pytest

from hub_server.audits.actions import hide_case
from hub_server.audits.actions.audit_cases import community_cases, community_rows, tasks_by_id
from hub_server.audits.models import CounterExampleRow
from hub_server.execution.actions import scoring_target
from schemas.evidence.cases import AuditCase
from tests.hub_server.audits.judged import BOB, MODA, SUMS, hack, submit
from tests.making.action_driver import ActionDriver


def row(driver: ActionDriver, identifier: str = "c1", **more) -> CounterExampleRow:
    """A case as the table holds it, in nobody's database."""
    fields = {
        "id": identifier, "package_id": SUMS, "case": hack(task={"id": "t1", "prompt": "?"}).model_dump(mode="json"),
        "state": "reproduced", "counted_by": "", "history": [], "submitted_at": driver.clock.now(),
    }  # fmt: skip
    return CounterExampleRow(**{**fields, **more})


LABELLED = [{"what": "labelled"}]


@pytest.mark.parametrize(
    ("counted_by", "history", "origin", "is_independent"),
    [("", [], "reported", False), ("", LABELLED, "reported", False), ("owner", [], "community", True),
     ("standing", [], "community", True), ("labels", LABELLED, "rollout", True), ("moderator", LABELLED, "rollout", True)],
)  # fmt: skip
def test_whose_word_a_case_is(
    driver: ActionDriver, counted_by: str, history, origin: str, is_independent: bool
) -> None:
    (case,) = community_cases([row(driver, counted_by=counted_by, history=history)])
    assert (case.id, case.origin, case.origin.is_independent) == ("community:c1", origin, is_independent)


@pytest.mark.parametrize(("counted_by", "by_owner"), [("owner", True), ("standing", False), ("", False)])
def test_the_owners_word_is_told_apart(driver: ActionDriver, counted_by: str, by_owner: bool) -> None:
    (case,) = community_cases([row(driver, counted_by=counted_by)])
    assert case.by_owner is by_owner


@pytest.mark.parametrize(
    ("counted_by", "corroborated_by", "found"),
    [("labels", "", (False, True)), ("labels", "owner", (True, True)), ("standing", "owner", (True, True)),
     ("labels", "verifiers", (False, False)), ("labels", "moderator", (False, False)), ("moderator", "owner", (False, False))],
)  # fmt: skip
def test_who_confirms_a_label_of_accounts_of_standing_is_told_apart(
    driver: ActionDriver, counted_by: str, corroborated_by: str, found: tuple[bool, bool]
) -> None:
    (case,) = community_cases([row(driver, counted_by=counted_by, corroborated_by=corroborated_by)])
    assert (case.by_owner, case.uncorroborated) == found


@pytest.mark.parametrize(("offset", "first_look"), [(-1, False), (0, False), (1, True)])
def test_only_what_came_after_the_release_was_frozen_is_a_first_look(
    driver: ActionDriver, offset: int, first_look: bool
) -> None:
    made = row(driver)
    frozen = made.submitted_at - timedelta(seconds=offset)
    assert community_cases([made], frozen)[0].first_look is first_look
    assert community_cases([made])[0].first_look is False, "nobody asks"


def test_of_what_accounts_of_standing_second_alone_only_the_oldest_few_count(driver: ActionDriver) -> None:
    """Three accounts that had earned it took a release from B to F with thirty lies."""
    now = driver.clock.now()
    lies = [
        row(driver, f"lie{n:02}", counted_by="standing", submitted_at=now - timedelta(seconds=n)) for n in range(30)
    ]
    word = [row(driver, "moda", counted_by="moderator"), row(driver, "owner", counted_by="owner")]
    labelled = row(driver, "labelled", counted_by="labels", history=LABELLED)
    others = [
        AuditCase(id=f"s{n}", task={"id": f"s{n}", "prompt": "?"}, response="1", label="incorrect", origin="suite")
        for n in range(240)
    ]
    found = community_cases([*lies, *word, labelled], beside=others)
    assert sorted(case.id for case in found if case.origin.is_independent) == [
        "community:labelled", "community:lie28", "community:lie29", "community:moda", "community:owner",
    ]  # fmt: skip
    assert sum(case.origin == "reported" for case in found) == 28, "the others are run and shown"
    assert all(case.origin.is_independent for case in community_cases(lies)), "a comparison asks for no rate"


def test_a_submission_cannot_call_itself_a_first_look_or_the_hubs(driver: ActionDriver) -> None:
    lying = {**row(driver).case, "first_look": True, "origin": "held", "disputed": True, "id": "held:1"}
    (case,) = community_cases([row(driver, case=lying)])
    assert (case.first_look, case.origin, case.disputed, case.id) == (False, "reported", False, "community:c1")


def test_a_disputed_case_is_marked(driver: ActionDriver) -> None:
    assert [case.disputed for case in community_cases([row(driver, state=s) for s in ("disputed", "fixed")])] == [
        True,
        False,
    ]


@pytest.mark.parametrize("damage", [{}, {"id": "x"}, {"label": "perhaps"}, {"task": {"id": 7}}, {"response": "\ud800"}])
def test_a_row_that_cannot_be_used_is_logged_and_the_others_are_run(driver: ActionDriver, damage, caplog) -> None:
    broken = {**row(driver).case, **damage} if damage and "id" not in damage else damage
    with caplog.at_level(logging.WARNING, "hub_server.audits"):
        found = community_cases([row(driver, "bad", case=broken), row(driver, "good")])
    assert [case.id for case in found] == ["community:good"]
    assert "bad" in caplog.text


def test_what_is_replayed_is_all_but_refuted_and_hidden_ones_in_order(hedging: ActionDriver) -> None:
    ids = [
        submit(hedging, hack(f"h{n}", response=text)).id for n, text in enumerate(("2 or 3", "7", "2 or 4", "2 or 5"))
    ]
    hedging.do(MODA, hide_case, SUMS, ids[2], "a name")
    with hedging.reading() as work:
        assert [one.id for one in community_rows(work, SUMS)] == [ids[0], ids[3]]
        assert community_rows(work, "alice/none") == []


def test_tasks_are_looked_up_once_for_those_cases_that_only_name_them(hedging: ActionDriver) -> None:
    named = [
        AuditCase(id=f"c{n}", task_id=task, response="x", label="correct") for n, task in enumerate(("t1", "t1", "t9"))
    ]
    whole = AuditCase(id="w", task={"id": "t2"}, task_id="t2", response="x", label="correct")
    with hedging.reading(BOB) as work:
        target = scoring_target(work, SUMS)
        assert set(tasks_by_id(work, target, [*named, whole])) == {"t1"}
        assert tasks_by_id(work, target, [whole]) == {}
        assert tasks_by_id(work, target, [*named])["t1"]["answer"] == 2
