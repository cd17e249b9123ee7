"""Whatever a box says, every call gets an answer, and other packages are served."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sandbox.checks.samples import TASK, Sample
from sandbox.errors import BoxLostError, HostFaultError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.box import Box, BoxState
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.solution_relay import Solved
from sandbox.interface import BoxRole, Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.clocks import run_without_waiting
from tests.sandbox.guests import Say, Script, ToldBackend, answer_all, outcome, reply

SHORT = SandboxSettings(replay_fraction=0.0, boxes_per_package=1, grace_seconds=0.05, host_retries=1)
Kill = Callable[[str], Awaitable[None]]
DEEP = b"[" * 100_000


@pytest.fixture
def quick_source(tmp_path: Path) -> Source:
    """A package that allows its calls a moment."""
    code = "def verify(task, response):\n    return {'correct': 1.0}\n"
    return Sample(code, name="quick", timeout_seconds=0.1).source(tmp_path)


async def verdicts_of(sandbox: Sandbox, source: Source, count: int = 1) -> list[Verdict]:
    calls = [Call(str(number), TASK, response="2") for number in range(count)]
    async with asyncio.timeout(60):
        return [verdict async for _, verdict in sandbox.score(source, calls, isolation=Isolation.CALL)]


def judged(source: Source, script: Script, *, start: bool = True) -> Verdict:
    async def run() -> Verdict:
        async with Sandbox(ToldBackend(script, start=start), SHORT) as sandbox:
            [verdict] = await verdicts_of(sandbox, source)
            return verdict

    return run_without_waiting(run())


def kind_of(verdict: Verdict) -> ErrorKind:
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    return verdict.error.kind


@pytest.mark.parametrize(
    "said",
    [
        b"[]",
        b"null",
        b"",
        b"{",
        b'{"import_seconds": "soon"}',
        b'{"import_seconds": NaN}',
        b'{"import_seconds": 1e999}',
        b'{"warmed_calls": -1}',
        b'{"python": "\\ud800"}',
        b"\xff",
        DEEP,
    ],
    ids=lambda said: said[:30].decode("latin-1") or "empty",
)
def test_a_box_that_is_ready_in_the_wrong_words_fails_its_package(quick_source: Source, said: bytes) -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.START:
            say(frames.READY, 0, said)

    verdict = judged(quick_source, script, start=False)
    assert kind_of(verdict) is ErrorKind.VERIFIER_FAILED
    assert "could not be loaded" in verdict.error.message  # type: ignore[union-attr]


@pytest.mark.parametrize("said", [b"[]", b"", b'{"kind": "host", "message": "x"}', b'{"kind": []}', DEEP])
def test_a_box_that_failed_in_the_wrong_words_fails_its_package_too(quick_source: Source, said: bytes) -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.START:
            say(frames.FAILED, 0, said)

    assert kind_of(judged(quick_source, script, start=False)) is ErrorKind.VERIFIER_FAILED


def test_a_ready_box_is_known_by_what_it_said(quick_source: Source) -> None:
    async def run() -> object:
        async with Sandbox(ToldBackend(lambda *_: None), SHORT) as sandbox:
            return (await sandbox.warm(quick_source)).python

    assert run_without_waiting(run()) == "told"


def returned(say: Say, kind: int, ident: int, payload: bytes) -> None:
    if kind == frames.RUN:
        say(frames.DONE, ident, outcome(frames.RETURNED))


def returned_stale(say: Say, kind: int, ident: int, payload: bytes) -> None:
    if kind == frames.RUN:
        say(frames.DONE, ident, outcome(frames.RETURNED, stale=True))


@pytest.mark.parametrize("script", [returned, returned_stale])
def test_a_call_that_every_box_sends_back_is_given_up(quick_source: Source, script: Script) -> None:
    verdict = judged(quick_source, script)
    assert kind_of(verdict) is ErrorKind.VERIFIER_FAILED
    assert "without running it" in verdict.error.message  # type: ignore[union-attr]


def test_a_group_that_only_seems_to_make_progress_has_an_end(quick_source: Source) -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            chunk(say, ident)

    def chunk(say: Say, ident: int) -> None:
        say(frames.CHUNK, ident, b"")
        asyncio.get_running_loop().call_later(0.02, chunk, say, ident)

    verdict = judged(quick_source, script)
    assert kind_of(verdict) is ErrorKind.TIMEOUT
    assert "should have ended it" in verdict.error.message  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "said",
    [
        (frames.DONE, b""),
        (frames.DONE, outcome(200)),
        (frames.DONE, b"x" * 300),
        (frames.ASK, b""),
        (frames.ASK, b"\x07"),
        (frames.CHUNK, b"\xff" * 12),
        (99, b""),
    ],
)
def test_a_frame_that_cannot_be_loses_the_box_and_every_call_is_told(
    quick_source: Source, said: tuple[int, bytes]
) -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            say(said[0], ident, said[1])
            say(frames.DONE, ident, outcome(frames.EXITED))

    assert kind_of(judged(quick_source, script)) in {ErrorKind.HOST, ErrorKind.VERIFIER_FAILED}


WELL_FORMED = {
    "code": "",
    "argv": None,
    "files": {},
    "stdin": "",
    "entry": "f",
    "calls": [[]],
    "timeout_seconds": 1.0,
    "memory_mb": 64,
}


def request(**changes: object) -> bytes:
    return json.dumps({**WELL_FORMED, **changes}).encode()


HOSTILE_REQUESTS = {
    "NaN seconds": request(timeout_seconds=float("nan")),
    "endless seconds": request(timeout_seconds=float("inf")),
    "1e999 seconds": request().replace(b"1.0", b"1e999"),
    "endless memory": request(memory_mb=float("inf")),
    "1e999 memory": request().replace(b"64", b"1e999"),
    "NaN in a call": request(calls=[[float("nan")]]),
    "1e999 in a call": request().replace(b"[[]]", b"[[1e999]]"),
    "deep call": request().replace(b"[[]]", b"[" * 500 + b"]" * 500),
    "deep": DEEP,
    "half a pair": request(stdin="\ud800"),
    "huge number": request().replace(b"64", b"9" * 5000),
    "empty": b"",
    "not a dict": b"[]",
    "nothing in it": b"{}",
    "files that are none": request(files=["a"]),
    "calls that are none": request(calls={"a": 1}),
    "bytes": b"\xff\xfe",
}


def ask_then_answer(said: bytes) -> Script:
    """A verifier box that asks for a solution in these words and judges once it has an answer."""
    runs: dict[int, bytes] = {}

    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            runs[ident] = payload
            say(frames.ASK, ident, b"\x01" + said)
        elif kind == frames.SOLVED:
            answer_all(say, ident, runs[ident])

    return script


class TwoRoles(ToldBackend):
    """Solution boxes answer as they should; verifier boxes do what the script says."""

    def __init__(self, script: Script) -> None:
        super().__init__(self._by_role)
        self._verifier = script

    def _by_role(self, say: Say, kind: int, ident: int, payload: bytes) -> None:
        connection = say.__self__  # type: ignore[attr-defined]
        if connection.spec.role is BoxRole.SOLUTION:
            if kind == frames.RUN:
                solved = {"exit_status": 0, "results": [{"value": 7}], "error": ""}
                text = json.dumps(solved).encode()
                say(frames.CHUNK, ident, frames.REPLY.pack(len(text), 0, 1) + text)
                say(frames.DONE, ident, outcome(frames.FINISHED))
        else:
            self._verifier(say, kind, ident, payload)


@pytest.mark.parametrize("said", HOSTILE_REQUESTS.values(), ids=HOSTILE_REQUESTS.keys())
def test_a_hostile_request_for_a_solution_is_answered_and_blocks_nobody(quick_source: Source, said: bytes) -> None:
    async def run() -> tuple[Verdict, bytes, dict[str, object]]:
        backend = TwoRoles(ask_then_answer(said))
        async with Sandbox(backend, SHORT) as sandbox:
            [verdict] = await verdicts_of(sandbox, quick_source)
            [told] = [
                frame for connection in backend.connections for frame in connection.frames if frame[0] == frames.SOLVED
            ]
            async with asyncio.timeout(60):
                healthy = await sandbox.pool.solve(request())
            return verdict, told[2], json.loads(healthy.reply)

    verdict, told, healthy = run_without_waiting(run())
    assert verdict.rewards == {"correct": 1.0}
    assert "could not be understood" in json.loads(told)["error"]
    assert healthy["results"] == [{"value": 7}]


def test_a_failure_of_ours_in_a_solution_is_a_fault_of_the_host(
    quick_source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr("sandbox.host.box_pool.run_solution_request", broken)
    verdict = judged(quick_source, ask_then_answer(request()))
    assert kind_of(verdict) is ErrorKind.HOST
    assert "a bug of ours" in verdict.error.message  # type: ignore[union-attr]


def test_a_call_that_asks_for_solutions_without_end_is_ended(quick_source: Source) -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind in (frames.RUN, frames.SOLVED):
            say(frames.ASK, ident, b"\x01{}")

    verdict = judged(quick_source, script)
    assert kind_of(verdict) is ErrorKind.TIMEOUT
    assert "solutions" in verdict.error.message  # type: ignore[union-attr]


def test_a_group_asks_only_when_it_is_its_turn_and_only_once_at_a_time(quick_source: Source) -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            say(frames.ASK, ident, b"\x01" + request())
            say(frames.ASK, ident, b"\x01" + request())

    assert kind_of(judged(quick_source, script)) is ErrorKind.VERIFIER_FAILED


def test_opening_that_raises_what_it_may_not_is_told_to_whoever_waits(quick_source: Source) -> None:
    class Broken(ToldBackend):
        async def open(self, *_: object) -> object:  # type: ignore[override]
            raise AttributeError("module 'os' has no attribute 'O_PATH'")

    async def run() -> tuple[Verdict, str]:
        async with Sandbox(Broken(lambda *_: None), SHORT) as sandbox:
            [verdict] = await verdicts_of(sandbox, quick_source)
            with pytest.raises(HostFaultError, match="O_PATH"):
                await sandbox.warm(quick_source)
            return verdict, verdict.error.message if verdict.error else ""

    verdict, message = run_without_waiting(run())
    assert kind_of(verdict) is ErrorKind.HOST
    assert "O_PATH" in message


def test_a_bug_of_ours_while_a_group_is_fed_is_an_answer(quick_source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(SandboxMetrics, "group_ended", broken)

    async def run() -> list[Verdict]:
        backend = ToldBackend(lambda say, kind, ident, payload: kind == frames.RUN and answer_all(say, ident, payload))
        async with Sandbox(backend, SHORT) as sandbox:
            return await verdicts_of(sandbox, quick_source, 20)

    verdicts = run_without_waiting(run())
    assert len(verdicts) == 20
    assert {kind_of(verdict) for verdict in verdicts} == {ErrorKind.HOST}


def test_a_package_that_cannot_be_loaded_says_so_when_it_is_warmed(quick_source: Source) -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        say(frames.READY, 0, b"[]")

    async def run() -> None:
        async with Sandbox(ToldBackend(script, start=False), SHORT) as sandbox:
            await sandbox.warm(quick_source)

    with pytest.raises(VerifierFailedError, match="could not be loaded"):
        run_without_waiting(run())


def test_an_idle_box_that_gets_work_while_others_are_retired_is_kept(quick_source: Source) -> None:
    async def run() -> tuple[int, list[Verdict]]:
        settings = SHORT.model_copy(update={"boxes_per_package": 2})
        backend = ToldBackend(lambda say, kind, ident, payload: kind == frames.RUN and answer_all(say, ident, payload))
        async with Sandbox(backend, settings) as sandbox:
            await sandbox.warm(quick_source, 2)
            first, second = sandbox.pool.verifier_dispatcher(quick_source).boxes.serving
            for box, other in ((first, second), (second, first)):
                kill = box.kill

                async def busy_meanwhile(reason: str, other: Box = other, kill: Kill = kill) -> None:
                    await kill(reason)  # takes some turns: a call that began before it may have ended after it
                    if other.state is BoxState.IDLE:
                        other.start([[b"{}"]], frames.CALL, 1.0, lambda *_: None)

                box.kill = busy_meanwhile  # type: ignore[method-assign]
            retired = await sandbox.pool.live.retire_idle(0.0)
            return retired, await verdicts_of(sandbox, quick_source)

    retired, [verdict] = run_without_waiting(run())
    assert retired == 1
    assert verdict.error is None


def test_a_worn_box_that_still_works_is_counted_and_ends_with_its_sandbox(quick_source: Source) -> None:
    """One group of two in the box says that the box is to be replaced; the other one never ends."""

    async def run() -> tuple[int, bool]:
        idents: list[int] = []

        def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
            if kind == frames.RUN:
                idents.append(ident)
                if len(idents) == 1:
                    say(frames.CHUNK, ident, reply({"rewards": {"correct": 1.0}}))
                    say(frames.DONE, ident, outcome(frames.FINISHED, stale=True))

        backend = ToldBackend(script)
        settings = SHORT.model_copy(update={"grace_seconds": 60.0})
        sandbox = Sandbox(backend, settings)
        reading = asyncio.ensure_future(verdicts_of(sandbox, quick_source, 2))
        async with asyncio.timeout(60):
            while not (backend.connections and BoxState.DRAINING.value in sandbox.pool.live.by_state()):  # noqa: ASYNC110
                await asyncio.sleep(0)
        counted = sandbox.pool.live.by_state()[BoxState.DRAINING.value]
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await sandbox.aclose()
        return counted, all(connection.is_killed for connection in backend.connections)

    assert run_without_waiting(run()) == (1, True)


def test_two_who_warm_at_once_share_the_boxes(quick_source: Source) -> None:
    async def run() -> int:
        settings = SHORT.model_copy(update={"boxes_per_package": 2})
        backend = ToldBackend(lambda *_: None)
        async with Sandbox(backend, settings) as sandbox:
            await asyncio.gather(sandbox.warm(quick_source, 2), sandbox.warm(quick_source, 2))
            return len(backend.connections)

    assert run_without_waiting(run()) == 2


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_boxes_that_are_ready_and_end_are_not_opened_for_ever(quick_source: Source, turns: int) -> None:
    backend = ToldBackend(lambda *_: None, start=False)

    def end(left: int) -> None:
        if left:
            asyncio.get_running_loop().call_soon(end, left - 1)
            return
        for connection in backend.connections:
            connection.is_killed = True
            connection._receiver.closed("gone")

    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.START:
            say(frames.READY, 0, b"{}")
            end(turns)

    backend.script = script

    async def run() -> list[Verdict]:
        async with Sandbox(backend, SHORT) as sandbox:
            return await verdicts_of(sandbox, quick_source)

    [verdict] = run_without_waiting(run())
    assert kind_of(verdict) in (ErrorKind.HOST, ErrorKind.VERIFIER_FAILED)
    assert len(backend.connections) < 40


def test_a_solution_that_no_box_could_run_costs_the_verifier_no_box(quick_source: Source) -> None:
    """Its call is run again and then masked, but nothing was lost: an operator who reads otherwise looks for a fault."""

    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            say(frames.ASK, ident, b"\1" + b"{}")
        elif kind == frames.SOLVED:
            say(frames.DONE, ident, outcome(frames.FINISHED))

    async def refused(*_: object, **__: object) -> Solved:
        raise BoxLostError("no solution box")

    async def run() -> tuple[Verdict, float]:
        async with Sandbox(ToldBackend(script), SHORT) as sandbox:
            sandbox.pool.solve = refused  # type: ignore[method-assign]
            [verdict] = await verdicts_of(sandbox, quick_source)
            return verdict, sandbox.metrics.total("boxes_lost")

    verdict, lost = run_without_waiting(run())
    assert kind_of(verdict) is ErrorKind.HOST
    assert lost == 0
