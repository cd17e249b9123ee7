"""The judges of what a model's program tries: what they take for safe, and what not."""

import pytest

from sandbox.checks.attacks import in_solutions
from schemas.verdict import ErrorKind, Verdict


def recorded(**info: object) -> Verdict:
    usual = {"error": "", "result": "None", "files": 0, "timed_out": False}
    return Verdict(rewards={"correct": 0.0}, info={**usual, **info})


NULL = Verdict.unjudged(["correct"], ErrorKind.HOST, "lost")


@pytest.mark.parametrize(
    "judge",
    [
        in_solutions._fails,
        in_solutions._is_late,
        in_solutions._gives(42),
        in_solutions._ends,
        in_solutions._ends_or(42),
    ],
)
def test_a_box_that_was_lost_is_never_safe(judge: object) -> None:
    assert judge(NULL)  # type: ignore[operator]


def test_a_program_that_came_through_has_not_failed() -> None:
    assert in_solutions._fails(recorded(result="42"))
    assert in_solutions._fails(recorded(result="42", error="late"))
    assert not in_solutions._fails(recorded(error="late"))
    assert in_solutions._is_late(recorded(error="died"))
    assert not in_solutions._is_late(recorded(error="late", timed_out=True))


def test_only_the_expected_value_without_an_error_will_do() -> None:
    assert not in_solutions._gives(42)(recorded(result="42"))
    assert in_solutions._gives(42)(recorded(result="43"))
    assert in_solutions._gives(42)(recorded(result="42", error="died"))


def test_of_several_values_any_will_do_and_so_will_a_failure() -> None:
    judge = in_solutions._ends_or(42, 43)
    assert not judge(recorded(result="43"))
    assert not judge(recorded(error="died"))
    assert judge(recorded(result="44"))


def test_every_program_is_one() -> None:
    for _, code, _ in in_solutions._RUNS.values():
        compile(code, "program", "exec")
