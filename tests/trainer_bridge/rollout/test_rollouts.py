"""Calls merge into sequences in which every written token is learnt from once; rollouts become rows."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from schemas.task import Task
from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.reports.step_report import as_rows
from trainer_bridge.rollout.chat import TokenCall, merge
from trainer_bridge.rollout.environments import why_unjudged
from trainer_bridge.rollout.tensors import as_sample


def call(prompt, tokens):
    return TokenCall(tuple(prompt), tuple(tokens), tuple(-float(token) for token in tokens))


def test_a_second_turn_continues_the_first_and_what_the_environment_said_is_masked():
    (sequence,) = merge([call([1, 2], [3, 4]), call([1, 2, 3, 4, 9, 9], [5])])
    assert sequence.prompt == (1, 2)
    assert sequence.tokens == (3, 4, 9, 9, 5)
    assert sequence.is_written == (True, True, False, False, True)
    assert sequence.call == (0, 0, -1, -1, 1)
    assert sequence.logprobs == (-3, -4, 0, 0, -5)


def test_a_call_with_a_conversation_of_its_own_is_a_sequence_of_its_own():
    plan, act = merge([call([1, 2], [3]), call([7, 8], [4])])
    assert (plan.tokens, act.prompt) == ((3,), (7, 8))
    sample = as_sample(5, (plan, act))
    assert (sample.prompt, sample.more[0].prompt, sample.width) == ((1, 2), (7, 8), 2)


def test_a_branch_from_the_same_answer_reads_it_and_learns_only_what_is_new():
    one, other = merge([call([1], [2, 3]), call([1, 2, 3, 8], [4]), call([1, 2, 3, 9], [5])])
    assert one.tokens == (2, 3, 8, 4)
    assert (other.prompt, other.tokens, other.is_written) == ((1, 2, 3, 9), (5,), (True,))


def test_an_answer_tokenised_anew_does_not_continue():
    assert len(merge([call([1], [2, 3]), call([1, 23, 8], [4])])) == 2


TREES = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.lists(st.integers(20, 25), max_size=3),
        st.lists(st.integers(0, 9), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=8,
)


@given(TREES)
def test_every_written_token_is_learnt_from_exactly_once_behind_just_what_it_was_written_after(tree):
    calls = []
    for parent, new, tokens in tree:
        before = calls[parent % len(calls)] if calls and parent % 3 else None
        base = (*before.prompt, *before.tokens) if before else (99,)
        calls.append(call((*base, *new), tokens))
    found = []
    for sequence in merge(calls):
        for place, number in enumerate(sequence.call):
            if number >= 0:
                context = (*sequence.prompt, *sequence.tokens[:place])
                found.append((number, context, sequence.tokens[place], sequence.logprobs[place]))
    expected = [
        (number, (*one.prompt, *one.tokens[:place]), token, one.logprobs[place])
        for number, one in enumerate(calls)
        for place, token in enumerate(one.tokens)
    ]
    assert sorted(found) == sorted(expected)


def rollout(held_out: Verdict | None) -> SimpleNamespace:
    task = Task.read({"id": "t1", "prompt": "1+1?", "answer": 2, "split": "train"})
    return SimpleNamespace(
        draw=SimpleNamespace(package="alice/sums", task=task),
        text="2 or 3",
        verdict=Verdict(rewards={"correct": 1.0}),
        held_out=held_out,
        tokens=3,
    )


def test_the_held_out_verdict_travels_with_the_sample_so_that_people_can_be_asked() -> None:
    with_one, without = as_rows([rollout(Verdict(rewards={"correct": 0.0})), rollout(None)], 5, "train")
    assert (with_one.rewards, with_one.held_out) == ({"correct": 1.0}, {"correct": 0.0})
    assert without.held_out == {}


def unjudged(*errors: tuple[ErrorKind, str] | None) -> list[SimpleNamespace]:
    verdicts = [Verdict.unjudged(["r"], *error) if error else Verdict(rewards={"r": None}) for error in errors]
    return [SimpleNamespace(verdict=verdict) for verdict in verdicts]


def test_a_step_without_one_verdict_says_how_many_of_each_kind_the_first_reason_and_what_to_do() -> None:
    said = why_unjudged(
        unjudged(None, (ErrorKind.TIMEOUT, "5 s are over"), (ErrorKind.TIMEOUT, "again"), (ErrorKind.HOST, "lost"))
    )
    assert "not one of 4 samples" in said
    assert "2 x timeout, 1 x null, 1 x host" in said
    assert "5 s are over" in said
    assert "timeout_seconds" in said


def test_every_kind_of_fault_has_something_to_do() -> None:
    said = {why_unjudged(unjudged(error)) for error in (None, *((kind, "x") for kind in ErrorKind))}
    assert len({text.splitlines()[-1] for text in said}) == len(ErrorKind) + 1
