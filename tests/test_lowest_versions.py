"""The floors of pyproject.toml are those that scripts/test_lowest has last passed with."""

from importlib.metadata import version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lowest_versions import floor, pins, requirements
from tests.test_dependencies import ROOT

TESTED = ["server", "postgres"]
WITHOUT_A_FLOOR = {"pydantic-core": "pydantic pins it", "mcp-types": "mcp pins it"}


def test_the_floors_are_those_that_were_tested() -> None:
    """A floor that nobody has tried is a guess: releases were allowed with which the hub did not start."""
    tested = (ROOT / "scripts" / "lowest_tested.txt").read_text().splitlines()
    assert pins(requirements(TESTED)) == tested, "run scripts/test_lowest: where it passes it writes this file"


def test_every_dependency_has_a_floor() -> None:
    without = {canonicalize_name(one.name) for one in requirements(TESTED) if floor(one) is None}
    assert without == set(WITHOUT_A_FLOOR)


def test_what_is_installed_is_within_the_bounds() -> None:
    beyond = {one.name for one in requirements(TESTED) if not one.specifier.contains(version(one.name))}
    assert beyond == set()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["a>=1.9", "a>=1.10,<2"], ["a==1.10"]),
        (["a>=1.10,<2", "a>=1.9"], ["a==1.10"]),
        (["B_c>=2", "b-c>=1"], ["b-c==2"]),
        (["a==3.1", "b~=2.0", "c", "d<3"], ["a==3.1", "b==2.0"]),
    ],
)
def test_of_several_floors_the_highest_is_tried(texts: list[str], expected: list[str]) -> None:
    assert pins([Requirement(text) for text in texts]) == expected
