"""Verdicts are streamed while others are played, and never a guess."""

import asyncio
from types import SimpleNamespace

import pytest

from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.errors import ScoringError
from trainer_bridge.rollout.rollouts import BROKEN, Draw
from trainer_bridge.rollout.scorer import Scorer, why_unjudged
from trainer_bridge.rollout.task_stream import open_pool


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


def unjudged(*errors: tuple[ErrorKind, str] | None) -> list[SimpleNamespace]:
    verdicts = [Verdict.unjudged(["r"], *error) if error else Verdict(rewards={"r": None}) for error in errors]
    return [SimpleNamespace(verdict=verdict, lost=0) for verdict in verdicts]


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


def test_a_verifier_that_was_never_asked_is_not_blamed() -> None:
    """It read "The verifier raised" where the harness had, or where boxes were killed in every try."""
    [broken] = unjudged((ErrorKind.VERIFIER_FAILED, f"{BROKEN}: KeyError"))
    said = why_unjudged([broken])
    assert "(1 x rollout broken)" in said
    assert "and not the verifier: `verihub check`" in said
    broken.lost = 3
    said = why_unjudged([broken])
    assert "(1 x lost with its process)" in said
    assert "ended in every try" in said
    assert "--resume" in said
    [away] = unjudged((ErrorKind.HOST, f"{BROKEN}: no answer"))
    away.lost = 4
    assert "`verihub doctor`" in why_unjudged([away])
