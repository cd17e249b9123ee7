"""Counter-examples from the moment they are sent: checked, executed, kept once, replayed when the sandbox is back."""

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.cases import make_task
from hub_server.audits.errors import CaseExistsError, CaseNotSecondableError, InvalidCaseError, TooManyCasesError
from hub_server.catalog.errors import QuarantinedError, TaskNotFoundError
from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.execution.actions import scoring_target
from hub_server.execution.errors import NothingToExecuteError
from hub_server.moderation.actions import quarantine_release
from schemas.account import Scope
from schemas.verdict import ErrorKind, Verdict
from tests.hub_server.audits.judged import ALICE, BOB, CAROL, MODA, SUMS, executed, hack, publish, state_of, submit
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller

TASK = {"id": "own", "prompt": "1+1?", "answer": 2}
GENERATED = (
    'format = 1\nid = "alice/made"\nkind = "environment"\nverifier = "alice_made:verify"\n'
    'tasks = { test = "alice_made:generate" }\n[rewards.correct]\ndescription = "right"\n'
)


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (None, NotAuthenticatedError),
        (caller("bob", scopes=EVERY_SCOPE - {Scope.CASES}), NotAllowedError),
        (BOB, None),
        (ALICE, None),
    ],
    ids=["nobody", "token without cases", "stranger", "owner"],
)
def test_anybody_with_an_account_submits_even_the_owner(hedging: ActionDriver, by, error) -> None:
    if error is None:
        assert submit(hedging, by=by).submitted_by == by.name
    else:
        with pytest.raises(error):
            hedging.ask(by, actions.prepare_case, SUMS, "1.0.0", hack())


@pytest.mark.parametrize(
    ("case", "state"),
    [(hack(), "reproduced"), (hack(response="7"), "refuted"), (hack(response="2", label="correct"), "refuted"),
     (hack(response="3", label="correct"), "reproduced"), (hack(expect={"correct": 0.0}), "reproduced"),
     (hack(expect={"correct": 1.0}), "refuted")],
)  # fmt: skip
def test_a_case_is_confirmed_where_the_verifier_parts_from_its_label(hedging: ActionDriver, case, state: str) -> None:
    kept = submit(hedging, case)
    assert kept.state == state
    assert kept.counted_by == "", "whoever submits it does not make it count"
    assert [event.what for event in kept.history] == ["submitted"]
    assert kept.case.task is not None, "it can be replayed where the task is gone"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expect": {"nonsense": 1.0}}, "nonsense"),
        ({"task": {"id": "x", "prompt": 7}}, "task is not sound"),
        ({"task": {"id": "x", "answer": float("nan")}}, "cannot hold"),
        ({"response": "\ud800"}, "cannot hold"),
        ({"messages": [{"role": 7, "content": "x"}]}, "message is not sound"),
        ({"task": {"id": "x", "prompt": "y" * 200_001}}, "larger than"),
    ],
)
def test_a_case_that_cannot_be_used_is_refused_before_it_costs_a_box(hedging: ActionDriver, change, words: str) -> None:
    called = []
    hedging.executor.judge_call = lambda *_: called.append(1)
    with pytest.raises(InvalidCaseError, match=words):
        executed(hedging, hack().model_copy(update=change))
    assert called == []


def test_deeply_nested_json_is_refused_in_words(hedging: ActionDriver) -> None:
    deep: object = "x"
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(InvalidCaseError):
        executed(hedging, hack().model_copy(update={"task": {"id": "x", "prompt": "y", "info": {"deep": deep}}}))


def test_the_same_task_and_response_is_taken_once_whatever_is_said_of_it(hedging: ActionDriver) -> None:
    submit(hedging)
    for other in (hack("h2", note="mine"), hack("h3", tags=["x"])):
        with pytest.raises(CaseExistsError, match="submitted before"):
            executed(hedging, other, CAROL)
    assert submit(hedging, hack("h5", response="2 or 4"), CAROL).state == "reproduced"


def test_of_two_who_send_the_same_at_once_one_is_kept(hedging: ActionDriver) -> None:
    first, second = executed(hedging, hack()), executed(hedging, hack(), CAROL)
    hedging.do(BOB, actions.submit_case, first)
    with pytest.raises(CaseExistsError):
        hedging.do(CAROL, actions.submit_case, second)


def test_one_account_waits_with_so_many_cases_and_no_more(hedging: ActionDriver) -> None:
    for number in range(5):
        submit(hedging, hack(f"h{number}", response=f"2 or {number}"))
    with pytest.raises(TooManyCasesError, match=r"5 of your counter-examples .* wait to be seconded"):
        submit(hedging, hack("more", response="2 or more"))
    assert submit(hedging, hack("mine", response="2 or mine"), CAROL).state == "reproduced", "others are not in the way"


def test_refuted_cases_wait_for_nobody_and_are_bounded_all_the_same(hedging: ActionDriver) -> None:
    kept = submit(hedging, hack(response="7"))
    with hedging.writing() as work:
        columns = 'package_id, case_key, "case", state, submitted_by, submitted_at, against, verdicts, history'
        for number in range(39):
            work.session.connection().exec_driver_sql(
                f"INSERT INTO counter_examples (id, error, dispute_reason, disputed_by, state_before_dispute, counted_by, content_key, claim, {columns}) "
                f"SELECT 'x{number}', '', '', '', '', '', '', '', package_id, 'k{number}', \"case\", state, submitted_by, submitted_at, "
                "against, verdicts, history FROM counter_examples WHERE id = ?",
                (kept.id,),
            )
    with pytest.raises(TooManyCasesError, match="next release"):
        submit(hedging, hack("more", response="8"))


def test_what_names_no_task_and_what_has_no_verifier_is_refused(hedging: ActionDriver) -> None:
    with pytest.raises(TaskNotFoundError):
        executed(hedging, hack(task_id="t9"))
    hedging.publish(
        ALICE, "alice/look", manifest='format = 1\nid = "alice/look"\nkind = "tool"\ntools = ["alice_look:f"]\n'
    )
    with pytest.raises(NothingToExecuteError):
        hedging.ask(BOB, actions.prepare_case, "alice/look", "1.0.0", hack())
    hedging.do(MODA, quarantine_release, SUMS, "1.0.0", "steals")
    with pytest.raises(QuarantinedError):
        executed(hedging, hack())


def test_a_generated_task_is_made_again_and_only_if_it_is_the_one_that_was_named(hedging: ActionDriver) -> None:
    hedging.publish(ALICE, "alice/made", manifest=GENERATED)
    prepared = hedging.ask(
        BOB, actions.prepare_case, "alice/made", "1.0.0", hack(task_id="test-4-2", response="6 or 7")
    )
    assert prepared.generator is not None
    done = actions.execute_case(hedging.services, prepared)
    assert done.prepared.case.task is not None
    assert done.prepared.case.task["answer"] == 6
    hedging.executor.tasks = lambda *_rest, **_more: [{"id": "another", "prompt": "?"}]
    assert make_task(hedging.services, prepared.generator, "test-4-2") is None
    with pytest.raises(InvalidCaseError, match="makes no task"):
        actions.execute_case(hedging.services, prepared)
    for name in ("test-4", "test-4-2-1", "train-4-2", "test--4-2", "test-4-2\n", "test-٤-2", ""):
        assert make_task(hedging.services, prepared.generator, name) is None, name


def test_a_case_that_comes_while_the_sandbox_is_away_is_kept_open_and_judged_later(hedging: ActionDriver) -> None:
    hedging.executor.reason = "no engine"
    kept = submit(hedging)
    assert (kept.state, kept.error, kept.verdicts) == ("open", "no engine", {})
    hedging.executor.reason = None
    prepared = hedging.ask(None, actions.prepare_replay, SUMS, kept.id)
    assert prepared is not None
    hedging.do(None, actions.record_replay, SUMS, kept.id, actions.execute_case(hedging.services, prepared))
    found = hedging.ask(None, actions.get_case, SUMS, kept.id)
    assert (found.state, found.error, [event.what for event in found.history]) == (
        "reproduced",
        "",
        ["submitted", "replayed"],
    )
    assert hedging.ask(None, actions.prepare_replay, SUMS, kept.id) is None, "it was judged meanwhile"


def test_a_verdict_that_could_not_be_given_leaves_a_case_open_with_the_reason(hedging: ActionDriver) -> None:
    hedging.executor.judge_call = lambda *_: Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, "5 s were not enough")
    kept = submit(hedging)
    assert (kept.state, kept.error) == ("open", "5 s were not enough")


def test_a_replay_that_comes_too_late_changes_nothing(hedging: ActionDriver) -> None:
    kept = submit(hedging)
    prepared = hedging.ask(None, scoring_target, SUMS, "1.0.0")
    late = actions.ExecutedCase(actions.PreparedCase(prepared, kept.case), Verdict(rewards={"correct": 0.0}))
    hedging.do(None, actions.record_replay, SUMS, kept.id, late)
    assert state_of(hedging, kept.id) == "reproduced"


@pytest.mark.parametrize("lie", [{"label": "correct"}, {"expect": {"correct": 1.0}}], ids=["label", "expectation"])
def test_a_friend_who_lies_first_blocks_no_true_counter_example(hedging: ActionDriver, lie) -> None:
    """The verifier is right under the lie, so that case is refuted; the true one could be sent by nobody any more."""
    assert submit(hedging, hack(**lie)).state == "refuted"
    found = submit(hedging, hack("h2"), CAROL)
    assert found.state == "reproduced"
    assert hedging.do(ALICE, actions.second_case, SUMS, found.id).counted_by == "owner"


def test_a_friend_who_sends_first_and_withdraws_blocks_nobody(hedging: ActionDriver) -> None:
    first = submit(hedging)
    with pytest.raises(CaseExistsError):
        executed(hedging, hack("h2"), CAROL)
    hedging.do(BOB, actions.settle_dispute, SUMS, first.id, "withdrawn")
    again = submit(hedging, hack("h2"), CAROL)
    assert again.state == "reproduced"
    with pytest.raises(CaseExistsError):
        executed(hedging, hack("h3"), BOB)


def test_a_lie_that_stands_and_waits_leaves_room_for_the_truth(hedging: ActionDriver) -> None:
    """Told of a release that was right, the lie is reproduced; a later release that is wrong must be told so."""
    right = publish(hedging, "1.1.0")
    lie = submit(right, hack(label="correct"), version="1.1.0")
    assert lie.state == "reproduced"
    publish(hedging, "1.2.0")
    assert submit(hedging, hack("h2"), CAROL, "1.2.0").state == "reproduced"


def test_one_account_speaks_for_one_label_of_a_response(hedging: ActionDriver) -> None:
    publish(hedging, "1.1.0")
    submit(hedging, hack())
    with pytest.raises(CaseExistsError, match="another label"):
        executed(hedging, hack("h2", label="correct"), BOB, "1.1.0")
    other = submit(hedging, hack("h3", label="correct"), CAROL, "1.1.0")
    with pytest.raises(CaseNotSecondableError, match="the opposite"):
        hedging.do(BOB, actions.second_case, SUMS, other.id)


def test_opposite_labels_of_one_response_never_count_together(hedging: ActionDriver) -> None:
    publish(hedging, "1.1.0")
    truth, lie = submit(hedging), submit(hedging, hack("h2", label="correct"), CAROL, "1.1.0")
    hedging.do(ALICE, actions.second_case, SUMS, lie.id)
    assert hedging.do(MODA, actions.second_case, SUMS, truth.id).counted_by == "moderator"
    assert hedging.ask(None, actions.get_case, SUMS, lie.id).counted_by == "", "an owner's word is less"
    with pytest.raises(CaseNotSecondableError, match="counts by moderator"):
        hedging.do(hedging.person("other", is_moderator=True), actions.second_case, SUMS, lie.id)


def test_what_was_withdrawn_and_sent_again_earns_one_point(hedging: ActionDriver) -> None:
    first = submit(hedging)
    hedging.do(ALICE, actions.second_case, SUMS, first.id)
    hedging.do(BOB, actions.settle_dispute, SUMS, first.id, "withdrawn")
    again = submit(hedging, hack("h2"))
    hedging.do(MODA, actions.second_case, SUMS, again.id)
    with hedging.reading() as work:
        assert actions.points(work, "bob") == 1


def test_what_counts_by_others_is_not_its_submitters_to_withdraw(hedging: ActionDriver) -> None:
    """A friend of the author sent a true case first, let it count, and took it out of the rates again."""
    case_id = submit(hedging).id
    hedging.do(MODA, actions.second_case, SUMS, case_id)
    with pytest.raises(NotAllowedError):
        hedging.do(BOB, actions.settle_dispute, SUMS, case_id, "withdrawn")
