"""One box killed, frozen or out of memory in the middle of calls; its zygote as well as what it runs."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.connection import DockerConnection
from sandbox.backends.docker.reaper import OWNER
from sandbox.blocking import BlockingSandbox
from sandbox.checks.harm.left import descriptors
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import BoxLostError, VerifierFailedError
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.guest.forked import in_interpreter
from tests.sandbox.held_calls import HELD, harmed_amid_a_call, is_soon

pytestmark = pytest.mark.docker

CODE = """
import os

def verify(task, response):
    what, _, more = response.partition(" ")
    if what in ("held", "hungry") and more:
        held(float(more))
    if what == "hungry":
        told, tell = os.pipe()
        for _ in range(3):
            if os.fork() == 0:
                os.read(told, 1)  # the call is the largest of them by then
                own = bytearray(b"x") * (42 << 20)
                signal.pause()
        own = bytearray(b"x") * (58 << 20)
        os.write(tell, b"333")
        signal.pause()
    return {"correct": 1.0 if what == "held" else float(int(response) % 2)}
"""
BUSY = Sample(HELD + CODE, name="busy", timeout_seconds=60.0, memory_mb=64)


class Boxes:
    """A sandbox of one box, and that box as the machine sees it."""

    def __init__(self) -> None:
        self.settings = SandboxSettings(boxes_per_package=1, replay_fraction=0.0)
        self.backend = DockerBackend(self.settings)
        self.sandbox = BlockingSandbox(self.backend, self.settings)

    def ident(self) -> str:
        owner = str(self.backend._claim().lock_path)
        [box] = [b for b in self.backend.found_boxes() if b.labels[OWNER] == owner and b.state == "running"]
        return box.ident

    def zygote(self) -> int:
        return int(self.backend.engine.api.inspect_container(self.ident())["State"]["Pid"])

    def judge(self, source: Source, *responses: str) -> dict[str, Verdict]:
        return dict(self.sandbox.score(source, [Call(text, TASK, response=text) for text in responses]))

    def zygotes(self) -> list[int]:
        """None while no box runs."""
        with suppress(ValueError):
            return [self.zygote()]
        return []

    def judge_forty(self, source: Source, *first: str) -> None:
        verdicts = self.judge(source, *first, *map(str, range(40)))
        assert {ident: verdict.rewards["correct"] for ident, verdict in verdicts.items()} == {
            **dict.fromkeys(first, 1.0),
            **{str(number): float(number % 2) for number in range(40)},
        }


@pytest.fixture
def boxes() -> Iterator[Boxes]:
    boxes = Boxes()
    with boxes.sandbox:
        yield boxes


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return BUSY.source(tmp_path)


def descendants(pid: int) -> Iterator[int]:
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield int(child)
        with suppress(OSError):
            yield from descendants(int(child))


@pytest.mark.skipif(os.getuid() != 0, reason="only root may signal another uid's process")
@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM])
def test_a_zygote_that_is_signalled_from_outside_costs_no_verdict(
    boxes: Boxes, tmp_path: Path, number: signal.Signals
) -> None:
    # Only the host's clock tells of a stopped zygote: its calls have less time.
    limit = 8.0 if number == signal.SIGSTOP else 60.0
    source = replace(BUSY, timeout_seconds=limit).source(tmp_path)
    boxes.sandbox.warm(source)
    pid = boxes.zygote()
    with harmed_amid_a_call(boxes.zygotes, lambda: os.kill(pid, number)):
        boxes.judge_forty(source, "held 30")
    assert boxes.sandbox.inner.metrics.total("boxes_lost") == (0 if number == signal.SIGTERM else 1)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may make another uid's process the kernel's first choice")
def test_a_zygote_that_the_kernel_kills_for_memory_costs_no_verdict(boxes: Boxes, source: Source) -> None:
    """The zygote instead of the hungry call: its box is lost, and the next one tells whose fault it was."""
    boxes.sandbox.warm(source)
    zygote = boxes.zygote()

    def prefer_the_zygote() -> None:  # when it has forked: a call offers itself first, and its children inherit that
        for descendant in descendants(zygote):
            with suppress(OSError):  # it may have ended
                Path(f"/proc/{descendant}/oom_score_adj").write_text("0")
        Path(f"/proc/{zygote}/oom_score_adj").write_text("1000")

    with harmed_amid_a_call(boxes.zygotes, prefer_the_zygote):
        verdict = boxes.judge(source, "hungry 30")["hungry 30"]
    assert boxes.sandbox.inner.metrics.total("boxes_lost") == 1
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.MEMORY, verdict.error
    boxes.judge_forty(source)


def test_a_call_that_the_kernel_kills_for_memory_says_so_and_its_box_goes_on(boxes: Boxes, source: Source) -> None:
    """The call stays below its own limit; it and its children together pass the box's."""
    boxes.sandbox.warm(source)
    before = boxes.ident()
    verdict = boxes.judge(source, "hungry")["hungry"]
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.MEMORY, verdict.error
    boxes.judge_forty(source)
    assert boxes.ident() == before


def by_signal(api: Any, container: str) -> None:
    os.kill(int(api.inspect_container(container)["State"]["Pid"]), signal.SIGKILL)


def by_the_engine(api: Any, container: str) -> None:
    api.kill(container)


def by_removal(api: Any, container: str) -> None:
    api.remove_container(container, force=True)


@pytest.mark.parametrize(
    ("last", "harm", "fault", "words"),
    [
        pytest.param("time.sleep(60)", by_signal, BoxLostError, "killed from outside while the package was imported",
                     marks=pytest.mark.skipif(os.getuid() != 0, reason="only root may signal another uid's process")),
        ("time.sleep(60)", by_the_engine, BoxLostError, "killed from outside while the package was imported"),
        ("time.sleep(60)", by_removal, BoxLostError, "killed from outside while the package was imported"),
        ("own = bytearray(b'x') * (1 << 30)", None, VerifierFailedError, "the box ended while the package was imported"),
        ("os._exit(3)", None, VerifierFailedError, "the box ended while the package was imported"),
        ("os.kill(os.getpid(), 9); os._exit(4)", None, VerifierFailedError, "the box ended while the package was imp"),
        ("os.closerange(0, 64); time.sleep(60)", None, VerifierFailedError, "the box ended while the package was imp"),
    ],
    ids=["killed", "killed by the engine", "removed", "out of memory", "ends itself", "kills itself", "closes its line"],
)  # fmt: skip
def test_whose_fault_it_is_that_each_container_ends_while_it_imports(
    last: str, harm: Callable[[Any, str], None] | None, fault: type[Exception], words: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    code = f"import os, time\n{last}\ndef verify(task, response):\n    return {{'correct': 1.0}}\n"
    source = Sample(code, name="dying", memory_mb=64).source(tmp_path)
    begin, containers = DockerConnection.__init__, list[str]()
    settings = SandboxSettings(boxes_per_package=1, replay_fraction=0.0, host_retries=0)
    backend = DockerBackend(settings)

    def harmed_soon(connection: DockerConnection, *given: Any) -> None:
        begin(connection, *given)
        containers.append(connection.container)
        if harm is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(1.0, loop.run_in_executor, None, harm, backend.engine.connect(), connection.container)

    monkeypatch.setattr(DockerConnection, "__init__", harmed_soon)
    with BlockingSandbox(backend, settings) as sandbox, pytest.raises(fault, match=words):
        sandbox.warm(source)
    assert len(containers) == 4, "whoever ends it, it is tried as often"
    assert is_soon(lambda: not {box.ident for box in DockerBackend(settings).found_boxes()}.intersection(containers))


def replaced_boxes(folder: str) -> int:
    """How many boxes a sandbox has opened. It checks what they leave open in this process."""
    source = Sample("def verify(task, response):\n    return {'correct': 1.0}\n", name="replaced").source(Path(folder))
    knobs = SandboxSettings(boxes_per_package=1, replay_fraction=0.0, box_call_groups=5)
    with BlockingSandbox(DockerBackend(knobs), knobs) as sandbox:

        def replace_boxes(count: int) -> None:
            calls = [Call(str(number), TASK, response="") for number in range(5 * count)]
            assert sum(verdict.error is None for _, verdict in sandbox.score(source, calls)) == 5 * count

        replace_boxes(6)
        first = descriptors().total()
        replace_boxes(10)
        assert is_soon(lambda: descriptors().total() - first <= 6)
        return int(sandbox.inner.metrics.total("boxes_opened"))


def test_boxes_that_are_replaced_leave_no_descriptor_open(tmp_path: Path) -> None:
    """docker-py would keep two idle connections for each container there ever was, up to two hundred."""
    assert in_interpreter(replaced_boxes, str(tmp_path)) >= 12
