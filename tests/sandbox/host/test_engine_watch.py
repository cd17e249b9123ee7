"""Who waits for a box is told when the engine falls silent; who has one, or an engine that answers, waits on."""

import asyncio
from typing import Any

import pytest

from sandbox.host import engine_watch
from sandbox.host.engine_watch import unless_silent
from tests.sandbox.clocks import run_without_waiting


class SilentError(Exception):
    pass


class Engine:
    def __init__(self, *, is_silent: bool = True, has_box: bool = False) -> None:
        self.is_silent, self.box = is_silent, has_box
        self.looked_at: list[float] = []

    async def see(self) -> None:
        self.looked_at.append(asyncio.get_running_loop().time())
        if self.is_silent:
            await asyncio.sleep(2)
            raise SilentError

    async def wait_for(self, made: Any) -> Any:
        return await unless_silent(made, has_box=lambda: self.box, see_engine=self.see, every_seconds=5)


async def slow(seconds: float, cancelled: list[str] | None = None) -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        if cancelled is not None:
            cancelled.append("cancelled")
        raise
    return "made"


def test_what_comes_in_time_asks_nobody() -> None:
    engine = Engine()
    assert run_without_waiting(engine.wait_for(slow(4))) == "made"
    assert engine.looked_at == []


@pytest.mark.parametrize("engine", [Engine(has_box=True), Engine(is_silent=False)])
def test_a_box_that_works_and_an_engine_that_answers_are_waited_for(engine: Engine) -> None:
    assert run_without_waiting(engine.wait_for(slow(1000))) == "made"
    assert len(engine.looked_at) == (0 if engine.box else 199)


def test_a_silent_engine_ends_what_waits_for_a_box() -> None:
    engine, cancelled = Engine(), []

    async def main() -> float:
        began = asyncio.get_running_loop().time()
        with pytest.raises(SilentError):
            await engine.wait_for(slow(1000, cancelled))
        return asyncio.get_running_loop().time() - began

    assert run_without_waiting(main()) == pytest.approx(7)
    assert cancelled == ["cancelled"]
    assert not engine_watch._left


def test_what_ends_while_the_engine_is_looked_at_is_there_at_once() -> None:
    async def main() -> float:
        began = asyncio.get_running_loop().time()
        assert await Engine().wait_for(slow(6)) == "made"
        return asyncio.get_running_loop().time() - began

    assert run_without_waiting(main()) == pytest.approx(6)


def test_what_cannot_be_cancelled_is_not_waited_for() -> None:
    """A box that is half open is removed through the engine that hangs."""

    async def stubborn() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            await asyncio.sleep(1000)

    async def main() -> float:
        began = asyncio.get_running_loop().time()
        with pytest.raises(SilentError):
            await Engine().wait_for(stubborn())
        return asyncio.get_running_loop().time() - began

    assert run_without_waiting(main()) == pytest.approx(7)


def test_an_error_of_the_work_is_raised_as_it_is_and_cancelling_reaches_it() -> None:
    async def fails() -> None:
        await asyncio.sleep(6)
        raise KeyError("its own")

    with pytest.raises(KeyError, match="its own"):
        run_without_waiting(Engine().wait_for(fails()))
    cancelled: list[str] = []

    async def main() -> None:
        waiting = asyncio.create_task(Engine().wait_for(slow(1000, cancelled)))
        await asyncio.sleep(6)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.sleep(0)

    run_without_waiting(main())
    assert cancelled == ["cancelled"]
