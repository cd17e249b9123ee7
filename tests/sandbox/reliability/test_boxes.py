"""One box killed, frozen or out of memory in the middle of calls; its zygote as well as what it runs."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.reaper import OWNER
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind, Verdict

pytestmark = pytest.mark.docker

BUSY = Sample(
    """
    import os, time

    def verify(task, response):
        if response == "hungry":
            for _ in range(3):
                if os.fork() == 0:
                    time.sleep(0.5)  # so that the call is the largest of them
                    own = bytearray(b"x") * (42 << 20)
                    time.sleep(30)
                    os._exit(0)
            own = bytearray(b"x") * (58 << 20)
            time.sleep(30)
        time.sleep(0.03)
        return {"correct": float(int(response) % 2)}
    """,
    name="busy",
    timeout_seconds=3.0,
    memory_mb=64,
)


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

    def judge_forty(self, source: Source) -> None:
        verdicts = self.judge(source, *map(str, range(40)))
        assert {ident: verdict.rewards["correct"] for ident, verdict in verdicts.items()} == {
            str(number): float(number % 2) for number in range(40)
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


def after(seconds: float, work: object) -> None:
    timer = threading.Timer(seconds, work)  # type: ignore[arg-type]
    timer.daemon = True
    timer.start()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may signal another uid's process")
@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM])
def test_a_zygote_that_is_signalled_from_outside_costs_no_verdict(
    boxes: Boxes, source: Source, number: signal.Signals
) -> None:
    boxes.sandbox.warm(source)
    pid = boxes.zygote()
    after(0.3, lambda: os.kill(pid, number))
    boxes.judge_forty(source)
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

    after(0.2, prefer_the_zygote)
    verdict = boxes.judge(source, "hungry")["hungry"]
    assert boxes.sandbox.inner.metrics.total("boxes_lost") == 1
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.MEMORY, verdict.error
    boxes.judge_forty(source)


def test_a_call_that_the_kernel_kills_for_memory_says_so_and_its_box_goes_on(boxes: Boxes, source: Source) -> None:
    """The call stays below its own limit; it and its children together pass the box's."""
    boxes.sandbox.warm(source)
    before = boxes.ident()
    started = time.monotonic()
    verdict = boxes.judge(source, "hungry")["hungry"]
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.MEMORY, verdict.error
    assert time.monotonic() - started < 3
    boxes.judge_forty(source)
    assert boxes.ident() == before


def test_boxes_that_are_replaced_leave_no_descriptor_open(tmp_path: Path) -> None:
    """docker-py would keep two idle connections for each container there ever was, up to two hundred."""
    source = Sample("def verify(task, response):\n    return {'correct': 1.0}\n", name="replaced").source(tmp_path)
    knobs = SandboxSettings(boxes_per_package=1, replay_fraction=0.0, box_groups=5)
    with BlockingSandbox(DockerBackend(knobs), knobs) as sandbox:

        def descriptors_after(boxes: int) -> int:
            calls = [Call(str(number), TASK, response="") for number in range(5 * boxes)]
            assert sum(verdict.error is None for _, verdict in sandbox.score(source, calls)) == 5 * boxes
            time.sleep(0.3)
            return len(list(Path("/proc/self/fd").iterdir()))

        first = descriptors_after(6)
        assert descriptors_after(10) - first <= 6
        assert sandbox.inner.metrics.total("boxes_opened") >= 12
