"""The list of what is wrong with a wheel: whole, bounded, and safe to print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.wheels.wheel_error import MAX_LISTED, ProblemList, WheelError, printable


def listed(count: int) -> ProblemList:
    problems = ProblemList()
    for number in range(count):
        problems.add(f"file{number}", f"fault {number}")
    return problems


def test_nothing_noted_raises_nothing() -> None:
    problems = ProblemList()
    problems.raise_if_any()
    assert not problems
    assert problems.parts == []


@pytest.mark.parametrize(
    ("count", "last"), [(1, "fault 0"), (MAX_LISTED, "fault 49"), (MAX_LISTED + 1, "1 more"), (1000, "950 more")]
)
def test_the_list_is_bounded_and_counts_what_it_leaves_out(count: int, last: str) -> None:
    with pytest.raises(WheelError) as caught:
        listed(count).raise_if_any()
    assert len(caught.value.problems) == min(count, MAX_LISTED + 1)
    assert last in caught.value.problems[-1].message
    assert len(str(caught.value).splitlines()) == len(caught.value.problems)


def test_a_problem_names_its_place() -> None:
    with pytest.raises(WheelError) as caught:
        listed(1).raise_if_any()
    assert str(caught.value) == "file0: fault 0"


def test_a_problem_of_the_whole_wheel_has_no_place() -> None:
    problems = ProblemList()
    problems.add("", "this is no archive")
    assert str(WheelError(problems.parts)) == "this is no archive"


def test_the_parts_are_a_copy() -> None:
    problems = listed(1)
    problems.parts.clear()
    assert len(problems.parts) == 1


@given(st.text(max_size=400))
def test_whatever_a_file_is_called_its_name_can_be_printed(name: str) -> None:
    shown = printable(name)
    assert shown.isprintable()
    assert len(shown) <= 300
    if name.isprintable():
        assert shown == name[:300]


@pytest.mark.parametrize(
    ("name", "shown"), [("\x1b[2J", "\\x1b[2J"), ("a\nb", "a\\nb"), ("\u202e", "\\u202e"), ("\ud800", "\\ud800")]
)
def test_what_would_move_a_cursor_is_escaped(name: str, shown: str) -> None:
    assert printable(name) == shown
