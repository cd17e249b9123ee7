"""Rollouts: many at once, exact tokens, masks over what the policy wrote; one that breaks teaches nothing."""

import asyncio
import dataclasses
import threading

import pytest
import torch

from hub_client.evaluation.harness_loader import open_harness
from schemas.manifest import RewardDeclaration
from schemas.task import Task
from tests.trainer_bridge.rollout.decoding.families import make_model
from tests.trainer_bridge.sessions_in_memory import Counting, Dying, SessionHub
from trainer_bridge.batch import State
from trainer_bridge.components.losses import Counts
from trainer_bridge.learn.learner import Learner
from trainer_bridge.loop import train
from trainer_bridge.recipe import load_recipe
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.rewards import merge_spaces
from trainer_bridge.rollout.chat import ChatModel
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.forward import LlamaForward
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.rollouts import Draw, as_batch, as_samples
from trainer_bridge.rollout.scorer import Scorer
from trainer_bridge.rollout.worker import LiveEngine, PlayLimits, RolloutWorker, StoppableRuns, run_in_loop


@pytest.fixture
def engine():
    return Engine(LlamaForward(make_model("smollm2")), (), EngineSettings(slots=32))


def ask(number):
    return GenerationRequest((number % 50, 3), 2, Sampling(1.0), seed=number)


def test_hundreds_of_sessions_live_at_the_same_time(engine):
    count = 300
    together = threading.Barrier(count)  # broken unless all of them wait at once
    done = []

    async def rollout(live, number):
        await live.write(ask(number))
        await live.wait(together.wait)
        await live.write(ask(number))
        done.append(number)

    live = LiveEngine(engine, most=count)
    run_in_loop(live.run_all([rollout(live, number) for number in range(count)]))
    assert sorted(done) == list(range(count))


def test_a_slow_environment_stops_no_other(engine):
    answered = threading.Event()
    others = []

    async def slow(live):
        await live.write(ask(0))
        await live.wait(answered.wait)  # for ever, unless the others get to their end
        others.append("slow")

    async def quick(live, number):
        for turn in range(3):
            await live.write(ask(number + turn))
            await live.wait(lambda: None)
        others.append(number)
        if len(others) == 8:
            answered.set()

    live = LiveEngine(engine, most=9)
    run_in_loop(live.run_all([slow(live), *(quick(live, number) for number in range(8))]))
    assert others[-1] == "slow"
    assert len(others) == 9


def test_no_more_live_than_allowed(engine):
    now, most = [0], [0]

    async def rollout(live, number):
        now[0] += 1
        most[0] = max(most[0], now[0])
        await live.write(ask(number))
        await live.wait(lambda: None)
        now[0] -= 1

    live = LiveEngine(engine, most=3)
    run_in_loop(live.run_all([rollout(live, number) for number in range(12)]))
    assert most[0] == 3


def test_an_error_ends_all_the_others_and_is_raised(engine):
    ended = []

    async def waits(live):
        try:
            await live.write(GenerationRequest((1,), 10_000, Sampling(1.0), seed=0))
        finally:
            await live.wait(lambda: ended.append(True))

    async def breaks(live):
        await live.write(ask(1))
        raise ValueError("a mistake of ours")

    live = LiveEngine(engine, most=4)
    with pytest.raises(ValueError, match="a mistake of ours"):
        run_in_loop(live.run_all([waits(live), breaks(live)]))
    assert ended == [True], "what was open is closed"


def test_it_runs_where_a_loop_is_running_already(engine):
    async def rollout(live, found):
        found.append((await live.write(ask(1))).tokens)

    async def notebook():
        found = []
        live = LiveEngine(engine, most=1)
        run_in_loop(live.run_all([rollout(live, found)]))
        return found

    assert len(asyncio.run(notebook())) == 1


async def forever(begun):
    begun.set()
    await asyncio.Event().wait()


def test_a_run_is_broken_off_from_another_thread_and_no_later_one_begins():
    runs, begun, ended = StoppableRuns(), threading.Event(), []

    def work():
        with pytest.raises(asyncio.CancelledError):
            runs.run(forever(begun))
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    runs.stop()
    thread.join(60)
    assert ended == [True]
    with pytest.raises(asyncio.CancelledError):
        runs.run(forever(begun))


def test_runs_follow_each_other_and_stopping_none_is_no_error():
    async def number(value):
        await asyncio.sleep(0)
        return value

    runs = StoppableRuns()
    assert [runs.run(number(value)) for value in range(3)] == [0, 1, 2]
    runs.stop()


SPACE = merge_spaces({"test/counting": {"digits": RewardDeclaration()}})


@pytest.fixture
def collect(tiny):
    """Play ``tasks`` tasks twice each in sessions that ``make`` makes; returns hub, rollouts and timing."""

    def play(make=Counting, tasks=2, length=4, limits=None, slots=16, seed=0):
        hub = SessionHub(make)
        (environment,) = hub.environments.values()
        draws = [Draw(0, "test/counting", Task.read(row)) for row in environment.tasks("train", limit=tasks)]
        with Scorer([environment], lambda text: None) as scorer:
            worker = RolloutWorker(
                engine=open_engine(tiny, slots=slots),
                model=ChatModel(tiny, "tiny"),
                harness=open_harness(hub, ""),
                environments=[environment],
                scorer=scorer,
                generator=torch.Generator().manual_seed(seed),
                progress=NoProgress(),
                limits=limits or PlayLimits(),
            )
            return hub, *worker.collect(draws, 2, length, Sampling(1.0))

    return play


def spoken(tiny, rollout):
    (sequence,) = rollout.sequences
    return [
        tiny.tokenizer.decode(
            [token for token, call in zip(sequence.tokens, sequence.call, strict=True) if call == number]
        )
        for number in (-1, 0, 1, 2)
    ]


def test_all_turns_of_a_session_are_one_sequence_and_the_environments_words_are_not_learnt(collect, tiny):
    hub, rollouts, _ = collect()
    assert len(rollouts) == 4
    for rollout in rollouts:
        assert rollout.turns == 3
        read, *written = spoken(tiny, rollout)
        assert [f"ZZ{turn}" in read for turn in (1, 2, 3)] == [True, True, False], "the last word has no answer"
        assert all(written)
        assert not any("ZZ" in text for text in written)
        assert rollout.verdict.rewards["digits"] is not None
    batch = as_batch(rollouts, SPACE, torch.device("cpu"))
    assert batch.length_B.tolist() == [rollout.tokens for rollout in rollouts]
    assert hub.played.closed == 4


def test_what_was_recorded_while_sampling_is_what_the_learner_computes(collect, tiny, make_settings):
    _, rollouts, _ = collect()
    batch = as_batch(rollouts, SPACE, torch.device("cpu"))
    learner = Learner(tiny.model, load_recipe("rloo"), make_settings(temperature=1.0))
    measured, _ = learner.measure(as_samples(rollouts), batch.mask_BT.shape[1])
    difference = (measured - batch.sampler_logprobs_BT) * batch.mask_BT
    assert difference.abs().max() < 1e-4


def test_the_loss_has_a_gradient_at_every_token_of_every_turn_and_nowhere_else(collect, tiny, make_settings):
    _, rollouts, _ = collect(tasks=1)
    batch = as_batch(rollouts, SPACE, torch.device("cpu"))
    learner = Learner(tiny.model, load_recipe("dapo"), make_settings(temperature=1.0))
    logprobs, _ = learner.measure(as_samples(rollouts), batch.mask_BT.shape[1])
    logprobs.requires_grad_(True)
    recipe, ones = load_recipe("dapo"), torch.ones_like(logprobs)
    weights = recipe.weigh_tokens(batch, ones)
    counts = Counts.of(batch.mask_BT)
    recipe.loss(logprobs, ones, batch, ones, weights, counts, State()).total.backward()
    assert (logprobs.grad[~batch.mask_BT] == 0).all()
    for row, rollout in enumerate(rollouts):
        calls = torch.tensor([call for one in rollout.sequences for call in one.call])
        for turn in range(3):
            assert (logprobs.grad[row, : len(calls)][calls == turn] != 0).all()


def test_learning_from_the_second_turn_alone_makes_it_likelier(collect, tiny, make_settings):
    """Through the real learner: packing, model, backward and AdamW."""
    _, rollouts, _ = collect(tasks=1)
    batch = as_batch(rollouts, SPACE, torch.device("cpu"))
    width = batch.mask_BT.shape[1]
    second = torch.zeros_like(batch.mask_BT)
    for row, rollout in enumerate(rollouts):
        flags = [call == 1 for one in rollout.sequences for call in one.call]
        second[row, : len(flags)] = torch.tensor(flags)
    learner = Learner(tiny.model, load_recipe("rloo"), make_settings(temperature=1.0))
    before, _ = learner.measure(as_samples(rollouts), width)
    up = torch.ones(len(rollouts), dtype=torch.float64)
    learner.update(dataclasses.replace(batch, mask_BT=second), as_samples(rollouts), up, up, State())
    after, _ = learner.measure(as_samples(rollouts), width)
    assert (after - before)[second].mean() > 0


def test_a_session_that_dies_masks_its_own_rollout_and_no_other(collect):
    hub, rollouts, _ = collect(make=Dying)
    broken = [rollout for rollout in rollouts if rollout.draw.task.id == "train-1"]
    whole = [rollout for rollout in rollouts if rollout.draw.task.id == "train-0"]
    assert all("process has ended" in rollout.verdict.error.message for rollout in broken)
    assert all(rollout.verdict.rewards == {"digits": None} for rollout in broken)
    assert all(rollout.verdict.error is None for rollout in whole)
    assert hub.played.closed == 4, "also what died is closed"
    batch = as_batch(rollouts, SPACE, torch.device("cpu"))
    assert batch.rewards_BK.isnan()[:, 0].tolist() == [False, False, True, True]


def test_limits_of_turns_and_of_tokens_end_a_rollout_as_it_stands(collect):
    _, two_turns, _ = collect(limits=PlayLimits(turns=2))
    assert {rollout.turns for rollout in two_turns} == {2}
    assert all(rollout.truncated for rollout in two_turns)
    assert all(rollout.verdict.error is None for rollout in two_turns), "it is judged as it stands"
    _, short, _ = collect(limits=PlayLimits(tokens=20))
    assert all(rollout.truncated for rollout in short)
    for rollout in short:
        assert all(len(one.prompt) + len(one.tokens) <= 20 for one in rollout.sequences)


def test_samples_of_a_task_begin_in_the_same_state_and_are_still_different(collect):
    hub, rollouts, _ = collect()
    seeds = {}
    for session in hub.played.opened:
        seeds.setdefault(session.task["id"], set()).add(session.seed)
    assert {len(found) for found in seeds.values()} == {1}
    assert len({rollout.sequences for rollout in rollouts}) == 4


def test_the_same_seed_gives_the_same_rollouts(collect):
    first, again, other = ([rollout.sequences[0].tokens for rollout in collect(seed=seed)[1]] for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_a_run_on_a_session_environment_trains_on_every_turn(make_settings):
    hub = SessionHub()
    settings = make_settings(targets=("test/counting",), steps=2, max_completion_length=4, recipe="rloo")
    result = train(settings, hub=hub)
    assert result.steps == 2
    (last,) = [point for point in hub.runs.points if point.step == 2][:1]
    assert last.values["rollout/turns"] == 3
    assert last.values["rollout/sequences"] == 1
    assert last.values["completions/mean_length"] > 4, "of three turns, not of one"
    assert last.values["mismatch_kl/mean"] == pytest.approx(0, abs=1e-8)
    assert "[user] ZZ1" in hub.runs.rows[-1].response


def test_rewards_by_turn_are_learnt_from_where_all_outcomes_are_equal(make_settings):
    given = {"targets": ("test/counting",), "steps": 1, "max_completion_length": 4, "eval_tasks": 0}
    trained = {}
    for recipe in ("rloo", "turns"):
        hub = SessionHub()
        (environment,) = hub.environments.values()
        environment.outcome = 1.0
        train(make_settings(recipe=recipe, output=make_settings().output / recipe, **given), hub=hub)
        (point,) = [point for point in hub.runs.points if point.step == 1]
        assert point.values["rollout/judged_turns"] == 3
        trained[recipe] = point.values["num_trained"], point.values["grad_norm"]
    assert trained["rloo"] == (0, 0)
    assert min(trained["turns"]) > 0


def test_a_turns_rewards_stand_at_the_turn_that_earned_them(collect):
    hub, rollouts, _ = collect()
    batch = as_batch(rollouts, SPACE, torch.device("cpu"))
    said = sorted(session.digits for session in hub.played.opened)
    assert sorted(batch.turn_rewards_BM.tolist()) == [pytest.approx(digits) for digits in said]
    assert batch.turn_BT.max() == 2


def test_a_step_that_was_not_judged_is_nan_and_a_step_that_earned_nothing_is_0(collect):
    class Mute(Counting):
        def step(self, message):
            said = super().step(message)
            known = {1: {"digits": 0.5}, 2: {"digits": None}, 3: None}[len(self.digits)]
            return {**said, "rewards": known}

    batch = as_batch(collect(make=Mute)[1], SPACE, torch.device("cpu"))
    assert [str(value) for value in batch.turn_rewards_BM[0].tolist()] == ["0.5", "nan", "0.0"]
