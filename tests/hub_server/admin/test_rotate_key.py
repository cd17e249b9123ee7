"""`verihub admin rotate-key` on a real data folder: the next start signs with the new key, and what was signed stays."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.admin.command import app
from hub_server.settings import ServerSettings
from hub_server.wiring import open_signer


@pytest.fixture
def rotate(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("VERIHUB_SERVER_SANDBOX__BACKEND", "local")
    monkeypatch.setenv("VERIHUB_SERVER_SANDBOX__TRUSTED", "true")
    monkeypatch.setenv("VERIHUB_SERVER_STORAGE__SEARCH_IN_MEMORY", "true")
    (tmp_path / "data").mkdir()

    def call(*arguments: str):
        return CliRunner().invoke(app, ["rotate-key", "--data", str(tmp_path / "data"), *arguments])

    return call


def test_the_hubs_own_key_is_replaced_and_the_former_one_is_gone(rotate, tmp_path: Path) -> None:
    settings = ServerSettings(data=tmp_path / "data")
    before = open_signer(settings).key_id
    said = rotate()
    assert said.exit_code == 0, said.output
    after = open_signer(settings).key_id
    assert before != after
    assert before in said.output
    assert after in said.output
    assert [path.name for path in (tmp_path / "data" / "keys").iterdir()] == ["signing.pem"]
    assert (tmp_path / "data" / "keys" / "signing.pem").stat().st_mode & 0o077 == 0


def test_a_rotation_that_broke_off_before_the_file_was_replaced_goes_on(rotate, tmp_path: Path) -> None:
    settings = ServerSettings(data=tmp_path / "data")
    open_signer(settings)
    made = Ed25519Signer(tmp_path / "data" / "keys" / "following.pem", make=True).key_id
    assert rotate().exit_code == 0
    assert open_signer(settings).key_id == made


def test_a_key_that_a_setting_names_is_rotated_to_one_that_is_named(rotate, tmp_path: Path, monkeypatch) -> None:
    Ed25519Signer(tmp_path / "one.pem", make=True)
    two = Ed25519Signer(tmp_path / "two.pem", make=True)
    assert "leave --to out" in rotate("--to", str(tmp_path / "two.pem")).output
    monkeypatch.setenv("VERIHUB_SERVER_SIGNING_KEY", str(tmp_path / "one.pem"))
    assert "name it with --to" in rotate().output
    said = rotate("--to", str(tmp_path / "two.pem"))
    assert (said.exit_code, two.key_id in said.output) == (0, True)
    assert rotate("--to", str(tmp_path / "absent.pem")).exit_code == 9
