"""Out of memory: who goes first, and whether it was that. The kernel's files are stood in for by a test's own."""

import os
from pathlib import Path

import pytest

from sandbox.guest import oom
from sandbox.guest.line import BEYOND_OURS, FIRST_OF_OURS
from tests.sandbox.guest.forked import in_child


class Group:
    """The files of a control group."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.second, self.first = folder / "memory.events", folder / "memory.oom_control"
        monkeypatch.setattr(oom.OomCounter, "_FILES", (str(self.second), str(self.first)))


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Group:
    return Group(tmp_path, monkeypatch)


@pytest.mark.parametrize("version", ["second", "first"])
def test_a_kill_is_told_once(group: Group, version: str) -> None:
    file: Path = getattr(group, version)
    file.write_text("low 0\noom 7\noom_kill 0\noom_group_kill 9\n")
    counter = oom.OomCounter()
    assert not counter.has_grown()
    file.write_text("low 0\noom 9\noom_kill 2\noom_group_kill 9\n")
    assert counter.has_grown()
    assert not counter.has_grown()


def test_kills_before_the_box_began_are_not_its_calls(group: Group) -> None:
    """A group may be older than the box: the local backend's boxes share that of whoever started them."""
    group.first.write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 5\n")
    counter = oom.OomCounter()
    assert not counter.has_grown()


@pytest.mark.parametrize("text", ["", "oom_kill\n", "oom_kill many\n", "oom_kills 7\n", "\n\n"])
def test_a_file_of_another_make_says_nothing(group: Group, text: str) -> None:
    group.second.write_text(text)
    counter = oom.OomCounter()
    assert not counter.has_grown()
    group.first.write_text("oom_kill 1\n")
    assert counter.has_grown(), "the other file is asked all the same"


def test_where_no_file_is_there_is_no_blame(group: Group) -> None:
    assert not oom.OomCounter().has_grown()


# -- the score -------------------------------------------------------------------------------------------------------


def test_children_go_first_and_the_zygote_stays_where_it_was() -> None:
    def body() -> list[str]:
        path = Path("/proc/self/oom_score_adj")
        path.write_text("10")
        fork = oom.OomScore().marking_children(os.fork)
        told, tell = os.pipe()
        if (pid := fork()) == 0:
            os.write(tell, path.read_bytes())
            os._exit(0)
        os.waitpid(pid, 0)
        return [os.read(told, 20).decode().strip(), path.read_text().strip()]

    assert in_child(body) == ["1000", "10"]


def test_a_fork_that_is_refused_does_not_leave_the_zygote_first() -> None:
    def refuse() -> int:
        raise BlockingIOError("as many processes as it may have")

    def body() -> str:
        path = Path("/proc/self/oom_score_adj")
        path.write_text("10")
        with pytest.raises(BlockingIOError):
            oom.OomScore().marking_children(refuse)()
        return path.read_text().strip()

    assert in_child(body) == "10"


def test_children_have_no_descriptor_by_which_to_go_last() -> None:
    def body() -> list[str]:
        os.closerange(3, 900)  # a test process may hold all that lie in the guest's range
        before = set(map(str, Path("/proc/self/fd").iterdir()))
        oom.OomScore()
        return sorted(set(map(str, Path("/proc/self/fd").iterdir())) - before)

    [path] = in_child(body)
    assert FIRST_OF_OURS <= int(Path(path).name) < BEYOND_OURS


def test_without_proc_a_fork_is_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oom, "_SCORE", "/nowhere/oom_score_adj")
    assert oom.OomScore().marking_children(os.fork) is os.fork
