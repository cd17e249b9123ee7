"""The inner loop runs the tests that belong to what changed."""

from pathlib import Path

import pytest

from scripts import changed_tests


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("schemas/measures/grades.py", "tests/schemas/measures/test_grades.py"),
        ("tests/schemas/test_kinds.py", "tests/schemas/test_kinds.py"),
        ("docs/how_to/train.md", "tests/docs/test_code_names.py"),
        ("README.md", "tests/docs/test_words.py"),
        ("hub_server/catalog/__init__.py", "tests/hub_server/catalog/test_models.py"),
    ],
)
def test_a_file_has_its_mirror_or_the_tests_of_its_folder(changed: str, test: str) -> None:
    assert Path(test) in changed_tests.tests_of(Path(changed))


def test_tutorials_are_left_to_whole_runs_and_what_no_test_holds_is_passed_over() -> None:
    assert Path("tests/docs/test_tutorials.py") not in changed_tests.tests_of(Path("docs/tutorials/install.md"))
    assert changed_tests.tests_of(Path("deploy/verihub.service")) == []
