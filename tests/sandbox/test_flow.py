"""A verdict, followed through the host's code while it runs: which modules it passes, as the page lists them."""

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import sandbox as package
from sandbox.checks.samples import TASK
from sandbox.guest import frames
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from tests.sandbox.clocks import HandClock, run_by_hand
from tests.sandbox.guests import Say, ToldBackend, answer_all

HERE = Path(package.__file__).parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "explanation" / "sandbox.md"
PATH = re.compile(r"`sandbox/([a-z_/0-9]+\.py)`")
MOST_MODULES = 12
ANSWERS = {
    ("host/call_group_run.py", "host/dispatcher.py"),  # on_end: a group's result
    ("host/call_groups.py", "host/scoring_stream.py"),  # deliver: a call's reply
}
"""The way back up: two callbacks."""


class Trace:
    """Modules of the sandbox that ran, and which of them called which."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.calls: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        module = _module(frame) if event == "call" else None
        if module is None:
            return
        self.modules.add(module)
        back = frame.f_back
        while back is not None and not _is_of_the_project(back):
            back = back.f_back
        caller = _module(back) if back is not None else None
        if caller is not None:  # None: the test's own box, or the event loop
            self.calls.add((caller, module))


def _is_of_the_project(frame: FrameType) -> bool:
    file = Path(frame.f_code.co_filename)
    return file.is_relative_to(HERE) or file.is_relative_to(ROOT / "tests")


def _module(frame: FrameType) -> str | None:
    file = Path(frame.f_code.co_filename)
    return file.relative_to(HERE).as_posix() if file.is_relative_to(HERE) else None


@contextmanager
def traced() -> Iterator[Trace]:
    """Follow this thread: a verdict needs no other."""
    trace, before = Trace(), sys.getprofile()
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(before)


def _layer_of() -> Callable[[str], tuple[int, int]]:
    """The layer of a module by the import contracts, of the sandbox and of its host; the highest is 0."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    ranks = []
    for ident in ("sandbox-layers", "sandbox-host-layers"):
        layers = next(one["layers"] for one in contracts if one["id"] == ident)
        ranks.append({name.strip(): at for at, layer in enumerate(layers) for name in layer.split("|")})
    over_all, of_host = ranks

    def layer(module: str) -> tuple[int, int]:
        first, _, second = module.removesuffix(".py").partition("/")
        return over_all[first], of_host[second] if first == "host" else 0

    return layer


def _verdict(source: Source) -> Trace:
    def answers(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            answer_all(say, ident, payload)

    async def run() -> Trace:
        settings = SandboxSettings(replay_fraction=0.0, boxes_per_package=1)
        async with Sandbox(ToldBackend(answers), settings, HandClock()) as sandbox:

            async def judge() -> None:
                calls = [Call("1", TASK, response="2")]
                found = [one async for one in sandbox.score(source, calls, isolation=Isolation.BATCH)]
                assert found[0][1].rewards == {"correct": 1.0}

            await judge()  # the box opens
            with traced() as trace:
                await judge()
        return trace

    return run_by_hand(run())


def test_a_verdict_passes_the_modules_that_the_page_lists_and_calls_downwards(equal_source: Source) -> None:
    trace = _verdict(equal_source)
    section = PAGE.read_text().partition("### A verdict on the host, step by step\n")[2].partition("\n## ")[0]
    assert sorted(trace.modules) == sorted(set(PATH.findall(section)))
    assert len(trace.modules) <= MOST_MODULES
    layer = _layer_of()
    upwards = {(caller, called) for caller, called in trace.calls if layer(called) < layer(caller)}
    assert upwards == ANSWERS
