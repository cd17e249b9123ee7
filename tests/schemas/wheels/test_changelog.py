"""What a changelog says of one version."""

import pytest

from schemas.wheels.changelog import MOST_NOTES_CHARACTERS, notes_of

CHANGELOG = """\
# Changelog

## [Unreleased]

- nothing yet

## [1.2.0] - 2026-11-27

### Added

- a tool

```markdown
## 1.1.0
```

## v1.1.0

- a fix

## 1.1.0rc1: a try
- early

## 1.0

- first
"""


@pytest.mark.parametrize(
    ("version", "has", "lacks"),
    [
        ("1.2.0", ["### Added", "- a tool", "## 1.1.0"], ["a fix", "nothing yet"]),
        ("1.1.0", ["- a fix"], ["a tool", "early"]),
        ("1.1.0rc1", ["- early"], ["first"]),
        ("1.0", ["- first"], ["early"]),
    ],
)
def test_a_versions_section_ends_at_the_next_of_its_level(version: str, has: list[str], lacks: list[str]) -> None:
    found = notes_of(CHANGELOG, version)
    assert all(one in found for one in has)
    assert not [one for one in lacks if one in found]


@pytest.mark.parametrize(
    "text", ["", "# 1.2.0.9\n- x", "Version 1.2.0\n- x", "## in 1.2.0\n- x", "\x00\n##\n## \n", "~~~\n## 1.2.0\n- x"]
)
def test_nothing_is_said_where_no_heading_names_the_version(text: str) -> None:
    assert notes_of(text, "1.2.0") == ""


def test_notes_have_a_ceiling() -> None:
    found = notes_of("## 1.0.0\n" + "- one more line\n" * 5000, "1.0.0")
    assert len(found) <= MOST_NOTES_CHARACTERS + 3
    assert found.endswith("\n\n…")
