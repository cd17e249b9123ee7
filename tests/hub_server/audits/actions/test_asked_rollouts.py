"""A run's rollouts that people are asked about are found by task and response, and who asks for another is told why."""

import pytest

from hub_server.audits import actions
from hub_server.audits.errors import QuestionNotFoundError
from hub_server.audits.models import LabelQuestionRow
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import PackageRow
from hub_server.runs import actions as runs
from schemas.run import PinnedPackage, RolloutRow, Run, RunCreate
from tests.hub_server.audits.actions.test_labels import ask_about
from tests.hub_server.audits.judged import BOB, CAROL, SUMS
from tests.making.action_driver import ActionDriver

RESPONSES = ("2 or 3", "2", "2 or 3")


@pytest.fixture
def run(hedging: ActionDriver) -> Run:
    """A run with three rollouts, of which the first and the last are the same words."""
    pin = PinnedPackage(package=SUMS, version="1.0.0", digest="sha256:0")
    made = hedging.do(BOB, runs.create_run, RunCreate(name="grpo", packages=[pin]))
    rows = [RolloutRow(step=1, package=SUMS, task_id="t1", response=text, rewards={}) for text in RESPONSES]
    hedging.do(BOB, runs.log_rollouts, made.id, rows)
    return made


def rollouts(driver: ActionDriver, run: Run) -> list[RolloutRow]:
    return driver.ask(CAROL, runs.list_rollouts, run.id).items


def test_every_rollout_of_a_response_that_is_asked_about_leads_to_its_question(hedging: ActionDriver, run: Run) -> None:
    assert hedging.ask(CAROL, actions.list_asked_rollouts, run, rollouts(hedging, run)) == {}
    stored = hedging.ask(CAROL, catalog.find_task, SUMS, "1.0.0", "t1").model_dump(mode="json")
    question = ask_about(hedging, task=stored)  # it names no run: another run's rollout brought it
    first, second, third = rollouts(hedging, run)
    found = hedging.ask(CAROL, actions.list_asked_rollouts, run, [first, second, third])
    assert {number: one.question_id for number, one in found.items()} == {first.id: question, third.id: question}
    assert hedging.ask(CAROL, actions.get_question_of_rollout, run.id, third.id).id == question
    with pytest.raises(QuestionNotFoundError, match=r"friends could agree .* submit it as a counter-example"):
        hedging.ask(CAROL, actions.get_question_of_rollout, run.id, second.id)


def test_a_rollout_of_a_generated_task_is_known_by_the_run_that_brought_it(hedging: ActionDriver, run: Run) -> None:
    question = ask_about(hedging)
    row = RolloutRow(step=2, package=SUMS, task_id="made-1", response="2 or 3", rewards={})
    hedging.do(BOB, runs.log_rollouts, run.id, [row])
    made = rollouts(hedging, run)[-1]
    with hedging.writing() as work:
        asked = work.session.get(LabelQuestionRow, question)
        asked.case, asked.case_key = {**asked.case, "task": {**asked.case["task"], "id": "made-1"}}, "of another task"
    assert hedging.ask(CAROL, actions.list_asked_rollouts, run, [made]) == {}
    with hedging.writing() as work:
        work.session.get(LabelQuestionRow, question).run_id = run.id
    assert list(hedging.ask(CAROL, actions.list_asked_rollouts, run, [made])) == [made.id]


def test_nothing_leads_to_a_question_about_a_package_that_is_not_listed(hedging: ActionDriver, run: Run) -> None:
    stored = hedging.ask(CAROL, catalog.find_task, SUMS, "1.0.0", "t1").model_dump(mode="json")
    ask_about(hedging, task=stored)
    assert hedging.ask(CAROL, actions.list_asked_rollouts, run, rollouts(hedging, run))
    with hedging.writing() as work:
        work.session.get(PackageRow, SUMS).is_listed = False
    assert hedging.ask(CAROL, actions.list_asked_rollouts, run, rollouts(hedging, run)) == {}
