import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SandboxError, VerifierFailedError
from sandbox.interface import Call, Source


@pytest.fixture
def sandbox(scripted_backend: ScriptedBackend) -> Iterator[BlockingSandbox]:
    with BlockingSandbox(scripted_backend) as sandbox:
        yield sandbox


def calls(count: int) -> list[Call]:
    return [Call(str(i), TASK, response="2") for i in range(count)]


def test_a_list_and_a_generator_give_the_same_verdicts(sandbox: BlockingSandbox, equal_source: Source) -> None:
    from_list = dict(sandbox.score(equal_source, calls(300)))
    from_generator = dict(sandbox.score(equal_source, iter(calls(300))))
    assert from_list == from_generator
    assert len(from_list) == 300


def test_a_verdict_comes_before_the_next_call_is_made(sandbox: BlockingSandbox, equal_source: Source) -> None:
    judged = threading.Event()
    waited: list[bool] = []

    def slowly() -> Iterator[Call]:
        yield calls(1)[0]
        waited.append(judged.wait(60))

    for _ in sandbox.score(equal_source, slowly()):
        judged.set()
    assert waited == [True]


def test_an_error_in_the_callers_iterator_comes_back(sandbox: BlockingSandbox, equal_source: Source) -> None:
    def broken() -> Iterator[Call]:
        yield calls(1)[0]
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(sandbox.score(equal_source, broken()))


def test_leaving_early_stops_reading_an_endless_iterator(sandbox: BlockingSandbox, equal_source: Source) -> None:
    read, readers = 0, set[threading.Thread]()

    def endless() -> Iterator[Call]:
        nonlocal read
        while True:
            read += 1
            readers.add(threading.current_thread())
            yield Call(str(read), TASK, response="2")

    stream = sandbox.score(equal_source, endless())
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    for reader in readers:
        reader.join(60)
        assert not reader.is_alive()
    assert read < 20_000


def test_a_slow_reader_bounds_what_is_judged_ahead(
    sandbox: BlockingSandbox, equal_source: Source, tmp_path: Path
) -> None:
    """While another package's calls are judged by the thousand, its own would be, were there no bound."""
    other = Sample("def verify(task, response):\n    return {'correct': 1.0}\n", name="other").source(tmp_path)
    read = 0

    def endless() -> Iterator[Call]:
        nonlocal read
        while True:
            read += 1
            yield Call(str(read), TASK, response="2")

    stream = sandbox.score(equal_source, endless())
    next(stream)
    assert sum(1 for _ in sandbox.score(other, calls(10_000))) == 10_000
    assert read < 10_000
    stream.close()  # type: ignore[attr-defined]


def test_a_closed_sandbox_refuses_and_closing_twice_is_fine(
    scripted_backend: ScriptedBackend, equal_source: Source
) -> None:
    sandbox = BlockingSandbox(scripted_backend)
    sandbox.close()
    sandbox.close()
    with pytest.raises(SandboxError, match="closed"):
        sandbox.warm(equal_source)


def test_a_session_of_a_package_without_one_is_refused(sandbox: BlockingSandbox, equal_source: Source) -> None:
    with pytest.raises(VerifierFailedError, match="no session"), sandbox.session(equal_source, TASK):
        pass


def test_threads_may_share_it(sandbox: BlockingSandbox, equal_source: Source) -> None:
    results: list[int] = []

    def work() -> None:
        results.append(sum(v.rewards["correct"] == 1.0 for _, v in sandbox.score(equal_source, iter(calls(50)))))

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [50] * 5


def test_readers_that_stop_keep_no_other_package_from_being_judged(tmp_path: Path, equal_source: Source) -> None:
    """Every thread that the loop may lend is one that opening a box needs."""
    code = "def verify(task, response):\n    return {'correct': 1.0}\n"
    others = [Sample(code, name=f"stopped{i}", isolation="worker").source(tmp_path) for i in range(3)]
    backend = ScriptedBackend(lambda response: {"correct": 1.0})
    with BlockingSandbox(backend) as sandbox:
        sandbox.run(_lend_one_thread())
        streams = [sandbox.judge(source, calls(5000)) for source in others]
        for stream in streams:
            next(stream)
        sandbox.run(_until(lambda: all(is_full(sandbox, source) for source in others)))
        judged = threading.Thread(target=lambda: list(sandbox.score(equal_source, calls(1))), daemon=True)
        judged.start()
        judged.join(60)
        assert not judged.is_alive()
        for stream in streams:
            stream.close()  # type: ignore[attr-defined]


def is_full(sandbox: BlockingSandbox, source: Source) -> bool:
    """Whether more of its calls are judged than a reader is handed at a time."""
    return sandbox.inner.metrics.total("calls", source.manifest.id) > 1100  # type: ignore[attr-defined]


async def _lend_one_thread() -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 -- nothing tells
            await asyncio.sleep(0.01)


def test_a_reader_that_goes_on_gets_every_verdict_once(sandbox: BlockingSandbox, equal_source: Source) -> None:
    """More than fit between loop and reader, so that both have waited for each other."""
    judged = [int(ident) for ident, _ in sandbox.score(equal_source, calls(5000))]
    assert sorted(judged) == list(range(5000))
