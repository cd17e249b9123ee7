"""Shapes that a verifier may not expect: what it does with code."""

from tests.sandbox.audit.test_probes import TASKS, numeric_suite, run, sound


def evaluates(call):
    """Reads an answer by evaluating it, and takes an error for a wrong answer."""
    try:
        return {"correct": float(eval(call.response) == call.task["answer"])}
    except (ValueError, SyntaxError, NameError, TypeError, ZeroDivisionError, RecursionError, MemoryError):
        return sound(call)
    except SystemExit as ending:
        raise RuntimeError("the program ended") from ending  # as the sandbox does with whatever escapes


def test_an_answer_that_is_evaluated_raises_and_the_report_counts_it(judge_of, make_source):
    found = run(judge_of, make_source, evaluates, numeric_suite(), TASKS).probes["fuzz_expression"]
    assert (found.failures, found.raised) == (0, found.cases)
    assert found.cases > 0
    assert run(judge_of, make_source, sound, numeric_suite(), TASKS).probes["fuzz_expression"].raised == 0
