import os
import pty
import sys
import termios
from types import SimpleNamespace

import pytest

from hub_client.commands import browser_confirmation, login, password_proof
from hub_client.errors import NotLoggedInError, PolicyError, refusal_of
from schemas.account import DeviceCode, Token, TokenCreated
from schemas.problem import Problem
from tests.making.altered_library import alter_library

CODE = DeviceCode(
    device_code="d", user_code="ABCD", verification_uri="http://h/device", verification_uri_complete="http://h/device?c=ABCD",
    expires_in=100, interval=2,
)  # fmt: skip
TOKEN = TokenCreated(
    token=Token(id="1", name="x", scopes=[], created_at="2026-11-01T00:00:00Z", expires_at="2026-12-01T00:00:00Z"),
    secret="the-secret",
)


def refused(code):
    return refusal_of(Problem(title=code, status=400, code=code))


class Waiting:
    """A hub that answers a device's polls one after the other, a clock that sleeping moves, and what was shown."""

    def __init__(self, monkeypatch, *answers) -> None:
        self.answers = [CODE, *answers]
        self.slept: list[float] = []
        self.shown: list[str] = []
        clock = {"sleep": self.slept.append, "monotonic": lambda: sum(self.slept)}
        alter_library(monkeypatch, browser_confirmation, "time", **clock)
        hub = SimpleNamespace(send=lambda _call: self.next())
        output = SimpleNamespace(warn=self.shown.append, remark=self.shown.append)
        self.session = SimpleNamespace(hub=hub, output=output)

    def next(self):
        answer = self.answers.pop(0) if self.answers else refused("authorization_pending")
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_login_in_a_browser_is_polled_for_as_slowly_as_the_hub_wants(monkeypatch) -> None:
    hub = Waiting(monkeypatch, refused("authorization_pending"), refused("slow_down"), TOKEN)
    assert login._by_browser(hub.session) == "the-secret"
    assert hub.slept == [2, 2, 7]
    assert "ABCD" in hub.shown[0]


def test_a_denied_login_ends_at_once(monkeypatch) -> None:
    hub = Waiting(monkeypatch, refused("access_denied"))
    with pytest.raises(PolicyError):
        login._by_browser(hub.session)
    assert hub.slept == [2]


def test_a_login_that_nobody_confirms_ends_when_its_code_does(monkeypatch) -> None:
    hub = Waiting(monkeypatch)
    with pytest.raises(NotLoggedInError, match="in time"):
        login._by_browser(hub.session)
    assert 100 <= sum(hub.slept) <= 104


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--with-token", "--browser"], "leave the other options out"),
        (["--name", "x"], "no terminal"),
        (["--name", "ALICE", "--sign-up", "a@b", "--password-stdin"], "2 to 39"),
        (["--name", "alice", "--sign-up", "no-at-sign", "--password-stdin"], "has an @ and no space, not 'no-at-sign'"),
        (["--name", "alice", "--sign-up", "a@b", "--password-stdin"], "12 characters or more"),
        (["--with-token"], "no token came on stdin"),
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_is_sent(verihub, typed, arguments, word) -> None:
    typed("")
    said = verihub("login", *arguments)
    assert said.code == 2
    assert word in said.err


def test_a_new_password_is_asked_for_until_it_is_long_enough_and_repeated(monkeypatch, capsys) -> None:
    typed = iter(["short", "long enough it is", "another long one", "long enough it is", "long enough it is"])
    asked: list[str] = []
    alter_library(monkeypatch, password_proof, "getpass", getpass=lambda prompt: asked.append(prompt) or next(typed))
    assert password_proof.ask_password(is_new=True) == "long enough it is"
    assert capsys.readouterr().err == "this one has 5 characters\nthe two differ\n"
    assert asked[0] == "new password (12 characters or more): "


def test_the_echo_is_off_before_the_password_prompt_is_written() -> None:
    """In a real pseudo-terminal: whatever is typed once the prompt is seen stays unseen."""
    program = "from hub_client.commands.password_proof import ask_password; print(repr(ask_password(is_new=False)))"
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", program])
    seen = b""
    while b"password: " not in seen:
        seen += os.read(terminal, 1)
        if b"pass" in seen:
            assert not termios.tcgetattr(terminal)[3] & termios.ECHO
    os.write(terminal, b"hush\n")
    while b"'hush'" not in seen:
        seen += os.read(terminal, 100)
    os.waitpid(child, 0)
    assert seen.count(b"hush") == 1
