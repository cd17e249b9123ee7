"""Which task comes next: every task once an epoch, by weight, resumable; and scoring that breaks midway."""

import pytest

from schemas.verdict import ErrorKind
from trainer_bridge.components.samplers.curriculum import Curriculum
from trainer_bridge.components.samplers.uniform import Uniform
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.scoring import Scorer
from trainer_bridge.stream import Draw, TaskStream, open_pool


def pools(fake_environment, make_settings, sizes=(10,), eval_tasks=0):
    settings = make_settings(eval_tasks=eval_tasks)
    return [open_pool(fake_environment(f"test/env{i}", tasks=size), settings) for i, size in enumerate(sizes)]


def test_an_epoch_visits_every_task_once_in_a_new_order(fake_environment, make_settings):
    stream = TaskStream(pools(fake_environment, make_settings), [], Uniform(), seed=1)
    first, second = ([draw.task.id for draw in stream.draw(10)] for _ in range(2))
    assert sorted(first) == sorted(second)
    assert len(set(first)) == 10
    assert first != second


def test_environments_are_drawn_by_weight(fake_environment, make_settings):
    stream = TaskStream(pools(fake_environment, make_settings, (10, 10)), [3, 1], Uniform(), seed=1)
    share = sum(draw.environment == 0 for draw in stream.draw(2000)) / 2000
    assert share == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize("sampler", [Uniform(), Curriculum()])
def test_a_restored_stream_goes_on_exactly(sampler, fake_environment, make_settings):
    made = pools(fake_environment, make_settings, (10, 7))
    stream = TaskStream(made, [2, 1], sampler, seed=1)
    for draw in stream.draw(23):
        stream.record({draw.task.key: 0.4})
    saved = stream.state()
    expected = [draw.task.key for draw in stream.draw(40)]
    other = TaskStream(made, [2, 1], sampler, seed=1)
    other.restore(saved)
    assert [draw.task.key for draw in other.draw(40)] == expected


def test_a_test_split_is_held_out_and_without_one_training_tasks_are(fake_environment, make_settings):
    with_split = open_pool(fake_environment(splits=("train", "test")), make_settings(eval_tasks=8))
    assert {task.split for task in with_split.held_out} == {"test"}
    assert len(with_split.train) == 40
    without = open_pool(fake_environment(), make_settings(eval_tasks=8))
    assert len(without.held_out) == 8
    assert len(without.train) == 32
    assert not {task.id for task in without.held_out} & {task.id for task in without.train}
    assert without == open_pool(without.environment, make_settings(eval_tasks=8))


def test_an_empty_split_is_refused(fake_environment, make_settings):
    with pytest.raises(EnvironmentUnfitError, match="no tasks"):
        open_pool(fake_environment(tasks=0), make_settings())


def test_verdicts_are_matched_to_their_samples_whatever_order_they_come_in(fake_environment, make_settings):
    environment = fake_environment()
    (task, *_) = open_pool(environment, make_settings()).train
    draw = Draw(0, "test/digits", task)
    with Scorer([environment], print) as scorer:
        scoring = scorer.round()
        for key in range(20):
            scoring.submit(key, 0, draw, "1" * key + "a" * (20 - key))
        verdicts = scoring.verdicts()
    assert [verdicts[key].rewards["digits"] for key in range(20)] == [key / 20 for key in range(20)]


def test_a_stream_that_breaks_leaves_the_rest_unjudged_by_host_fault(fake_environment, make_settings):
    environment, warnings = fake_environment(), []
    (task, *_) = open_pool(environment, make_settings()).train

    def verify(task, response):
        if response == "boom":
            raise OSError("the engine is gone")
        return {"digits": 1.0}

    environment.verify = verify
    with Scorer([environment], warnings.append) as scorer:
        scoring = scorer.round()
        for key, response in enumerate(["1", "2", "3", "4", "boom", "6"]):
            scoring.submit(key, 0, Draw(0, "test/digits", task), response)
        verdicts = scoring.verdicts()
    assert [verdicts[key].rewards["digits"] for key in range(6)] == [1.0, 1.0, 1.0, None, None, None]
    assert verdicts[5].error.kind is ErrorKind.HOST
    assert "the engine is gone" in warnings[0]
