"""The commands that the home page prints are run as they stand, by a newcomer with nothing but a name and an e-mail."""

import html
import os
import pty
import re
import select
import termios
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.conftest import PASSWORD, VERIHUB, ServedHub

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.together("end_to_end")]


@pytest.fixture
def fresh_hub(serve_hub, tmp_path: Path) -> ServedHub:
    return serve_hub(tmp_path / "hub")


def printed_commands(page: str) -> list[str]:
    """Every command that the page offers to copy, in order."""
    return [html.unescape(line) for line in re.findall(r'<div class="pull"><code[^>]*>(.*?)</code>', page, re.DOTALL)]


def run_in_terminal(script: str, home: Path, answers: list[tuple[str, str]]) -> tuple[int, str]:
    """Run ``script`` in a shell at a terminal of its own; each (question, answer) is typed when it is asked."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VERIHUB_", "XDG_"))}
    environment = kept | {"HOME": str(home), "PATH": f"{VERIHUB.parent}:{os.environ['PATH']}", "TERM": "dumb"}
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(home)
        os.execve("/bin/bash", ["bash", "-e", "-c", script], environment)
    said, waiting = "", list(answers)
    while True:
        ready, _, _ = select.select([terminal], [], [], 240)
        try:
            part = os.read(terminal, 4096) if ready else b""
        except OSError:  # Linux says so when the shell has ended
            part = b""
        if not part:
            break
        said += part.decode(errors="replace")
        if waiting and waiting[0][0] in said[-200:].lower():
            while termios.tcgetattr(terminal)[3] & termios.ECHO:  # what is typed before the prompt hides it is lost
                select.select([terminal], [], [], 0.02)
            os.write(terminal, waiting.pop(0)[1].encode() + b"\n")
            said += "\n"
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), said


def test_what_the_home_page_prints_works_as_printed(fresh_hub: ServedHub, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    commands = printed_commands(httpx.get(fresh_hub.url).text)
    assert len(commands) >= 4
    script = "\n".join(commands).replace("NAME", "newcomer").replace("EMAIL", "newcomer@example.org")
    code, said = run_in_terminal(script, home, [("password", PASSWORD), ("same again", PASSWORD)])
    assert code == 0, said
    assert "newcomer/final-number 0.1.0 is published" in said
    card = httpx.get(f"{fresh_hub.url}/api/v1/packages/newcomer/final-number").json()["card"]
    assert card["audit"]["grade"] in "ABCD"
