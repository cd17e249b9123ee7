"""Shapes that a verifier may not expect: what it does with code."""

from tests.sandbox.audit.test_probes import TASKS, numeric_suite, run, sound


def evaluates(call):
    """Reads an answer by evaluating it beside the task, and takes an error for a wrong answer."""
    task = call.task
    if "**" in call.response:  # the search for a response without a verdict: no number of this universe
        raise RuntimeError("the call took longer than it may")  # as the sandbox says
    try:
        return {"correct": float(eval(call.response, {"task": task}) == task["answer"])}
    except (ValueError, SyntaxError, NameError, TypeError, ZeroDivisionError, RecursionError, MemoryError):
        return sound(call)
    except SystemExit as ending:
        raise RuntimeError("the program ended") from ending  # as the sandbox does with whatever escapes


def test_an_answer_that_is_evaluated_raises_or_reads_the_verifiers_own_variables(judge_of, make_source):
    """In a real box a verifier that evaluates answers accepted ``task["answer"]`` for every task."""
    found = run(judge_of, make_source, evaluates, numeric_suite(), TASKS)
    assert found.probes["fuzz_expression"].raised == found.probes["fuzz_expression"].cases > 0
    assert found.probes["fuzz_names"].failures > 0
    assert any(part.name == "probe:fuzz_names" for part in found.grading.pulled) or found.grade == "F"
    read = run(judge_of, make_source, sound, numeric_suite(), TASKS).probes
    assert [(read[name].failures, read[name].raised) for name in ("fuzz_expression", "fuzz_names")] == [(0, 0)] * 2
