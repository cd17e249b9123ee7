"""A second factor is switched on by a code of the app, and off by another; its recovery codes are shown once."""

import json
import time
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from hub_client.client import Hub
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts
from hub_server.accounts.rules.second_factors import _totp
from schemas.account import PasswordProof, SecondFactorCode

PASSWORD = "correct horse battery staple"
ANN = {"name": "ann", "created_at": "2026-11-01T00:00:00Z"}
PROOF = {"secret": "verihub_sudo_x", "expires_at": "2026-12-01T00:00:00Z"}
ON = "/account/second-factor"


@pytest.fixture
def hub(scripted):
    scripted.on("GET", "/account", ANN)
    scripted.on("POST", "/sudo", PROOF)
    scripted.on("POST", ON, {"secret": "BASE32SECRET", "uri": "otpauth://totp/ann?secret=BASE32SECRET"})
    scripted.on("PUT", ON, {"codes": ["aaaa-1111", "bbbb-2222"]})
    return scripted


@pytest.mark.parametrize("shape", ["human", "quiet"])
def test_the_recovery_codes_are_all_of_stdout_and_the_password_is_typed_once(verihub, hub, typed, shape) -> None:
    typed(f"{PASSWORD}\n123456\n")
    said = verihub("second-factor", "on", "--format", shape)
    assert (said.code, said.out.split()) == (0, ["aaaa-1111", "bbbb-2222"]), said.err
    assert "BASE32SECRET" in said.err
    assert hub.asked == ["GET /account", "POST /sudo", f"POST {ON}", f"PUT {ON}"]
    assert json.loads(hub.bodies[-1]) == {"code": "123456"}


def test_without_a_code_nothing_is_switched_on(verihub, hub, typed) -> None:
    typed(f"{PASSWORD}\n")
    assert verihub("second-factor", "on").code == 2
    assert f"PUT {ON}" not in hub.asked


def test_a_security_key_is_shown_and_removed(verihub, hub, typed) -> None:
    key = {"id": "k1", "name": "blue", "created_at": "2026-11-01T00:00:00Z"}
    hub.on("GET", ON, {"enabled_at": None, "security_keys": [key], "recovery_codes_left": 3})
    said = verihub("second-factor", "show")
    assert ("security key blue" in said.out, "3 recovery codes left" in said.err) == (True, True)
    hub.on("DELETE", "/account/security-keys/k1", httpx.Response(204))
    assert verihub("second-factor", "remove-key", "k1").code == 0


def test_at_a_live_hub_it_is_shown_and_switched_off_by_recovery_codes(verihub, at_hub, typed) -> None:
    typed(PASSWORD + "\n")
    assert "no second factor" in verihub("second-factor", "show").out
    settings = ClientSettings.load()
    with Hub(settings=settings) as hub:
        proof = hub.send(accounts.open_proof(PasswordProof(name=at_hub, password=PASSWORD)))
    with Hub(settings=settings.model_copy(update={"token": proof.secret})) as hub:
        begun = hub.send(accounts.start_second_factor())
        (secret,) = parse_qs(urlsplit(begun.uri).query)["secret"]
        assert secret.rstrip("=") == begun.secret.rstrip("=")
        now = int(time.time()) // 30 * 30
        code = _totp(begun.secret).generate(now).decode()
        codes = hub.send(accounts.enable_second_factor(SecondFactorCode(code=code))).codes
    typed(f"{PASSWORD}\n{codes[0]}\n")
    said = verihub("second-factor", "show")
    assert ("authenticator app" in said.out, "9 recovery codes left" in said.err) == (True, True), said.err
    typed(f"{PASSWORD}\n{codes[1]}\n")
    said = verihub("second-factor", "off", codes[2])
    assert said.out.strip() == "the app is switched off", said.err
    typed(PASSWORD + "\n")
    assert "no second factor" in verihub("second-factor", "show").out
