"""Where verifiers part: stored rollouts judged by several, each weighed by what was measured of it, no stranger's word."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from hub_server.audits import actions
from hub_server.audits.actions.disagreements import bits_left, source_of_rollout, verdict_by
from hub_server.audits.errors import TooManyLabelsError
from hub_server.audits.models import LabelQuestionRow
from hub_server.audits.rules.uncertainty import acceptance_of
from hub_server.catalog.actions import record_audit_summary, resolve_release
from hub_server.catalog.models import PackageRow
from hub_server.errors import ExecutionUnavailableError, NotAllowedError, NotAuthenticatedError
from hub_server.execution.errors import NothingToExecuteError
from hub_server.runs import actions as runs
from schemas.account import Scope
from schemas.evidence.labels import LabelRequest, VerdictBy
from schemas.manifest import RewardDeclaration
from schemas.run import PinnedPackage, RolloutRow, RunCreate
from schemas.verdict import ErrorKind, Verdict
from tests.hub_server.audits.judged import ALICE, BOB, CAROL, MODA, SUMS, hack, publish, submit
from tests.hub_server.site.samples import summary
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller

DECLARED = {"correct": RewardDeclaration()}


@pytest.fixture
def two(hedging: ActionDriver) -> ActionDriver:
    """1.0.0 accepts a hedge, 1.1.0 does not."""
    return publish(hedging, "1.1.0")


def log(driver: ActionDriver, *rollouts: RolloutRow, version: str = "1.0.0", **config) -> str:
    pin = PinnedPackage(package=SUMS, version=version, digest="sha256:0")
    run = driver.do(BOB, runs.create_run, RunCreate(name="r", packages=[pin], config=config))
    driver.do(BOB, runs.log_rollouts, run.id, list(rollouts))
    return run.id


def rollout(response: str = "2 or 3", said: float | None = 1.0, **more) -> RolloutRow:
    fields = {"step": 3, "package": SUMS, "task_id": "t1", "response": response, "rewards": {"correct": said}}
    return RolloutRow(**{**fields, **more})


def gathered(driver: ActionDriver) -> int:
    """What the job does; how many questions are new."""
    plan = driver.ask(None, actions.plan_gathering, SUMS)
    if plan is None:
        return 0
    judged = actions.judge_rollouts(driver.services, plan)
    return driver.do(None, actions.keep_questions, plan, judged)


def questions(driver: ActionDriver):
    return driver.ask(None, actions.list_questions, SUMS).items


@pytest.mark.parametrize(
    ("by", "error"),
    [(None, NotAuthenticatedError), (caller("bob", scopes=EVERY_SCOPE - {Scope.CASES}), NotAllowedError), (BOB, None)],
)
def test_anybody_with_an_account_asks_and_one_that_waits_is_not_doubled(hedging: ActionDriver, by, error) -> None:
    if error is None:
        assert (
            hedging.do(by, actions.request_gathering, SUMS).job == hedging.do(by, actions.request_gathering, SUMS).job
        )
    else:
        with pytest.raises(error):
            hedging.do(by, actions.request_gathering, SUMS)


def test_without_rollouts_or_a_verifier_there_is_nothing_to_look_through(hedging: ActionDriver) -> None:
    assert hedging.ask(None, actions.plan_gathering, SUMS) is None
    assert hedging.ask(None, actions.plan_gathering, "alice/none") is None
    hedging.publish(
        ALICE, "alice/look", manifest='format = 1\nid = "alice/look"\nkind = "tool"\ntools = ["alice_look:f"]\n'
    )
    with pytest.raises(NothingToExecuteError):
        hedging.do(BOB, actions.request_gathering, "alice/look")


def test_what_releases_part_on_is_asked_once_and_what_they_agree_on_is_not(two: ActionDriver) -> None:
    run_id = log(two, rollout(), rollout(), rollout("2"), rollout("7", 0.0))
    assert gathered(two) == 1
    (question,) = questions(two)
    assert question.response == "2 or 3"
    assert (question.run_id, question.step) == (run_id, 3)
    assert {one.by: one.accepted for one in question.verdicts} == {f"{SUMS}@1.0.0": True, f"{SUMS}@1.1.0": False}
    assert gathered(two) == 0, "a question that is there is not asked again"


def test_a_strangers_word_for_a_release_gives_way_to_what_the_release_says_itself(two: ActionDriver) -> None:
    """A run may claim any reward under any pinned version; the hub runs the verifier anew."""
    log(two, rollout("7", 1.0), version="1.1.0")
    assert gathered(two) == 0


@pytest.mark.parametrize(
    "claimed",
    [{"correct": -5.0}, {"correct": 1e308}, {"correct": None}, {}, {"nonsense": 1.0}],
)
def test_no_number_that_a_run_claims_stops_the_gathering_for_everybody(two: ActionDriver, claimed) -> None:
    log(two, rollout("2 or 3", rewards=claimed), rollout("2 or 3", held_out={"correct": -1e308}), version="0.0.1")
    assert gathered(two) == 1


@pytest.mark.parametrize(
    "name", ["@", "alice/small-sums@", "x" * 5000, "alice/none@1.0.0", "\x00", 7, None, ["x"], {"a": 1}]
)
def test_no_name_that_a_run_gives_its_held_out_verifier_stops_it(two: ActionDriver, name) -> None:
    log(two, rollout(held_out={"correct": 0.0}), held_out_verifier=name)
    assert gathered(two) == 1


def test_a_threshold_at_the_bottom_of_the_range_is_no_division_by_nothing() -> None:
    """A reward below its own range, as a stranger's run may claim it, ended the job for the whole package."""
    declared = {"correct": RewardDeclaration(threshold=0.0, range=(0, 1))}
    found = [acceptance_of(Verdict(rewards={"correct": value}), declared) for value in (-1.0, 0.0, 0.5, 1.0, 2.0)]
    assert found == [0.0, 0.5, 0.75, 1.0, 1.0]


def test_a_task_that_nobody_has_any_more_is_left_out(two: ActionDriver) -> None:
    log(two, rollout(task_id="t9"), rollout(task_id="test-1-1"))
    plan = two.ask(None, actions.plan_gathering, SUMS)
    assert len(plan.found) == 2
    assert actions.judge_rollouts(two.services, plan) == []
    assert gathered(two) == 0


@pytest.mark.parametrize("seconded", [True, False])
def test_what_others_agreed_on_is_not_asked_again_and_what_one_account_says_is(
    two: ActionDriver, seconded: bool
) -> None:
    """Or a friend of the author would close a question by an answer of their own."""
    case = submit(two, hack(task_id="t1"), CAROL)
    assert case.state == "reproduced"
    if seconded:
        two.do(MODA, actions.second_case, SUMS, case.id)
    log(two, rollout())
    assert gathered(two) == (0 if seconded else 1)


def test_a_question_that_is_settled_by_newer_verdicts_goes_unless_somebody_has_answered(two: ActionDriver) -> None:
    log(two, rollout(), rollout("2 or 4"))
    assert gathered(two) == 2
    answered = next(one for one in questions(two) if one.response == "2 or 4")
    two.do(CAROL, actions.give_label, answered.id, LabelRequest(answer="unsure"))
    two.executor.judge_call = lambda *_: Verdict(rewards={"correct": 0.0})
    assert gathered(two) == 0
    assert [one.response for one in questions(two)] == ["2 or 4"]


def test_without_a_sandbox_the_job_waits(two: ActionDriver) -> None:
    log(two, rollout())
    two.executor.reason = "no engine"
    with pytest.raises(ExecutionUnavailableError):
        gathered(two)


def by(name: str, acceptance: float | None, *, executed: bool = True) -> VerdictBy:
    return VerdictBy(by=name, acceptance=acceptance, executed=executed)


def test_two_verifiers_that_part_leave_a_whole_bit_and_a_measured_one_less(two: ActionDriver) -> None:
    split = [by(f"{SUMS}@1.0.0", 1.0), by("alice/other@1.0.0", 0.0)]
    with two.reading() as work:
        before = bits_left(work, split)
    assert before == pytest.approx(1.0)
    with two.writing() as work:
        row = resolve_release(work, SUMS, "1.0.0")
        record_audit_summary(work, row.id, summary("1.0.0", 0, 500, 0, 500), "")
    with two.reading() as work:
        assert bits_left(work, split) < 0.5 < before, "the one that never erred outweighs the unknown one"
        assert bits_left(work, []) == pytest.approx(1.0)
        assert bits_left(work, split, ["correct", "correct"]) < bits_left(work, split)


def test_what_a_run_claims_of_a_measured_verifier_settles_nothing(two: ActionDriver) -> None:
    """Else whoever uploads a run ends the question whether their own response is right, by a name with good rates."""
    two.publish(ALICE, "alice/good")
    with two.writing() as work:
        record_audit_summary(
            work, resolve_release(work, "alice/good", "1.0.0").id, summary("1.0.0", 0, 500, 0, 500), ""
        )
    log(two, rollout(held_out={"correct": 1.0}), held_out_verifier="alice/good@1.0.0")
    assert gathered(two) == 1
    (question,) = questions(two)
    told = {f"{SUMS}@1.0.0": True, f"{SUMS}@1.1.0": True, "alice/good@1.0.0": False}
    assert {one.by: one.executed for one in question.verdicts} == told
    assert question.bits > 0.5
    with two.reading() as work:
        ran = [by(f"{SUMS}@1.0.0", 1.0), by(f"{SUMS}@1.1.0", 1.0)]
        claimed = [by(f"{SUMS}@0.{number}.0", 0.5, executed=False) for number in range(9)]
        assert bits_left(work, [*ran, *claimed]) == pytest.approx(bits_left(work, ran)), "nor takes it their weight"


def test_releases_of_one_package_repeat_each_other_and_are_not_counted_as_many(two: ActionDriver) -> None:
    with two.reading() as work:
        one = bits_left(work, [by("al/x@1.0.0", 1.0)])
        ten = bits_left(work, [by(f"al/x@1.{n}.0", 1.0) for n in range(10)])
        others = bits_left(work, [by(f"al/x{n}@1.0.0", 1.0) for n in range(10)])
    assert ten == pytest.approx(one)
    assert others < ten / 2


def test_a_verdict_that_was_not_given_is_shown_as_such() -> None:
    shown = verdict_by("al/x@1.0.0", Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, "late"), DECLARED)
    assert (shown.accepted, shown.acceptance, shown.rewards) == (None, None, {"correct": None})
    assert source_of_rollout("run1", rollout(id=7)) == "run run1, rollout 7, step 3"


WHOSE = {"open_questions": "about one package", "open_from_runs": "from the runs of one account"}


def left_out(driver: ActionDriver) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """What the last search left out, as the package's page and the run's page tell it."""
    run = driver.rows("SELECT id FROM runs")[0][0]
    return driver.ask(None, actions.left_out_of_package, SUMS), driver.ask(None, actions.left_out_of_run, run)


def limited(driver: ActionDriver, **limits: int) -> None:
    labels = driver.services.settings.labels.model_copy(update=limits)
    driver.services = replace(driver.services, settings=driver.services.settings.model_copy(update={"labels": labels}))


@pytest.mark.parametrize("limit", ["open_questions", "open_from_runs"])
def test_neither_a_package_nor_an_uploader_has_more_open_questions_than_their_limit(
    two: ActionDriver, limit: str
) -> None:
    """One account's runs could have filled the queue of anybody's package, and people label what comes first."""
    limited(two, **{limit: 2})
    log(two, *(rollout(f"2 or {number}") for number in range(5)))
    assert (gathered(two), gathered(two)) == (2, 0)
    assert left_out(two) == ([(3, f"as many questions {WHOSE[limit]} as this hub allows were open")],) * 2
    question = questions(two)[0]
    for by in (BOB, CAROL):
        two.do(by, actions.give_label, question.id, LabelRequest(answer="incorrect"))
    assert gathered(two) == 1, "what was settled has made room"
    assert [count for count, _ in left_out(two)[0]] == [2], "of the last search alone"
    limited(two, **{limit: 100})
    gathered(two)
    assert left_out(two) == ([], [])


def test_a_package_with_as_many_questions_as_it_may_have_is_not_looked_through(two: ActionDriver) -> None:
    limited(two, open_questions=1)
    log(two, rollout())
    gathered(two)
    with pytest.raises(TooManyLabelsError, match=r"1 open questions.*answer some"):
        two.do(BOB, actions.request_gathering, SUMS)


@pytest.mark.parametrize(
    ("limit", "other", "expected"),
    [
        ("open_about_response", "bob", 0),
        ("open_about_response_by_owner", "alice", 0),
        ("open_about_response_by_owner", "bob", 1),
    ],
)
def test_one_response_is_asked_about_so_often(two: ActionDriver, limit: str, other: str, expected: int) -> None:
    """What others say of a response is read from few questions: those of one owner's packages filled them."""
    log(two, rollout())
    assert gathered(two) == 1
    with two.writing() as work:
        row = work.session.scalars(select(LabelQuestionRow)).one()
        owner = work.session.get_one(PackageRow, SUMS)
        moved = PackageRow(**{column.name: getattr(owner, column.name) for column in PackageRow.__table__.columns})
        moved.id, moved.owner, moved.shown_release_id = f"{other}/copy", other, None
        work.session.add(moved)
        work.session.flush()
        row.package_id = moved.id
    limited(two, **{limit: 1})
    assert gathered(two) == expected
    assert [count for count, _ in left_out(two)[0]] == ([] if expected else [1])
    assert all("the same response" in why for _, why in left_out(two)[1])
