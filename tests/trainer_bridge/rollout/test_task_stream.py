"""Tasks are mixed, resumed and held out."""

import json

import pytest

from schemas.manifest import Manifest
from trainer_bridge.components.samplers import Curriculum, Uniform
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.rollout.task_stream import TaskStream, open_pool


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
    saved = json.loads(json.dumps(stream.state()))
    expected = [draw.task.key for draw in stream.draw(40)]
    other = TaskStream(made, [2, 1], sampler, seed=1)
    other.restore(saved)
    assert [draw.task.key for draw in other.draw(40)] == expected


def test_a_test_split_is_held_out_and_without_one_training_tasks_are(fake_environment, make_settings):
    with_split = open_pool(fake_environment(splits=("train", "test")), make_settings(eval_tasks=8))
    assert {task.split for task in with_split.held_out} == {"test"}
    assert len(with_split.train) == 40 - 8
    without = open_pool(fake_environment(), make_settings(eval_tasks=8))
    assert len(without.held_out) == 8
    assert len(without.train) == 32
    assert not {task.id for task in without.held_out} & {task.id for task in without.train}
    assert without == open_pool(without.environment, make_settings(eval_tasks=8))


def endless(fake_environment, asked):
    """An environment whose tasks a function makes, without end; notes what was asked of it."""
    environment = fake_environment()
    environment.manifest = Manifest.model_validate(
        environment.manifest.model_dump(by_alias=True) | {"tasks": {"train": "test_digits:make"}}
    )

    def tasks(split, *, seed=0, start=0, limit=None):
        asked.append((start, limit))
        for number in range(start, start + limit):
            yield {"id": f"t{number}", "prompt": f"What is {number} + {seed}?", "answer": number + seed, "split": split}

    environment.tasks = tasks
    return environment


def drawn(environment, settings, steps, sampler=None, saved=None):
    stream = TaskStream([open_pool(environment, settings)], [], sampler or Uniform(), seed=1)
    if saved:
        stream.restore(saved)
    return [draw.task.id for _ in range(steps) for draw in stream.draw(4)], stream


def test_a_generator_gives_the_same_tasks_however_long_the_run_is_to_be(fake_environment, make_settings):
    """A pool of a size that depends on the steps made resuming with more of them another run, or end in an IndexError."""
    short, stream = drawn(endless(fake_environment, []), make_settings(steps=4), 4)
    whole, _ = drawn(endless(fake_environment, []), make_settings(steps=400), 400)
    resumed, _ = drawn(endless(fake_environment, []), make_settings(steps=400), 396, saved=stream.state())
    assert short + resumed == whole
    assert len(set(whole)) == 1600  # and it has no end: no task came twice


def test_of_a_generator_only_what_is_drawn_is_read(fake_environment, make_settings):
    asked = []
    drawn(endless(fake_environment, asked), make_settings(steps=10_000), 4)
    assert asked == [(0, 512)]


def test_what_is_held_out_of_a_generator_never_comes_back(fake_environment, make_settings):
    settings = make_settings(eval_tasks=8)
    pool = open_pool(endless(fake_environment, []), settings)
    ids, _ = drawn(endless(fake_environment, []), settings, 300)
    assert len(pool.held_out) == 8
    assert not {task.id for task in pool.held_out} & set(ids)


def test_a_generator_is_read_no_further_than_its_cap(fake_environment, make_settings):
    ids, _ = drawn(endless(fake_environment, []), make_settings(max_tasks=600, eval_tasks=0), 200)
    assert len(set(ids)) == 600


@pytest.mark.parametrize(
    "make", [lambda fake: fake(tasks=200), lambda fake: endless(fake, [])], ids=["file", "endless"]
)
def test_a_curriculum_sees_pass_rates_from_the_second_step_on(make, fake_environment, make_settings):
    """It used to order tasks once an epoch, which most runs never finish."""
    known = []

    class Watching(Curriculum):
        def order(self, keys, pass_rates, seed):
            known.append(len(pass_rates))
            return super().order(keys, pass_rates, seed)

    stream = TaskStream([open_pool(make(fake_environment), make_settings(eval_tasks=0))], [], Watching(), seed=1)
    for _ in range(20):
        draws = stream.draw(4)
        assert len({draw.task.id for draw in draws}) == 4
        stream.record({draw.task.key: float(int(draw.task.id.strip("train-")) % 2) for draw in draws})
    assert known[:3] == [0, 4, 8]
    assert len(known) == 20


class Splits:
    """Rows by split, as an environment gives them."""

    def __init__(self, fake, **rows):
        fake.tasks = lambda split, *, seed=0, start=0, limit=None: iter(
            [{"split": split, **row} for row in rows[split]][start : start + (limit or 10_000)]
        )
        self.environment = fake


def asked(count, first=0, ids="{}"):
    return [{"id": ids.format(n), "prompt": f"What is {n} + 1?", "answer": n + 1} for n in range(first, first + count)]


def test_the_same_question_under_another_id_is_not_trained_on(fake_environment, make_settings):
    made = Splits(fake_environment(splits=("train", "test")), train=asked(20, ids="a{}"), test=asked(8, ids="b{}"))
    pool = open_pool(made.environment, make_settings(eval_tasks=8))
    assert {task.prompt for task in pool.train}.isdisjoint({task.prompt for task in pool.held_out})
    assert len(pool.train) == 12


def test_another_question_under_the_same_id_is_trained_on(fake_environment, make_settings):
    """Files are often numbered from 0 in each split; ids are unique within a split only."""
    test = [{**row, "id": str(number)} for number, row in enumerate(asked(8, first=100))]
    made = Splits(fake_environment(splits=("train", "test")), train=asked(20), test=test)
    assert len(open_pool(made.environment, make_settings(eval_tasks=8)).train) == 20


def test_a_prompt_as_text_and_as_one_message_is_the_same_question(fake_environment, make_settings):
    chat = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in asked(8)]
    made = Splits(fake_environment(splits=("train", "test")), train=asked(20), test=chat)
    assert len(open_pool(made.environment, make_settings(eval_tasks=8)).train) == 12


def test_a_split_that_is_held_out_whole_is_refused_and_not_trained_on(fake_environment, make_settings):
    made = Splits(fake_environment(splits=("train", "test")), train=asked(8, ids="a{}"), test=asked(8, ids="b{}"))
    with pytest.raises(EnvironmentUnfitError, match=r"held out as well.*eval_split"):
        open_pool(made.environment, make_settings(eval_tasks=8))


def test_a_split_that_is_not_there_is_refused_with_those_that_are(fake_environment, make_settings):
    with pytest.raises(EnvironmentUnfitError, match=r"no split 'dev' to evaluate on; it has train, test\."):
        open_pool(fake_environment(splits=("train", "test")), make_settings(eval_split="dev"))


def test_training_on_the_test_split_holds_some_of_it_out(fake_environment, make_settings):
    made = Splits(fake_environment(splits=("test",)), test=asked(30))
    pool = open_pool(made.environment, make_settings(eval_tasks=64, train_split="test"))
    assert (len(pool.train), len(pool.held_out)) == (15, 15)
    assert {task.prompt for task in pool.train}.isdisjoint({task.prompt for task in pool.held_out})


def test_copies_of_a_held_out_task_within_the_training_split_go_too(fake_environment, make_settings):
    made = Splits(fake_environment(), train=[*asked(10, ids="a{}"), *asked(10, ids="b{}")])
    pool = open_pool(made.environment, make_settings(eval_tasks=4))
    assert {task.prompt for task in pool.train}.isdisjoint({task.prompt for task in pool.held_out})


def test_an_empty_split_is_refused(fake_environment, make_settings):
    with pytest.raises(EnvironmentUnfitError, match="no tasks"):
        open_pool(fake_environment(tasks=0), make_settings())
