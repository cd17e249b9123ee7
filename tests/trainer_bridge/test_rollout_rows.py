"""What a run sends to the hub of each sample: its verdict, and what the held-out verifier said of it."""

from types import SimpleNamespace

from schemas.task import Task
from schemas.verdict import Verdict
from trainer_bridge.rollouts import as_rows


def rollout(held_out: Verdict | None) -> SimpleNamespace:
    task = Task.read({"id": "t1", "prompt": "1+1?", "answer": 2, "split": "train"})
    return SimpleNamespace(
        draw=SimpleNamespace(package="alice/sums", task=task),
        text="2 or 3",
        verdict=Verdict(rewards={"correct": 1.0}),
        held_out=held_out,
        completion=SimpleNamespace(tokens=(1, 2, 3)),
    )


def test_the_held_out_verdict_travels_with_the_sample_so_that_people_can_be_asked() -> None:
    with_one, without = as_rows([rollout(Verdict(rewards={"correct": 0.0})), rollout(None)], 5, "train")
    assert (with_one.rewards, with_one.held_out) == ({"correct": 1.0}, {"correct": 0.0})
    assert without.held_out == {}
