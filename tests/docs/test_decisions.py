"""Decisions are counted without gap or doubling, and what is said to hold each of them exists."""

import re
from pathlib import Path

import pytest

DECISIONS = sorted(Path("docs/decisions").glob("[0-9]*.md"))
QUOTED = re.compile(r"`((?:tests|scripts|docs)/[\w./-]+)`")


def test_each_number_is_given_once_and_stands_in_the_title() -> None:
    numbers = [int(page.name[:4]) for page in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))
    for number, page in zip(numbers, DECISIONS, strict=True):
        assert page.read_text().startswith(f"# {number}. "), page


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_the_files_that_a_decision_names_exist(page: Path) -> None:
    missing = [name for name in QUOTED.findall(page.read_text()) if not Path(name).exists()]
    assert missing == []
