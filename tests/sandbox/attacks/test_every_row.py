"""Every row of the table in docs/threat_model.md is held by an attempt of that number, or by the tests named here."""

import re
from pathlib import Path

import pytest

from sandbox.attacks.running import ATTEMPTS

ROOT = Path(__file__).resolve().parents[3]
ROWS = range(1, 68)
TESTS = "tests/sandbox"
ELSEWHERE = {
    54: ("tests/schemas/test_archive.py", "test_a_bomb_is_refused_for_its_ratio_and_stops_early"),
    55: (f"{TESTS}/attacks/test_lifecycle.py", "test_a_package_that_cannot_be_loaded_is_its_own_fault"),
    56: (f"{TESTS}/attacks/test_lifecycle.py", "test_a_package_that_cannot_be_loaded_is_its_own_fault"),
    57: (f"{TESTS}/attacks/test_lifecycle.py", "test_nothing_is_copied_into_running_boxes"),
    58: (f"{TESTS}/images/test_dependency_wheels.py", "test_other_bytes_than_those_locked_are_refused"),
    61: (f"{TESTS}/attacks/test_lifecycle.py", "test_a_killed_owner_leaves_no_container_after_two_seconds"),
    62: (f"{TESTS}/attacks/test_lifecycle.py", "test_what_a_dead_owner_created_and_never_started_is_reaped"),
    63: (f"{TESTS}/reliability/test_engine.py", "test_an_engine_killed_and_started_again_costs_no_verdict"),
    64: (f"{TESTS}/reliability/test_boxes.py", "test_a_zygote_that_is_signalled_from_outside_costs_no_verdict"),
    65: (f"{TESTS}/attacks/test_lifecycle.py", "test_thousands_of_calls_leave_nothing_behind"),
    67: (f"{TESTS}/audit/test_probes.py", "test_each_flaw_is_found_by_its_family"),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_held(row: int) -> None:
    if any(attempt.row == row for attempt in ATTEMPTS):
        assert row not in ELSEWHERE
        return
    file, name = ELSEWHERE[row]
    assert f"def {name}(" in (ROOT / file).read_text()


def test_the_table_in_the_threat_model_has_every_row_and_every_attempt() -> None:
    table = (ROOT / "docs/threat_model.md").read_text()
    assert {int(row) for row in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == set(ROWS)
    missing = [attempt.name for attempt in ATTEMPTS if f"`{attempt.name}`" not in table]
    assert not missing, f"docs/threat_model.md does not name {missing}"
