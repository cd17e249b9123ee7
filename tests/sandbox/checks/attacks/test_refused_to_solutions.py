from sandbox.checks.attacks.refused_to_solutions import REFUSED_TO_SOLUTIONS
from schemas.verdict import Verdict


def test_a_trial_that_was_allowed_or_not_made_is_not_safe() -> None:
    for attempt in REFUSED_TO_SOLUTIONS:
        allowed = Verdict(rewards={"correct": 0.0}, info={"anything": "allowed: 0"})
        assert attempt.is_safe(allowed), attempt.name
        assert attempt.is_safe(Verdict(rewards={"correct": 0.0})), attempt.name


def test_their_programs_can_be_read() -> None:
    for attempt in REFUSED_TO_SOLUTIONS:
        compile(attempt.program, attempt.name, "exec")
