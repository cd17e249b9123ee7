import asyncio
import gc
import weakref

import pytest

from hub_client.adapters.batcher import judge_together
from schemas.verdict import ErrorKind, Verdict


class Verifier:
    """Counts its streams; ``broken`` raises, ``silent`` leaves the second verdict out."""

    def __init__(self, kind="") -> None:
        self.kind, self.streams, self.rewards = kind, [], {"correct": None}

    async def score_stream(self, pairs):
        self.streams.append(len(pairs))
        if self.kind == "broken":
            raise RuntimeError("no sandbox")
        for index, (_, response) in reversed(list(enumerate(pairs))):
            if not (self.kind == "silent" and index == 1):
                yield index, Verdict(rewards={"correct": float(response)})


async def ask(verifier, count):
    calls = (judge_together(verifier, ({"id": "t"}, str(number))) for number in range(count))
    return await asyncio.gather(*calls, return_exceptions=True)


def test_asks_of_a_moment_are_one_stream_and_each_gets_its_own_verdict() -> None:
    verifier = Verifier()
    verdicts = asyncio.run(ask(verifier, 50))
    assert [verdict.rewards["correct"] for verdict in verdicts] == [float(number) for number in range(50)]
    assert verifier.streams == [50]


def test_later_asks_are_a_stream_of_their_own_in_another_loop_too() -> None:
    verifier = Verifier()
    for _ in range(2):
        assert len(asyncio.run(ask(verifier, 2))) == 2
    assert verifier.streams == [2, 2]


def test_a_verdict_that_never_came_is_null_and_the_hosts_fault() -> None:
    _, lost, _ = asyncio.run(ask(Verifier("silent"), 3))
    assert (lost.rewards, lost.error.kind) == ({"correct": None}, ErrorKind.HOST)


def test_a_stream_that_breaks_is_told_to_everybody_who_asked() -> None:
    found = asyncio.run(ask(Verifier("broken"), 2))
    assert [str(error) for error in found] == ["no sandbox", "no sandbox"]


def test_whoever_stops_waiting_takes_nobody_with_it() -> None:
    async def run():
        verifier = Verifier()
        gone = asyncio.ensure_future(judge_together(verifier, ({}, "1")))
        stays = asyncio.ensure_future(judge_together(verifier, ({}, "2")))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        return (await stays).rewards

    assert asyncio.run(run()) == {"correct": 2.0}


def test_a_verifier_that_is_used_no_more_is_let_go() -> None:
    verifier = Verifier()
    asyncio.run(ask(verifier, 2))
    gone = weakref.ref(verifier)
    del verifier
    gc.collect()
    assert gone() is None
