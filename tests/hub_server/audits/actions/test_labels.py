"""Labels: nobody is led, the owner settles nothing, and what people agree on becomes a case in the name of one of them."""

from dataclasses import replace
from typing import Any

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.labels import OPEN, SETTLED
from hub_server.audits.errors import QuestionNotFoundError, TooManyLabelsError
from hub_server.audits.models import LabelQuestionRow
from hub_server.audits.rules.cases import case_key
from hub_server.catalog.errors import WithheldError
from hub_server.catalog.models import PackageRow
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.kernel.caller import Caller
from schemas.account import Scope
from schemas.evidence.cases import AuditCase
from schemas.evidence.labels import LabelRequest
from tests.hub_server.audits.judged import ALICE, BOB, CAROL, MODA, SUMS, hack, submit
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller

DAN, NOBODY = caller("dan"), None


def ask_about(
    driver: ActionDriver, response: str = "2 or 3", *, priority: float = 0.9, task: dict[str, Any] | None = None
) -> str:
    """An open question about a hedge, as gathering leaves it."""
    case = AuditCase(
        id="question",
        task=task or {"id": "t1", "prompt": "1+1?", "answer": 2},
        response=response,
        label="incorrect",
        origin="rollout",
    )
    verdicts = [
        {"by": f"{SUMS}@1.0.0", "rewards": {"correct": 1.0}, "accepted": True, "acceptance": 1.0},
        {"by": f"{SUMS}@1.1.0", "rewards": {"correct": 0.0}, "accepted": False, "acceptance": 0.0},
    ]
    with driver.writing() as work:
        row = LabelQuestionRow(
            id=f"q-{response}", package_id=SUMS, case_key=case_key(case), version="1.0.0", case=case.model_dump(mode="json"),
            verdicts=verdicts, bits=priority, priority=priority, state=OPEN, created_at=work.now,
        )  # fmt: skip
        work.session.add(row)
    return row.id


@pytest.fixture
def question(hedging: ActionDriver) -> str:
    return ask_about(hedging)


def say(driver: ActionDriver, by: Caller | None, question_id: str, answer: str = "incorrect", note: str = ""):
    return driver.do(by, actions.give_label, question_id, LabelRequest(answer=answer, note=note))


def seen(driver: ActionDriver, by: Caller | None, question_id: str):
    return driver.ask(by, actions.get_question, question_id)


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (NOBODY, NotAuthenticatedError),
        (caller("bob", scopes=EVERY_SCOPE - {Scope.CASES}), NotAllowedError),
        (BOB, None),
        (ALICE, None),
    ],
)
def test_who_may_answer(hedging: ActionDriver, question: str, by, error) -> None:
    if error is None:
        say(hedging, by, question)
    else:
        with pytest.raises(error):
            say(hedging, by, question)
        assert hedging.rows("SELECT id FROM labels") == []


def test_others_answers_are_seen_only_after_ones_own(hedging: ActionDriver, question: str) -> None:
    say(hedging, BOB, question, "correct", "a hedge that begins right")
    for by in (NOBODY, CAROL, ALICE, MODA):
        shown = seen(hedging, by, question)
        assert (shown.labels, shown.my_answer, shown.label_count) == (None, None, 1)
        assert "begins right" not in shown.model_dump_json()
    say(hedging, CAROL, question, "unsure")
    shown = seen(hedging, CAROL, question)
    assert shown.labels is not None
    assert [(one.labelled_by, one.answer) for one in shown.labels] == [("bob", "correct"), ("carol", "unsure")]


def test_two_independent_people_settle_it_and_one_does_not(hedging: ActionDriver, question: str) -> None:
    assert say(hedging, BOB, question) is None
    settled = say(hedging, CAROL, question)
    assert settled is not None
    assert (settled.by, settled.agreement) == ("carol", "agreed by bob, carol")
    assert seen(hedging, NOBODY, question).state == SETTLED


@pytest.mark.parametrize("answers", [("correct", "incorrect"), ("unsure", "unsure"), ("incorrect", "unsure")])
def test_what_people_do_not_agree_on_stays_open(hedging: ActionDriver, question: str, answers) -> None:
    for by, answer in zip((BOB, CAROL), answers, strict=True):
        assert say(hedging, by, question, answer) is None
    assert seen(hedging, NOBODY, question).state == OPEN


def test_one_person_who_answers_twice_is_one_person_and_the_later_word_counts(
    hedging: ActionDriver, question: str
) -> None:
    for answer in ("incorrect", "correct", "incorrect", "incorrect"):
        assert say(hedging, BOB, question, answer) is None
    shown = seen(hedging, BOB, question)
    assert shown.labels is not None
    assert [one.counts for one in shown.labels] == [False, False, False, True]
    assert shown.label_count == 1


def limited(driver: ActionDriver, **limits: int) -> None:
    labels = driver.services.settings.labels.model_copy(update=limits)
    driver.services = replace(driver.services, settings=driver.services.settings.model_copy(update={"labels": labels}))


def test_one_account_answers_one_question_so_often_and_no_more(hedging: ActionDriver, question: str) -> None:
    """Each answer stays on record: one account could fill the database, and the page that shows all of them."""
    limited(hedging, answers_by_account=2)
    for answer in ("correct", "incorrect"):
        say(hedging, BOB, question, answer)
    with pytest.raises(TooManyLabelsError, match=r"answered this question 2 times.*last answer counts"):
        say(hedging, BOB, question, "correct")
    assert seen(hedging, BOB, question).my_answer == "incorrect"
    assert say(hedging, CAROL, question, "incorrect") is not None, "others' answers are not held up"
    say(hedging, BOB, ask_about(hedging, "4"))


def test_one_question_is_answered_by_so_many_people_and_no_more(hedging: ActionDriver, question: str) -> None:
    limited(hedging, people=2)
    say(hedging, BOB, question, "correct")
    say(hedging, CAROL, question, "incorrect")
    with pytest.raises(TooManyLabelsError, match="2 people have answered this question"):
        say(hedging, DAN, question, "correct")
    assert say(hedging, BOB, question, "incorrect") is not None, "who has answered may change their mind"


def test_the_owner_and_the_owners_organisation_settle_nothing(hedging: ActionDriver, question: str) -> None:
    assert say(hedging, ALICE, question) is None
    assert say(hedging, BOB, question) is None, "one of the two is the owner"
    settled = say(hedging, CAROL, question)
    assert settled is not None
    assert "alice" not in settled.agreement


def test_a_case_never_stands_in_the_owners_name_or_in_that_of_who_came_later(
    hedging: ActionDriver, question: str
) -> None:
    """The request that settles it may be cut off: whoever labels next stood as the submitter, and could take it back."""
    say(hedging, BOB, question)
    say(hedging, CAROL, question)
    say(hedging, ALICE, question, "correct")
    hedging.person("dan")
    say(hedging, DAN, question, "correct")
    again = hedging.ask(None, actions.find_settled, question)
    assert again is not None
    assert (again.by, again.agreement) == ("carol", "agreed by bob, carol")
    say(hedging, BOB, question, "correct")
    say(hedging, CAROL, question, "correct")
    nobody = hedging.ask(None, actions.find_settled, question)
    assert nobody is not None
    assert nobody.by == "hub", "everybody has changed their mind: it is nobody's"


def test_the_agreed_answer_becomes_a_case_once(hedging: ActionDriver, question: str) -> None:
    say(hedging, BOB, question, note="it hedges")
    settled = say(hedging, CAROL, question)
    assert settled is not None
    executed = actions.execute_case(hedging.services, settled.prepared)
    case = hedging.do(CAROL, actions.settle_question, settled, executed)
    assert case is not None
    assert (case.state, case.submitted_by, case.case.label) == ("reproduced", "carol", "incorrect")
    assert "it hedges (bob)" in case.case.note
    assert hedging.do(CAROL, actions.settle_question, settled, executed) is None
    assert seen(hedging, NOBODY, question).case_id == case.id
    assert hedging.ask(None, actions.find_settled, question) is None


def test_a_case_that_somebody_sent_meanwhile_is_linked_and_not_made_again(hedging: ActionDriver, question: str) -> None:
    say(hedging, BOB, question)
    settled = say(hedging, CAROL, question)
    assert settled is not None
    executed = actions.execute_case(hedging.services, settled.prepared)
    sent = submit(hedging, hack(task_id=None, task={"id": "t1", "prompt": "1+1?", "answer": 2}), DAN)
    assert hedging.do(CAROL, actions.settle_question, settled, executed) is None
    assert seen(hedging, NOBODY, question).case_id == sent.id


def test_what_the_verifier_gets_right_is_held_and_watched(hedging: ActionDriver) -> None:
    question = ask_about(hedging, "7")
    say(hedging, BOB, question)
    settled = say(hedging, CAROL, question)
    assert settled is not None
    case = hedging.do(CAROL, actions.settle_question, settled, actions.execute_case(hedging.services, settled.prepared))
    assert case is not None
    assert case.state == "agreed"


def test_the_queue_gives_everybody_what_they_have_not_answered_most_open_first(hedging: ActionDriver) -> None:
    ids = [ask_about(hedging, f"2 or {n}", priority=u) for n, u in ((4, 0.2), (5, 0.9), (6, 0.9), (7, 0.5))]
    order = [ids[1], ids[2], ids[3], ids[0]]
    seen_by_bob: list[str] = []
    for left in range(4, 0, -1):
        found = hedging.ask(BOB, actions.next_question)
        assert found.item is not None
        assert found.left == left
        seen_by_bob.append(found.item.id)
        say(hedging, BOB, found.item.id, "unsure")
    assert seen_by_bob == order
    assert hedging.ask(BOB, actions.next_question).item is None
    assert hedging.ask(CAROL, actions.next_question).left == 4
    waiting = [one.id for one in hedging.ask(None, actions.list_questions).items]
    skipped = hedging.ask(CAROL, actions.next_question, SUMS, waiting[:2])
    assert skipped.item is not None
    assert skipped.item.id == waiting[2]


def test_questions_are_paged_by_priority_without_loss_where_it_ties(hedging: ActionDriver) -> None:
    ids = {ask_about(hedging, f"2 or {n}", priority=0.5) for n in range(4, 9)}
    found, cursor = [], None
    while True:
        page = hedging.ask(None, actions.list_questions, SUMS, cursor=cursor, limit=2)
        found += [one.id for one in page.items]
        if (cursor := page.next) is None:
            break
    assert (len(found), set(found)) == (5, ids)
    assert hedging.ask(None, actions.count_open_questions) == 5
    for limit in (0, 101):
        with pytest.raises(InvalidRequestError):
            hedging.ask(None, actions.list_questions, limit=limit)


def test_what_is_no_question_is_not_found(hedging: ActionDriver, question: str) -> None:
    for identifier in ("", "none", "\x00"):
        for act in (lambda one: say(hedging, BOB, one), lambda one: seen(hedging, BOB, one)):
            with pytest.raises(QuestionNotFoundError):
                act(identifier)
    assert hedging.ask(None, actions.find_settled, question) is None, "still open"


def test_a_question_of_a_hidden_package_is_neither_shown_nor_answered(hedging: ActionDriver, question: str) -> None:
    with hedging.writing() as work:
        work.session.get_one(PackageRow, SUMS).hidden_reason = "its owner spams"
    for refused in (lambda: seen(hedging, BOB, question), lambda: say(hedging, BOB, question)):
        with pytest.raises(WithheldError, match="hidden while its owner is suspended"):
            refused()


def test_agreement_counts_latest_answers_and_leaves_cannot_tell_out(hedging: ActionDriver) -> None:
    hedging.person("dan")
    assert hedging.ask(None, actions.get_agreement, SUMS).alpha is None
    for number in range(3, 7):
        question = ask_about(hedging, f"2 or {number}")
        say(hedging, BOB, question, "correct")
        say(hedging, BOB, question, "incorrect" if number % 2 else "correct")
        say(hedging, CAROL, question, "incorrect" if number % 2 else "correct")
        say(hedging, DAN, question, "unsure")
    found = hedging.ask(None, actions.get_agreement, SUMS)
    assert (found.alpha, found.units, found.annotators, found.labels) == (1.0, 4, 2, 8)
