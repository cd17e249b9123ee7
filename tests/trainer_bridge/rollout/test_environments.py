"""Tasks: mixed, resumed, held out. Verdicts: streamed while others are played, and never a guess."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from schemas.manifest import Manifest
from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.batch import Draw
from trainer_bridge.components.samplers import Curriculum, Uniform
from trainer_bridge.errors import EnvironmentUnfitError, ScoringError
from trainer_bridge.rollout.environments import Scorer, TaskStream, open_pool

# Tasks


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


# Verdicts


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


def scored(environment, make_settings, count=3, warnings=None):
    (task, *_) = open_pool(environment, make_settings()).train
    with Scorer([environment], (warnings if warnings is not None else []).append) as scorer:
        scoring = scorer.round()
        for key in range(count):
            scoring.submit(key, 0, Draw(0, "test/digits", task), "1")
        return scoring.verdicts()


@pytest.mark.parametrize("index", [-1, 3, 0])
def test_a_verdict_that_belongs_to_no_sample_is_an_error_and_not_a_reward(index, fake_environment, make_settings):
    environment = fake_environment()

    async def score_stream(pairs):
        async for _ in pairs:
            pass
        yield 0, Verdict(rewards={"digits": 1.0})
        yield index, Verdict(rewards={"digits": 1.0})

    environment.score_stream = score_stream
    with pytest.raises(ScoringError, match=f"sample {index}"):
        scored(environment, make_settings)


def test_a_stream_that_cannot_even_begin_is_told(fake_environment, make_settings):
    environment, warnings = fake_environment(), []

    def score_stream(pairs):
        raise RuntimeError("no box")

    environment.score_stream = score_stream
    verdicts = scored(environment, make_settings, warnings=warnings)
    assert {verdict.error.kind for verdict in verdicts.values()} == {ErrorKind.HOST}
    assert "no box" in warnings[0]


def test_a_stream_that_is_cancelled_is_told(fake_environment, make_settings):
    environment, warnings = fake_environment(), []

    async def score_stream(pairs):
        async for _ in pairs:
            asyncio.current_task().cancel()
            await asyncio.Event().wait()
        yield 0, Verdict(rewards={})

    environment.score_stream = score_stream
    verdicts = scored(environment, make_settings, warnings=warnings)
    assert all(verdict.error.kind is ErrorKind.HOST for verdict in verdicts.values())
    assert warnings


def test_a_stream_that_ends_early_leaves_the_rest_unjudged(fake_environment, make_settings):
    environment = fake_environment()

    async def score_stream(pairs):
        async for _ in pairs:
            yield 0, Verdict(rewards={"digits": 1.0})
            return

    environment.score_stream = score_stream
    verdicts = scored(environment, make_settings)
    assert verdicts[0].rewards == {"digits": 1.0}
    assert "ended without" in verdicts[2].error.message


def test_more_verdicts_than_any_channel_holds_come_while_nobody_reads(fake_environment, make_settings):
    verdicts = scored(fake_environment(), make_settings, count=3000)
    assert len(verdicts) == 3000
    assert all(verdict.error is None for verdict in verdicts.values())


class Verifier:
    """Judges "1" as 1; breaks at ``break_at`` calls, before any when it is 0."""

    def __init__(self, break_at=None, silent=False) -> None:
        self.rewards = {"correct": None}
        self.manifest = SimpleNamespace(id="alice/sums")
        self.break_at, self.silent = break_at, silent

    async def score_stream(self, pairs):
        if self.break_at == 0:
            raise RuntimeError("no sandbox")
        index = 0
        async for _, response in pairs:
            if index == self.break_at:
                raise RuntimeError("the sandbox fell over")
            if not self.silent:
                yield index, Verdict(rewards={"correct": float(response)})
            index += 1


def draw(row):
    return SimpleNamespace(row=row)


def judge(verifiers, samples):
    warned = []
    with Scorer(verifiers, warned.append) as scorer:
        scoring = scorer.round()
        for key, (number, response) in enumerate(samples):
            scoring.submit(key, number, draw({"id": "t"}), response)
        return scoring.verdicts(), warned


def test_every_sample_gets_the_verdict_of_its_own_verifier() -> None:
    verdicts, warned = judge([Verifier(), Verifier()], [(n % 2, str(n % 3)) for n in range(200)])
    assert [verdicts[key].rewards["correct"] for key in range(200)] == [float(key % 3) for key in range(200)]
    assert warned == []


@pytest.mark.parametrize("break_at", [0, 3])
def test_samples_of_a_stream_that_broke_are_unjudged_and_the_others_stay(break_at) -> None:
    verdicts, warned = judge([Verifier(break_at), Verifier()], [(n % 2, "1") for n in range(40)])
    broken = [verdicts[key] for key in range(0, 40, 2)]
    assert [verdict.rewards["correct"] for verdict in broken] == [1.0] * break_at + [None] * (20 - break_at)
    assert {verdict.error.kind for verdict in broken[break_at:]} == {ErrorKind.HOST}
    assert [verdicts[key].rewards["correct"] for key in range(1, 40, 2)] == [1.0] * 20
    assert len(warned) == 1


def test_a_stream_that_ends_without_a_verdict_leaves_it_unjudged() -> None:
    verdicts, _ = judge([Verifier(silent=True)], [(0, "1")])
    assert (verdicts[0].rewards, verdicts[0].error.kind) == ({"correct": None}, ErrorKind.HOST)


def test_verdicts_come_while_samples_are_still_submitted() -> None:
    """What the first verdict says decides what is submitted next, as a decoder that overlaps with scoring would."""
    verifier = Verifier()
    seen = asyncio.Event()
    original = verifier.score_stream

    async def noted(pairs):
        async for one in original(pairs):
            yield one
            seen.set()

    verifier.score_stream = noted
    with Scorer([verifier], lambda _: None) as scorer:
        scoring = scorer.round()
        scoring.submit(0, 0, draw({"id": "t"}), "1")
        asyncio.run_coroutine_threadsafe(asyncio.wait_for(seen.wait(), 60), scorer._loop).result()
        scoring.submit(1, 0, draw({"id": "t"}), "0")
        verdicts = scoring.verdicts()
    assert [verdicts[key].rewards["correct"] for key in (0, 1)] == [1.0, 0.0]


def test_leaving_in_the_middle_of_a_round_does_not_hang() -> None:
    with Scorer([Verifier()], lambda _: None) as scorer:
        scorer.round().submit(0, 0, draw({"id": "t"}), "1")
