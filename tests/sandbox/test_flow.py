"""A verdict, followed through the host's code while it runs: which modules it passes, as the page lists them."""

from collections.abc import Callable

from sandbox.checks.samples import TASK
from sandbox.guest import frames
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from tests.making.flows import Flow, layers, listed
from tests.sandbox.clocks import HandClock, run_by_hand
from tests.sandbox.guests import Say, ToldBackend, answer_all

MOST_MODULES = 13
MOST_AT_ONCE = 6
"""However long the path: so many of its modules are under way at once."""
ANSWERS = {
    ("host/call_group_run.py", "host/dispatcher.py"),  # on_end: a group's result
    ("host/call_groups.py", "host/scoring_stream.py"),  # deliver: a call's reply
}
"""The way back up: two callbacks."""


def _layer_of() -> Callable[[str], tuple[int, int]]:
    """The layer of a module by the import contracts, of the sandbox and of its host; the highest is 0."""
    over_all, of_host = layers("sandbox-layers"), layers("sandbox-host-layers")

    def layer(module: str) -> tuple[int, int]:
        first, _, second = module.removesuffix(".py").partition("/")
        return over_all[first], of_host[second] if first == "host" else 0

    return layer


def _verdict(source: Source) -> Flow:
    def answers(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            answer_all(say, ident, payload)

    async def run() -> Flow:
        settings = SandboxSettings(replay_fraction=0.0, boxes_per_package=1)
        async with Sandbox(ToldBackend(answers), settings, HandClock()) as sandbox:

            async def judge() -> None:
                calls = [Call("1", TASK, response="2")]
                found = [one async for one in sandbox.score(source, calls, isolation=Isolation.BATCH)]
                assert found[0][1].rewards == {"correct": 1.0}

            await judge()  # the box opens
            flow = Flow("sandbox")
            with flow.following():
                await judge()
        return flow

    return run_by_hand(run())


def test_a_verdict_passes_the_modules_that_the_page_lists_and_calls_downwards(equal_source: Source) -> None:
    flow = _verdict(equal_source)
    assert sorted(flow.modules) == sorted(listed("sandbox.md", "A verdict on the host, step by step", "sandbox"))
    assert len(flow.modules) <= MOST_MODULES
    assert flow.depth(flow.modules) <= MOST_AT_ONCE, max(flow.stacks, key=len)
    layer = _layer_of()
    upwards = {(caller, called) for caller, called in flow.calls if layer(called) < layer(caller)}
    assert upwards == ANSWERS
