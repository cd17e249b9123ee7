"""Warm-up: a package's examples run in the zygote, but only after they have ended well in a child."""

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from sandbox.guest import limits, warm_up
from sandbox.guest.call import Package
from tests.sandbox.guest.forked import in_child

EXAMPLE = {"task": {"id": "t", "prompt": ""}, "response": "1"}
Verify = Callable[..., dict[str, float]]


def warmed(folder: Path, verify: Verify, count: int = 2, **config: Any) -> dict[str, Any]:
    """The facts, ``seen`` (what ``verify`` kept of calls in the zygote) and what is left in the work folder."""
    zygote_limits = {"memory_mb": 64, "file_mb": 8, "open_file_count": 64}
    settings = {"limits": zygote_limits, "work_folder": str(folder), "call_seconds": 60.0, **config}

    def body() -> dict[str, Any]:
        limits.harden_zygote()
        os.chdir(folder)
        package = Package.of_function(verify, {"correct": (0.0, 1.0)})
        with patch.object(warm_up, "_SPARE_SECONDS", 0.0):
            facts = warm_up.warm_up(package, [EXAMPLE] * count, settings)
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return {**facts, "seen": len(SEEN), "left": os.listdir(folder), "children": children}  # noqa: PTH208

    SEEN.clear()
    found: dict[str, Any] = in_child(body)
    assert found.pop("warm_seconds") >= 0
    return found


SEEN: list[int] = []


def test_examples_run_where_every_fork_inherits_what_they_made(tmp_path: Path) -> None:
    def verify(response: str) -> dict[str, float]:
        SEEN.append(1)
        Path("left").write_text(response)
        return {"correct": 1.0}

    facts = {"warmed_calls": 2, "warm_failures": [], "seen": 2, "left": [], "children": ""}
    assert warmed(tmp_path, verify) == facts


def test_without_examples_nothing_runs(tmp_path: Path) -> None:
    facts = warmed(tmp_path, lambda: sys.exit(1), count=0)
    assert (facts["warmed_calls"], facts["warm_failures"]) == (0, [])


def test_an_example_that_fails_is_told_in_few_words(tmp_path: Path) -> None:
    def verify(task: object) -> dict[str, float]:
        SEEN.append(1)
        raise ValueError("x" * 10_000)

    facts = warmed(tmp_path, verify)
    assert (facts["warmed_calls"], facts["seen"]) == (2, 2)
    assert [len(failure) for failure in facts["warm_failures"]] == [200, 200]


def _spins() -> dict[str, float]:
    while True:
        os.sched_yield()


def _hoards() -> dict[str, float]:
    raise MemoryError(len(bytearray(80 << 20)))


@pytest.mark.parametrize(
    ("verify", "config"),
    [
        (_spins, {"call_seconds": 0.05}),
        (_hoards, {}),
        (lambda: os._exit(0), {}),
        (lambda: os._exit(1), {}),
        (os.abort, {}),
        (lambda: os.kill(os.getpid(), 9), {}),
    ],
    ids=["never ends", "wants memory", "exits with 0", "exits with 1", "aborts", "kills itself"],
)
def test_an_example_that_would_end_the_box_runs_only_in_the_child(
    tmp_path: Path, verify: Verify, config: dict[str, Any]
) -> None:
    """Its author is told so by the verdicts of calls."""

    def counted() -> dict[str, float]:
        SEEN.append(1)
        return verify()

    facts = warmed(tmp_path, counted, **config)
    assert (facts["warmed_calls"], facts["seen"]) == (0, 0)
    assert "did not end within the limits" in facts["warm_failures"][0]


def test_a_process_that_an_example_leaves_is_gone_before_the_first_call(tmp_path: Path) -> None:
    zygote = os.getpid()

    def verify() -> dict[str, float]:
        if os.getppid() != zygote and os.fork() == 0:  # in the child
            os.setsid()
            while True:
                os.sched_yield()
        return {"correct": 1.0}

    facts = warmed(tmp_path, verify)
    assert (facts["warmed_calls"], facts["children"]) == (2, "")


def test_limits_of_the_trial_are_not_those_of_the_zygote(tmp_path: Path) -> None:
    """The zygote takes its own later, on top of what warm-up has mapped."""
    before = list(resource.getrlimit(resource.RLIMIT_AS))

    def verify() -> dict[str, float]:
        SEEN.extend([1] * (list(resource.getrlimit(resource.RLIMIT_AS)) == before))
        return {"correct": 1.0}

    assert warmed(tmp_path, verify)["seen"] == 2
