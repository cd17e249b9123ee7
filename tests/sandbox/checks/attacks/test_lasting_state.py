"""The judges of programs that set state of their own: what they take for safe, and what not."""

from sandbox.checks.attacks import lasting_state
from schemas.verdict import ErrorKind, Verdict

LOST = Verdict.unjudged(["correct"], ErrorKind.HOST, "lost")


def recorded(**info: object) -> Verdict:
    return Verdict(rewards={"correct": 0.0}, info=info)


def test_a_program_that_recorded_nothing_has_not_tried() -> None:
    assert lasting_state._runs(recorded()) == "nothing was tried"
    assert lasting_state._runs(recorded(nothing="it crashed")) == "nothing was tried"
    assert lasting_state._runs(recorded(name="allowed: 0")) == ""


def test_only_a_program_whose_time_was_up_is_late() -> None:
    assert lasting_state._is_late(recorded(nothing="the solution took longer than 2 s")) == ""
    assert lasting_state._is_late(Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, "late")) == ""
    assert lasting_state._is_late(recorded(nothing="")) != ""


def test_a_box_that_was_lost_is_never_safe() -> None:
    assert lasting_state._runs(LOST)
    assert lasting_state._is_late(LOST)


def test_every_state_is_set_in_calls_and_in_solutions() -> None:
    names = {attempt.name for attempt in lasting_state.LASTING_STATE}
    assert {name for name in names if not name.startswith("solution-")} == {
        name.removeprefix("solution-") for name in names if name.startswith("solution-")
    }
