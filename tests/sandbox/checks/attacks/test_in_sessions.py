"""What one session tries on its siblings in the same box. A part of what ``python -m sandbox attack`` tries."""

from pathlib import Path
from typing import Any

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.in_sessions import RUNNER, SESSIONS, WORK
from sandbox.checks.samples import TASK

pytestmark = pytest.mark.docker

TRIED = (
    "session-limits",
    "session-priorities",
    "session-signals",
    "session-read",
    "session-write",
    "session-beside",
    "session-processes",
    "session-own-everything",
    "session-deep-answer",
    "session-words-without-end",
    "session-requests-without-end",
    "session-branches-of-others",
    "session-raw-1e999",
    "session-raw-half-a-pair",
    "session-asks-nan",
)


@pytest.mark.parametrize("name", TRIED)
def test_a_session_harms_neither_its_siblings_nor_its_successors(docker_sandbox: BlockingSandbox, name: str) -> None:
    [attempt] = [one for one in SESSIONS if one.name == name]
    assert docker_sandbox.run(attempt.problem(docker_sandbox.inner)) == ""


def test_sessions_of_an_attempt_share_a_box_and_do_their_work(docker_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    """Else what is refused would be refused because nobody is there."""
    source = RUNNER.source(tmp_path)
    with docker_sandbox.session(source, TASK) as sibling, docker_sandbox.session(source, TASK) as hostile:
        sibling.reset()
        hostile.reset()
        done = step(sibling, WORK)
        assert (done["written"], done["forked"], done["solved"], done["nice"]) == (100_000, 7, 42, 0)
        assert done["files"] == ["file"]
        look = "said['processes'] = [int(name) for name in os.listdir('/proc') if name.isdigit()]\nsaid['own'] = os.getpid()"
        other, seen = step(sibling, look), step(hostile, look)
        assert other["own"] in seen["processes"]


def test_what_a_session_needs_is_in_its_own_folder(docker_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    """Temporary files, programs, modules that were not imported yet, branches and undo."""
    program = """
import subprocess, tempfile, colorsys
with tempfile.NamedTemporaryFile() as file:
    said["inside"] = file.name.startswith(os.getcwd())
open(os.devnull, "w").write("x")
said["ran"] = subprocess.run(["sh", "-c", "echo hi > own; cat own"], capture_output=True, text=True).stdout
"""
    with docker_sandbox.session(RUNNER.source(tmp_path), TASK) as session:
        session.reset()
        assert step(session, program) == {"inside": True, "ran": "hi\n"}
        branch = session.branch()
        session.close()
        assert step(branch, program) == {"inside": True, "ran": "hi\n"}
        branch.undo()
        branch.undo()
        assert step(branch, "said['files'] = os.listdir('.')")["files"] == []
        branch.close()


def step(session: Any, program: str) -> dict[str, Any]:
    said: dict[str, Any] = session.step({"role": "assistant", "content": program})["said"]
    return said
