"""The pool: which dispatcher, whose boxes, and what goes when nobody needs it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.samples import Sample
from sandbox.errors import SandboxUnavailableError
from sandbox.guest import frames
from sandbox.host import box_pool
from sandbox.host.box import BoxState
from sandbox.host.box_pool import BoxPool
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.solution_relay import Solved
from sandbox.host.solution_request import ask
from sandbox.interface import Source
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import Say, ToldBackend, answer_all

SETTINGS = SandboxSettings(boxes_per_package=2, max_boxes=8, box_idle_seconds=600.0)
CODE = "def verify(task, response):\n    return {'correct': 1.0}\n"


def judges(say: Say, kind: int, ident: int, payload: bytes) -> None:
    if kind == frames.RUN:
        answer_all(say, ident, payload)


def with_pool(test: Callable[[BoxPool, HandClock, ToldBackend], Awaitable[None]]) -> None:
    async def run() -> None:
        clock, backend = HandClock(), ToldBackend(judges)
        pool = BoxPool(backend, SETTINGS, SandboxMetrics(), clock)
        try:
            await test(pool, clock, backend)
        finally:
            await pool.aclose()
        assert all(connection.is_killed for connection in backend.connections)

    run_by_hand(run())


def test_one_dispatcher_a_release_and_another_for_fresh_boxes(tmp_path: Path) -> None:
    sources = [Sample(CODE, name=f"p{i}").source(tmp_path) for i in range(2)]

    async def test(pool: BoxPool, *_: object) -> None:
        first = pool.verifier_dispatcher(sources[0])
        assert pool.verifier_dispatcher(sources[0]) is first
        assert pool.verifier_dispatcher(sources[1]) is not first
        assert pool.verifier_dispatcher(sources[0], single_use=True) is not first
        assert pool.solution_dispatcher() is pool.solution_dispatcher()

    with_pool(test)


def test_boxes_that_are_idle_long_enough_end(equal_source: Source) -> None:
    async def test(pool: BoxPool, clock: HandClock, backend: ToldBackend) -> None:
        await pool.verifier_dispatcher(equal_source).boxes.ensure(2)
        await clock.advance(590)
        assert pool.live.by_state() == {"idle": 2}
        await clock.advance(30)
        assert pool.live.by_state() == {}
        assert pool.metrics.total("boxes_retired") == 2

    with_pool(test)


def test_a_box_for_sessions_is_occupied_and_not_the_janitors(equal_source: Source) -> None:
    async def test(pool: BoxPool, clock: HandClock, backend: ToldBackend) -> None:
        box = await pool.open_environment(equal_source)
        assert box.state is BoxState.BUSY
        box.vacate()
        pool.solution_dispatcher()
        await clock.advance(2000)
        assert box.state is BoxState.IDLE

    with_pool(test)


def test_a_box_of_every_call_its_own(equal_source: Source) -> None:
    async def test(pool: BoxPool, clock: HandClock, backend: ToldBackend) -> None:
        dispatcher = pool.verifier_dispatcher(equal_source, single_use=True)
        await asyncio.gather(*(ask(dispatcher, b"{}", 1.0) for _ in range(5)))
        assert len(backend.connections) == 5

    with_pool(test)


def test_dispatchers_that_hold_nothing_are_forgotten_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box_pool, "_KEPT_DISPATCHERS", 3)
    sources = [Sample(CODE, name=f"p{i}").source(tmp_path) for i in range(8)]

    async def test(pool: BoxPool, *_: object) -> None:
        first = pool.verifier_dispatcher(sources[0])
        await first.boxes.ensure(1)
        idle = [pool.verifier_dispatcher(source) for source in sources[1:]]
        assert pool.verifier_dispatcher(sources[0]) is first
        assert len(pool._dispatchers) <= 5
        late = await ask(idle[0], b"{}", 1.0)  # a stream that still has it
        assert isinstance(late.outcome, bytes)

    with_pool(test)


def test_closing_tells_whoever_waits(equal_source: Source) -> None:
    async def run() -> None:
        pool = BoxPool(ToldBackend(lambda *_: None), SETTINGS, SandboxMetrics(), HandClock())
        asking = [asyncio.ensure_future(ask(pool.verifier_dispatcher(equal_source), b"{}", 1.0)) for _ in range(9)]
        await settled()
        await pool.aclose()
        answers = await asyncio.gather(*asking)
        assert {answer.outcome.kind for answer in answers if not isinstance(answer.outcome, bytes)} == {"host"}
        assert len(answers) == 9

    run_by_hand(run())


def test_whoever_waits_for_a_solutions_first_box_may_be_told_that_none_comes() -> None:
    """A verifier's box was open, so nobody looked at the engine, and the request waited to the end of its patience."""
    asked: list[bool] = []

    async def attended(has_box: Callable[[], bool], solving: Coroutine[Any, Any, Solved]) -> Solved:
        task = asyncio.ensure_future(solving)
        await settled()
        asked.append(has_box())
        if has_box():
            return await task
        task.cancel()
        raise SandboxUnavailableError("silent")

    async def test(pool: BoxPool, _: HandClock, backend: ToldBackend) -> None:
        pool.attended = attended
        request = json.dumps({"code": "", "argv": None, "files": {}, "stdin": "", "entry": None, "calls": None, "timeout_seconds": 1, "memory_mb": 64}).encode()  # fmt: skip
        opening, backend.open = backend.open, hanging  # type: ignore[method-assign]
        with pytest.raises(SandboxUnavailableError, match="silent"):
            await pool.solve(request)
        await settled()
        assert not pool.solution_dispatcher().queue, "nobody waits for it any more"
        backend.open = opening  # type: ignore[method-assign]
        await pool.solution_dispatcher("3.12").boxes.ensure(1)
        await pool.solve(request, "3.12")
        assert asked == [False, True]

    with_pool(test)


async def hanging(*_: object) -> Any:
    await asyncio.Event().wait()
