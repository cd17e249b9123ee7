from sandbox.checks.attacks.asked_solutions import ASKED_SOLUTIONS
from sandbox.checks.attacks.attempt import completes
from schemas.verdict import ErrorKind, Verdict


def test_each_request_is_a_program_that_asks_for_a_solution() -> None:
    for attempt in ASKED_SOLUTIONS:
        compile(attempt.program, attempt.name, "exec")
        assert "run_solution(" in attempt.program
        assert "assert " in attempt.program, "it looks at what it gets"


def test_only_a_call_that_found_all_as_it_must_be_is_safe() -> None:
    assert all(attempt.is_safe is completes for attempt in ASKED_SOLUTIONS)
    assert completes(Verdict(rewards={"correct": 0.0})) == ""
    assert completes(Verdict.unjudged(["correct"], ErrorKind.VERIFIER_FAILED, "AssertionError"))
