import threading
import time
from collections.abc import Iterator

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.errors import SandboxError, VerifierFailedError
from sandbox.interface import Call, Source
from sandbox.samples import TASK


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
        waited.append(judged.wait(5))

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
    read = 0

    def endless() -> Iterator[Call]:
        nonlocal read
        while True:
            read += 1
            yield Call(str(read), TASK, response="2")

    stream = sandbox.score(equal_source, endless())
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    time.sleep(0.2)
    first = read
    time.sleep(0.2)
    assert read == first
    assert read < 20_000


def test_a_slow_reader_bounds_what_is_judged_ahead(sandbox: BlockingSandbox, equal_source: Source) -> None:
    read = 0

    def endless() -> Iterator[Call]:
        nonlocal read
        while True:
            read += 1
            yield Call(str(read), TASK, response="2")

    stream = sandbox.score(equal_source, endless())
    next(stream)
    time.sleep(0.5)
    assert read < 20_000
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
