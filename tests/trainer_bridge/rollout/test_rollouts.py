"""What a run sends to the hub of each sample: its verdict, and what the held-out verifier said of it."""

from types import SimpleNamespace

from schemas.task import Task
from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.rollout.rollouts import as_rows, why_unjudged


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
