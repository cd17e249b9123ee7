"""What an operator can set: nothing that breaks the first box instead of the start."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sandbox import settings as settings_module
from sandbox.host.guest_config import solution_resources
from sandbox.settings import SandboxSettings, _default_state_folder
from tests.making.altered_library import alter_library

NUMBERS = [name for name, field in SandboxSettings.model_fields.items() if field.annotation in (int, float)]
SECONDS = [name for name, field in SandboxSettings.model_fields.items() if field.annotation is float]

MAY_BE_0 = {"engine_patience_seconds", "replay_fraction", "judge_prompt_price", "judge_answer_price"}


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("VERIHUB_SANDBOX_"):
            monkeypatch.delenv(name)


def test_there_is_something_to_set() -> None:
    assert len(NUMBERS) > 20
    assert len(SECONDS) > 8


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_makes_no_sense_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for value in ("-1", "nan", "inf", "-inf", "1e999", "", "many"):
        monkeypatch.setenv(f"VERIHUB_SANDBOX_{name.upper()}", value)
        with pytest.raises(ValidationError) as raised:
            SandboxSettings()
        assert [fault["loc"] for fault in raised.value.errors()] == [(name,)], value


@pytest.mark.parametrize("name", sorted(set(SECONDS) - MAY_BE_0))
def test_no_clock_runs_out_before_it_starts(name: str) -> None:
    with pytest.raises(ValidationError):
        SandboxSettings(**{name: 0.0})


@pytest.mark.parametrize(
    ("name", "value"), [("replay_fraction", 1.1), ("session_undo_depth", 17), ("batch_calls", 1025), ("max_boxes", 1)]
)
def test_what_the_protocol_cannot_carry_is_refused(name: str, value: float) -> None:
    """A frame counts calls in 16 bits, and a session's checkpoints have so many descriptors."""
    with pytest.raises(ValidationError):
        SandboxSettings(**{name: value})  # type: ignore[arg-type]


def test_nothing_isolates_less_unless_somebody_says_so() -> None:
    settings = SandboxSettings()
    assert not settings.trust_local_code
    assert not settings.local_as_root
    assert settings.runtime is None


def test_an_argument_goes_before_the_environment_and_that_before_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_MAX_BOXES", "7")
    assert SandboxSettings().max_boxes == 7
    assert SandboxSettings(max_boxes=9).max_boxes == 9
    monkeypatch.delenv("VERIHUB_SANDBOX_MAX_BOXES")
    assert SandboxSettings().max_boxes == 64


def test_settings_do_not_change_under_those_who_read_them() -> None:
    settings = SandboxSettings()
    with pytest.raises(ValidationError, match="frozen"):
        settings.max_boxes = 3  # type: ignore[misc]


def test_every_setting_makes_a_policy_with_a_label() -> None:
    """What a box may use goes into a label as plain JSON, which has no infinity."""
    largest: dict[str, Any] = dict.fromkeys(SECONDS, 1e12) | {"replay_fraction": 1.0}
    assert solution_resources(SandboxSettings(**largest)).digest


# -- where owners lock -----------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "user").mkdir()
    return tmp_path


def _user(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    alter_library(monkeypatch, settings_module, "os", getuid=lambda: number)


def test_a_user_has_a_folder_that_is_the_users_own(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = run / "user" / "4321"
    own.mkdir()
    if os.getuid() == 0:
        os.chown(own, 4321, -1)
        _user(monkeypatch, 4321)
        assert _default_state_folder(run) == own / "verihub-sandbox"
    else:
        own.rename(run / "user" / str(os.getuid()))
        assert _default_state_folder(run) == run / "user" / str(os.getuid()) / "verihub-sandbox"


def test_a_folder_that_another_user_made_there_is_not_taken(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever owns the folder could put links in the locks' place."""
    another = os.getuid() + 4321
    _user(monkeypatch, another)
    (run / "user" / str(another)).mkdir()
    fallback = Path(tempfile.gettempdir()) / f"verihub-sandbox-{another}"
    assert _default_state_folder(run) == fallback


@pytest.mark.parametrize("made", ["nothing", "file", "link"])
def test_without_such_a_folder_it_lies_below_that_for_temporary_files(
    run: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    _user(monkeypatch, 4321)
    own = run / "user" / "4321"
    if made == "file":
        own.write_text("")
    elif made == "link":
        own.symlink_to("nowhere")
    assert _default_state_folder(run) == Path(tempfile.gettempdir()) / "verihub-sandbox-4321"


def test_root_locks_below_run_itself(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = run.stat().st_uid
    if owner == 0:
        assert _default_state_folder(run) == run / "verihub-sandbox"
    else:  # what root would be told of a folder that somebody else owns
        _user(monkeypatch, 0)
        assert _default_state_folder(run) == Path(tempfile.gettempdir()) / "verihub-sandbox-0"
