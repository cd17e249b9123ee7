"""Settings: read from the environment by name, refused in words where they are wrong."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from hub_server.settings import ExecutionSettings, JudgeSettings, MirrorSettings, ServerSettings
from schemas.manifest import Manifest, SandboxNeeds


def test_the_environment_names_a_group_and_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SERVER_LIMITS__RELEASES_PER_DAY", "7")
    monkeypatch.setenv("VERIHUB_SERVER_PUBLIC_URL", "https://hub.example")
    monkeypatch.setenv("VERIHUB_SERVER_MODERATORS", '["moda", "modi"]')
    settings = ServerSettings()
    assert settings.limits.releases_per_day == 7
    assert settings.limits.uploads_per_day == ServerSettings.model_fields["limits"].default.uploads_per_day
    assert (settings.public_url, settings.moderators) == ("https://hub.example", ["moda", "modi"])


@pytest.mark.parametrize(
    ("name", "value"),
    [("WORKER__THREADS", "0"), ("WORKER__JOB_SECONDS", "-1"), ("LOG__LEVEL", "loud"), ("LIMITS__NO_SUCH", "1")],
)
def test_a_value_that_cannot_be_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"VERIHUB_SERVER_{name}", value)
    with pytest.raises(ValidationError, match=name.rpartition("__")[2].lower()):
        ServerSettings()


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgres://u@h/d", "postgresql+psycopg://u@h/d"),
        ("postgresql://u@h/d", "postgresql+psycopg://u@h/d"),
        ("postgresql+psycopg://u@h/d", "postgresql+psycopg://u@h/d"),
        ("sqlite:////x.sqlite3", "sqlite:////x.sqlite3"),
    ],
)
def test_a_database_is_reached_by_the_driver_that_is_installed(url: str, wanted: str) -> None:
    assert ServerSettings(storage={"database_url": url}).database_url == wanted


def test_without_addresses_everything_lies_in_the_data_folder(tmp_path: Path) -> None:
    settings = ServerSettings(data=tmp_path / "hub")
    assert settings.database_url == f"sqlite:///{tmp_path}/hub/hub.sqlite3"
    assert settings.blobs_url == f"{tmp_path}/hub/blobs"
    assert ServerSettings(storage={"blobs_url": "s3://bucket"}).blobs_url == "s3://bucket"


def test_settings_never_change_once_read() -> None:
    with pytest.raises(ValidationError):
        ServerSettings().limits.wheel_bytes = 1


LIMITS = ExecutionSettings(most_timeout_seconds=60, most_memory_mb=1000)


@pytest.mark.parametrize(
    ("needs", "named"),
    [
        (SandboxNeeds(timeout_seconds=60, memory_mb=1000), ""),
        (SandboxNeeds(timeout_seconds=60.5, memory_mb=1000), "sandbox.timeout_seconds is 60.5"),
        (SandboxNeeds(generate_timeout_seconds=61), "sandbox.generate_timeout_seconds is 61"),
        (SandboxNeeds(timeout_seconds=1, memory_mb=1001), "sandbox.memory_mb is 1001"),
    ],
    ids=["at the limit", "too long", "draws too long", "too large"],
)
def test_a_package_that_asks_for_too_much_is_told_what_and_how_much(needs: SandboxNeeds, named: str) -> None:
    said = LIMITS.why_not_run(needs)
    assert said.startswith(named) if named else said == ""
    assert not named or "publish a version that asks for less" in said


ASKING = Manifest.from_toml(
    'format = 1\nid = "alice/judge"\nkind = "verifier"\nverifier = "alice_judge:verify"\n[rewards.good]\n'
    '[model]\nname = "m"\n[model.prompts.point]\nuser = "{response}"\n'
)


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (JudgeSettings(), "this hub offers none"),
        (JudgeSettings(url="http://x/v1"), "this hub offers none"),
        (JudgeSettings(url="http://x/v1", model="other"), "asks for the model m, and this hub offers other"),
        (JudgeSettings(url="http://x/v1", model="m", owners=["bob"]), "only verifiers of some accounts"),
        (JudgeSettings(url="http://x/v1", model="m", owners=["alice"]), ""),
        (JudgeSettings(url="http://x/v1", model="m"), ""),
    ],
)
def test_a_verifier_may_ask_only_the_model_that_the_operator_offers(judge: JudgeSettings, words: str) -> None:
    said = judge.why_not_asked(ASKING)
    assert words in said
    assert bool(said) == bool(words)
    assert JudgeSettings().why_not_asked(ASKING.model_copy(update={"model": None})) == ""
    assert "secret" not in repr(JudgeSettings(key="secret"))


@pytest.mark.parametrize(
    "url",
    [
        "hub.example.org",
        "ftp://hub.example.org",
        "https://",
        "https://hub.example.org/?x=1",
        "https://a:b@hub.example.org",
    ],
)
def test_a_mirror_is_of_an_address_that_everybody_may_see(url: str) -> None:
    with pytest.raises(ValidationError, match=r"https://hub\.example\.org"):
        MirrorSettings(of=url)
    assert MirrorSettings(of="https://hub.example.org/verihub/").of == "https://hub.example.org/verihub"
