"""How long a box was kept from a processor: by the kernel's files alone, and 0 where they say nothing."""

import os
from pathlib import Path

import pytest

from sandbox.backends.processor_wait import seconds_waited


def written(root: Path, pid: int, thread: int, text: str) -> None:
    folder = root / str(pid) / "task" / str(thread)
    folder.mkdir(parents=True)
    (folder / "schedstat").write_text(text)


def test_the_thread_that_waited_longest_counts(tmp_path: Path) -> None:
    written(tmp_path, 7, 7, "1000000000 2500000000 3\n")
    written(tmp_path, 7, 8, "1000000000 500000000 3\n")
    written(tmp_path, 9, 9, "0 4000000000 1\n")
    assert seconds_waited([7], tmp_path) == 2.5
    assert seconds_waited([7, 9], tmp_path) == 4.0


@pytest.mark.parametrize("text", ["", "x y z", "5"])
def test_what_the_kernel_does_not_say_is_no_wait(tmp_path: Path, text: str) -> None:
    written(tmp_path, 7, 7, text)
    assert seconds_waited([7, 8], tmp_path) == 0.0
    assert seconds_waited([], tmp_path) == 0.0


def test_a_process_of_this_machine_has_a_count() -> None:
    assert seconds_waited([os.getpid()]) >= 0.0
