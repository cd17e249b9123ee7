"""What no token may do: the password is asked for once, from the terminal or stdin, and kept nowhere."""

import io

from hub_client.commands import browser_confirmation
from tests.making.altered_library import alter_library

REFUSED = {"type": "about:blank", "title": "t", "status": 403, "code": "password_needed", "detail": "not by a token"}
PROOF = {"secret": "verihub_sudo_x", "expires_at": "2026-12-01T00:00:00Z"}
ANN = {"name": "ann", "created_at": "2026-11-01T00:00:00Z"}


def test_without_a_terminal_and_without_stdin_it_says_what_to_do(verihub, scripted, monkeypatch):
    scripted.on("GET", "/tokens", REFUSED, status=403)
    scripted.on("GET", "/account", ANN)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    said = verihub("token", "list")
    assert said.code == 2
    assert "stdin" in said.err
    assert "POST /sudo" not in scripted.asked


def test_the_password_goes_to_the_proof_and_nowhere_else(verihub, scripted, monkeypatch):
    scripted.on("GET", "/tokens", REFUSED, status=403)
    scripted.on("GET", "/account", ANN)
    scripted.on("POST", "/sudo", PROOF)
    monkeypatch.setattr("sys.stdin", io.StringIO("hunter2 hunter2\n"))
    said = verihub("token", "list")
    assert said.code == 9  # this hub refuses even then, and the command ends
    assert scripted.asked == ["GET /tokens", "GET /account", "POST /sudo", "GET /tokens"]
    assert "hunter2" not in said.out + said.err


def test_a_second_factors_code_is_asked_for_once_and_sent_with_the_password(verihub, scripted, monkeypatch):
    wanted = {**REFUSED, "code": "second_factor_needed"}
    scripted.on("GET", "/tokens", REFUSED, status=403)
    scripted.on("GET", "/account", ANN)
    scripted.on("POST", "/sudo", wanted, status=403)
    monkeypatch.setattr("sys.stdin", io.StringIO("hunter2 hunter2\n123456\n"))
    said = verihub("token", "list")
    assert said.code == 9  # this hub wants another, and nothing is asked for twice
    assert scripted.asked == ["GET /tokens", "GET /account", "POST /sudo", "POST /sudo"]
    assert "123456" not in said.out + said.err
    monkeypatch.setattr("sys.stdin", io.StringIO("hunter2 hunter2\n"))
    assert "--browser" in verihub("token", "list").err


def test_a_wrong_password_is_not_met_with_a_new_login(verihub, scripted, monkeypatch):
    wrong = {**REFUSED, "status": 401, "code": "not_authenticated", "detail": "Name or password is wrong."}
    scripted.on("GET", "/tokens", REFUSED, status=403)
    scripted.on("GET", "/account", ANN)
    scripted.on("POST", "/sudo", wrong, status=401)
    monkeypatch.setattr("sys.stdin", io.StringIO("hunter3\n"))
    said = verihub("token", "list")
    assert (said.code, said.err.strip()) == (3, "verihub: Name or password is wrong.")


def test_an_empty_line_in_place_of_the_code_sends_one_to_a_browser_where_a_key_answers(verihub, scripted, monkeypatch):
    code = {
        "device_code": "d", "user_code": "ABCD", "verification_uri": "http://h/device",
        "verification_uri_complete": "http://h/device?code=ABCD", "expires_in": 100, "interval": 2,
    }  # fmt: skip
    scripted.on("GET", "/tokens", REFUSED, status=403)
    scripted.on("GET", "/account", ANN)
    scripted.on("POST", "/sudo", {**REFUSED, "code": "second_factor_needed"}, status=403)
    scripted.on("POST", "/device/code", code)
    scripted.on("POST", "/device/proof", PROOF)
    monkeypatch.setattr("sys.stdin", io.StringIO("hunter2 hunter2\n\n"))
    alter_library(monkeypatch, browser_confirmation, "time", sleep=lambda _seconds: None)
    said = verihub("token", "list")
    assert scripted.asked[-3:] == ["POST /device/code", "POST /device/proof", "GET /tokens"]
    assert "http://h/device?code=ABCD" in said.err
