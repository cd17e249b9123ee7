"""Every row of the table in docs/explanation/threat_model.md is held by an attempt of that number, or by the tests named here."""

import re
from pathlib import Path

import pytest

from sandbox.checks.attacks.runner import ATTEMPTS

ROOT = Path(__file__).resolve().parents[4]
ROWS = range(1, 89)
OF_TABLES = (75, 76, 77, 88)
"""Rows of many small attempts, which stand in tables of code."""
TESTS = "tests/sandbox"
ELSEWHERE = {
    54: ("tests/schemas/wheels/test_archive.py", "test_a_bomb_is_refused_for_its_ratio_and_stops_early"),
    55: (f"{TESTS}/checks/attacks/test_lifecycle.py", "test_a_package_that_cannot_be_loaded_is_its_own_fault"),
    56: (f"{TESTS}/checks/attacks/test_lifecycle.py", "test_a_package_that_cannot_be_loaded_is_its_own_fault"),
    57: (f"{TESTS}/checks/attacks/test_lifecycle.py", "test_nothing_is_copied_into_running_boxes"),
    58: (f"{TESTS}/images/test_dependency_wheels.py", "test_other_bytes_than_those_locked_are_refused"),
    61: (f"{TESTS}/checks/attacks/test_lifecycle.py", "test_a_killed_owner_leaves_no_container"),
    62: (f"{TESTS}/checks/attacks/test_lifecycle.py", "test_what_a_dead_owner_created_and_never_started_is_reaped"),
    63: (f"{TESTS}/reliability/test_engine.py", "test_an_engine_killed_and_started_again_costs_no_verdict"),
    64: (f"{TESTS}/reliability/test_boxes.py", "test_a_zygote_that_is_signalled_from_outside_costs_no_verdict"),
    65: (f"{TESTS}/checks/attacks/test_lifecycle.py", "test_thousands_of_calls_leave_nothing_behind"),
    73: (f"{TESTS}/checks/attacks/test_by_packages.py", "test_a_package_that_takes_over_the_guest_harms_itself_only"),
    74: (
        f"{TESTS}/checks/attacks/test_in_sessions.py",
        "test_a_session_harms_neither_its_siblings_nor_its_successors",
    ),
    78: (f"{TESTS}/guest/test_baseline.py", "test_what_was_put_into_a_packages_pipe_or_socket_is_a_change"),
    79: (f"{TESTS}/checks/benches/test_poison.py", "test_no_verdict_of_a_hundred_programs_changes"),
    81: (f"{TESTS}/checks/attacks/test_notes.py", "test_the_next_call_finds_no_note"),
    82: (
        f"{TESTS}/backends/docker/test_neighbours.py",
        "test_a_package_that_hoards_what_its_uid_may_have_starves_no_neighbour_with_other_lock_files",
    ),
    83: (
        f"{TESTS}/cluster/test_many_nodes_stream.py",
        "test_a_package_that_ends_its_own_boxes_on_every_node_cools_none_down",
    ),
    84: (f"{TESTS}/checks/harm/test_run.py", "test_harm_makes_no_verdict_wrong_and_leaves_nothing"),
    85: (f"{TESTS}/checks/attacks/test_neighbours.py", "test_no_box_sees_a_lock_of_another_packages_box"),
    86: (f"{TESTS}/host/test_box.py", "test_importing_has_a_time_and_whose_fault_it_is_depends_on_the_package"),
    87: (f"{TESTS}/backends/docker/test_owners.py", "test_a_copy_of_a_folder_is_another_folder"),
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
    table = (ROOT / "docs/explanation/threat_model.md").read_text()
    assert {int(row) for row in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == set(ROWS)
    alone = [attempt for attempt in ATTEMPTS if attempt.row not in OF_TABLES]
    missing = [attempt.name for attempt in alone if f"`{attempt.name}`" not in table]
    assert not missing, f"docs/explanation/threat_model.md does not name {missing}"
