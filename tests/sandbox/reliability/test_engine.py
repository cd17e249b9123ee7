"""What calls see when the engine is killed, frozen, full or robbed. Every verdict comes once: right, or the host's fault."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.checks.harm.own_engine import OwnEngine
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import HostFaultError
from sandbox.interface import Call, Source
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.reliability.conftest import Rig

pytestmark = [pytest.mark.docker, pytest.mark.slow]

PATIENCE_SECONDS = 60.0
Make = Callable[..., AbstractContextManager[Rig]]

NAPPING = Sample(
    """
    import time

    def verify(task, response):
        number, _, nap = response.partition(" ")
        time.sleep(float(nap or 0))
        return {"correct": float(int(number) % 2)}
    """,
    name="napping",
    timeout_seconds=60.0,
)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return NAPPING.source(tmp_path)


def judge(
    rig: Rig, source: Source, count: int, nap: float = 0.0, harm: Callable[[], object] | None = None
) -> dict[str, Verdict]:
    """Verdicts by id; fails when one comes twice or not at all, or is a number that it must not be.

    ``harm`` is done when a tenth is judged; a third of the calls is handed over only then.
    """
    seen: Counter[str] = Counter()
    verdicts = {}
    is_done = threading.Event()

    def calls() -> Iterator[Call]:
        for number in range(count):
            if harm is not None and number >= count * 2 // 3:
                assert is_done.wait(PATIENCE_SECONDS)
            yield Call(str(number), TASK, response=f"{number} {nap}")

    for ident, verdict in rig.sandbox.score(source, calls()):
        seen[ident] += 1
        verdicts[ident] = verdict
        if harm is not None and len(verdicts) == count // 10:
            harm()
            is_done.set()
    assert sorted(seen) == sorted(str(i) for i in range(count))
    assert set(seen.values()) == {1}
    for ident, verdict in verdicts.items():
        if verdict.error is None:
            assert verdict.rewards == {"correct": float(int(ident) % 2)}
        else:
            assert verdict.error.kind is ErrorKind.HOST, verdict
            assert verdict.rewards == {"correct": None}
    return verdicts


def masked(verdicts: dict[str, Verdict]) -> set[str]:
    return {verdict.error.message for verdict in verdicts.values() if verdict.error}


def beside(*work: Callable[[], None]) -> threading.Thread:
    def run() -> None:
        for step in work:
            step()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_an_engine_killed_and_started_again_costs_no_verdict(rig: Make, own_engine: OwnEngine, source: Source) -> None:
    returns: list[threading.Thread] = []

    def harm() -> None:
        own_engine.kill()
        returns.append(beside(lambda: time.sleep(1), own_engine.start))

    with rig(engine_patience_seconds=120.0) as made:
        made.sandbox.warm(source, 2)
        verdicts = judge(made, source, 300, nap=0.02, harm=harm)
        returns[0].join()
        assert masked(verdicts) == set()
        assert masked(judge(made, source, 20)) == set()
        assert made.sandbox.inner.metrics.total("boxes_lost") >= 1


def test_an_engine_that_stays_away_masks_and_says_what_to_do(
    rig: Make, own_engine: OwnEngine, source: Source, tmp_path: Path
) -> None:
    """Warm boxes may go on without it; what needs a new one is masked."""
    with rig(engine_patience_seconds=1.0, host_retries=1) as made:
        made.sandbox.warm(source, 2)
        judge(made, source, 100, nap=0.02, harm=own_engine.kill)
        verdicts = judge(made, replace(NAPPING, name="new").source(tmp_path), 20)
        assert len(masked(verdicts)) >= 1
        assert all(verdict.error for verdict in verdicts.values())
        assert all("no Docker engine answers" in m and "start it" in m for m in masked(verdicts)), masked(verdicts)
        own_engine.start()
        assert masked(judge(made, source, 20)) == set()


def test_a_frozen_engine_makes_no_call_and_no_close_hang(rig: Make, own_engine: OwnEngine, source: Source) -> None:
    knobs = {"engine_patience_seconds": 1.0, "docker_timeout_seconds": 12.0, "host_retries": 0}
    with rig(**knobs) as made:
        made.sandbox.warm(source, 2)
        judge(made, source, 100, nap=0.02, harm=own_engine.freeze)
        made.sandbox.close()  # what waits for a frozen engine for ever runs into the limit of every test
    own_engine.thaw()  # what it was asked to create meanwhile it creates now, for nobody: a reaper's work
    with rig() as other:
        wait_until(lambda: other.sandbox.run(other.backend.reap()) == 0 and own_engine.boxes_to_remove() == [])


def test_calls_go_on_where_they_were_after_a_frozen_engine_thaws(
    rig: Make, own_engine: OwnEngine, source: Source
) -> None:
    with rig() as made:
        made.sandbox.warm(source, 2)
        returns: list[threading.Thread] = []

        def harm() -> None:
            own_engine.freeze()
            returns.append(beside(lambda: time.sleep(1.5), own_engine.thaw))

        assert masked(judge(made, source, 100, nap=0.02, harm=harm)) == set()
        returns[0].join()
        assert made.sandbox.inner.metrics.total("boxes_lost") == 0


def test_a_full_disk_is_the_hosts_fault_and_leaves_no_half_image(
    rig: Make, own_engine: OwnEngine, tmp_path: Path
) -> None:
    large = Sample(NAPPING.code, name="large", files={"table.txt": "x" * (12 << 20)}).source(tmp_path)
    with rig(host_retries=0) as made:
        judge(made, NAPPING.source(tmp_path), 4)
        before = sorted(own_engine.images())
        own_engine.fill_disk(leave_mb=6)
        with pytest.raises(HostFaultError, match="no space left on device"):
            made.sandbox.image_digest(large)
        verdicts = judge(made, large, 3)
        assert all("no space left" in message and "make room" in message for message in masked(verdicts))
        assert len(masked(verdicts)) >= 1
        assert sorted(own_engine.images()) == before
        own_engine.free_disk()
        assert masked(judge(made, large, 3)) == set()


@pytest.mark.parametrize("command", [("restart",), ("rm", "-f"), ("stop",), ("kill",)])
def test_an_operator_who_ends_boxes_costs_no_verdict(
    rig: Make, own_engine: OwnEngine, source: Source, command: tuple[str, ...]
) -> None:
    with rig() as made:
        made.sandbox.warm(source, 2)

        def harm() -> None:
            for box in own_engine.boxes():
                own_engine.docker(*command, box, check=False)  # it may be gone before the answer is

        assert masked(judge(made, source, 60, nap=0.03, harm=harm)) == set()
    with rig() as other:  # a busy engine may refuse for seconds to remove what it restarts: then a reaper does
        wait_until(lambda: other.sandbox.run(other.backend.reap()) == 0 and own_engine.boxes_to_remove() == [])


def test_images_removed_between_calls_are_made_again(rig: Make, own_engine: OwnEngine, source: Source) -> None:
    with rig(boxes_per_package=1) as made:
        digest = made.sandbox.image_digest(source)
        judge(made, source, 2)
        for box in own_engine.boxes():
            own_engine.docker("rm", "-f", box)
        ours = [name for name in own_engine.images() if "verihub/package" in name or "verihub/guest" in name]
        own_engine.docker("rmi", "-f", *ours)
        assert masked(judge(made, source, 2)) == set()
        assert made.sandbox.image_digest(source) == digest


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"not so within {PATIENCE_SECONDS:g} s"
        time.sleep(0.05)
