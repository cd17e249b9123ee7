"""The fence around a box and around a session. On a kernel without Landlock each says that there is none."""

import errno
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.guest import landlock
from tests.making.altered_library import alter_library
from tests.sandbox.guest.forked import in_child

ABI = landlock._abi()


def _error_of(action: Callable[[], object]) -> str:
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "allowed"


def fenced(work: Path, *actions: Callable[[], object]) -> list[str]:
    """What comes of ``actions`` in a process that may write in ``work`` only."""

    def body() -> list[str]:
        assert landlock.restrict(str(work)) == max(0, ABI)
        os.chdir(work)
        return [_error_of(action) for action in actions]

    found: list[str] = in_child(body)
    return found


def refused(*words: str, since: int = 1) -> list[str]:
    """What is expected where the kernel's version has the rule."""
    return list(words) if since <= ABI else ["allowed"] * len(words)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("kept")
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_a_box_writes_in_its_folder_and_nowhere_else(work: Path) -> None:
    outside = work.parent / "outside"
    inside = [
        lambda: Path("file").write_text("x"),
        lambda: Path("file").unlink(),
        lambda: Path("folder").mkdir(),
        lambda: os.mkfifo("pipe"),
        lambda: Path("link").symlink_to("/etc/passwd"),
        lambda: Path("link").read_text(),
        lambda: Path("/dev/null").write_text("x"),
        (outside / "file").read_text,
    ]
    beyond = [
        lambda: (outside / "file").write_text("x"),
        lambda: (outside / "new").write_text("x"),
        (outside / "file").unlink,
        (outside / "folder").mkdir,
        lambda: (outside / "link").symlink_to("x"),
        lambda: os.mkfifo(outside / "pipe"),
    ]
    assert fenced(work, *inside) == ["allowed"] * len(inside)
    assert fenced(work, *beyond) == refused(*["EACCES"] * len(beyond))
    assert (outside / "file").read_text() == "kept" or ABI < 1


def test_no_link_leads_out_and_nothing_is_moved_out(work: Path) -> None:
    outside = work.parent / "outside"
    Path(work / "door").symlink_to(outside)
    (work / "mine").write_text("x")
    actions: list[Callable[[], Any]] = [
        lambda: Path("door/new").write_text("x"),
        lambda: Path("mine").rename(outside / "moved"),
        lambda: os.link(outside / "file", "hard"),
    ]
    assert fenced(work, actions[0]) == refused("EACCES")
    assert set(fenced(work, *actions[1:])) <= {"EXDEV", "EACCES"} or ABI < 1


def test_a_file_outside_cannot_be_cut(work: Path) -> None:
    file = work.parent / "outside" / "file"
    assert fenced(work, lambda: os.truncate(file, 0)) == refused("EACCES", since=3)


def test_no_port_is_reached(work: Path) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        address = listening.getsockname()
        actions = [
            lambda: socket.create_connection(address).close(),
            lambda: socket.create_server(("127.0.0.1", 0)).close(),
        ]
        assert fenced(work, *actions) == refused("EACCES", "EACCES", since=4)


def test_nobody_outside_is_signalled_and_own_children_are(work: Path) -> None:
    test = os.getpid()

    def child() -> None:
        if (pid := os.fork()) == 0:
            signal.pause()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    assert fenced(work, child) == ["allowed"]
    assert fenced(work, lambda: os.kill(test, 0), lambda: os.kill(test, signal.SIGCONT)) == refused(
        "EPERM", "EPERM", since=6
    )


def test_a_fence_holds_what_a_child_makes_of_it(work: Path) -> None:
    """It is inherited, and a second one over it opens nothing."""

    def action() -> None:
        landlock.restrict(str(work.parent))
        (work.parent / "outside" / "file").write_text("x")

    assert fenced(work, action) == refused("EACCES")


# -- the fence of a session ------------------------------------------------------------------------------------------


def confined(work: Path, own: Path, *actions: Callable[[], object]) -> list[str]:
    def body() -> list[str]:
        assert landlock.confine(str(work), str(own)) is (ABI >= 1)
        return [_error_of(action) for action in actions]

    found: list[str] = in_child(body)
    return found


@pytest.fixture
def family(work: Path) -> Path:
    for name in ("s1", "s2"):
        (work / name).mkdir()
        (work / name / "file").write_text(name)
    return work / "s1"


def test_a_session_reaches_its_own_folder_and_what_lies_elsewhere(work: Path, family: Path) -> None:
    actions = [
        lambda: (family / "file").write_text("x"),
        lambda: list(family.iterdir()),
        (family / "folder").mkdir,
        (work.parent / "outside" / "file").read_text,
        lambda: Path("/proc/self/stat").read_text(),
    ]
    assert confined(work, family, *actions) == ["allowed"] * len(actions)


def test_a_session_does_not_reach_its_sibling(work: Path, family: Path) -> None:
    sibling = work / "s2"
    actions: list[Callable[[], Any]] = [
        (sibling / "file").read_text,
        lambda: (sibling / "file").write_text("x"),
        lambda: list(sibling.iterdir()),
        lambda: list(work.iterdir()),
        lambda: (work / "beside").write_text("x"),
        (sibling / "file").unlink,
        (family / ".." / "s2" / "file").read_text,
    ]
    assert confined(work, family, *actions) == refused(*["EACCES"] * len(actions))


@pytest.mark.parametrize("target", ["nothing", ".", "..", "work", "work/s2", "outside"])
def test_a_link_beside_the_folder_leads_to_no_sibling(work: Path, family: Path, target: str) -> None:
    """A rule for a link would be one for where it leads."""
    (work.parent / "link").symlink_to(target)
    own, sibling = family / "file", work / "s2" / "file"
    found = confined(work, family, own.read_text, (work.parent / "outside" / "file").read_text, sibling.read_text)
    assert found == ["allowed", "allowed", *refused("EACCES")]


def test_a_session_that_cannot_be_fenced_in_does_not_begin(
    work: Path, family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landlock, "_abi", lambda: 1)
    monkeypatch.setattr(landlock, "_allow", lambda *_: False)
    with pytest.raises(OSError, match="could not be confined"):
        landlock.confine(str(work), str(family))


def test_a_kernel_without_it_is_told_from_one_that_has_it(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for abi in (0, -1):
        monkeypatch.setattr(landlock, "_abi", lambda abi=abi: abi)
        assert landlock.restrict(str(work)) == 0
        assert landlock.confine(str(work), str(work)) is False


def test_what_goes_while_the_fence_is_built_needs_no_rule(
    work: Path, family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A neighbour of the folder may end between the look and the rule; the fence stands all the same."""
    listed = os.listdir
    alter_library(monkeypatch, landlock, "os", listdir=lambda folder: [*listed(folder), "went-away"])
    own, sibling = family / "file", work / "s2" / "file"
    assert confined(work, family, own.read_text, sibling.read_text) == ["allowed", *refused("EACCES")]
