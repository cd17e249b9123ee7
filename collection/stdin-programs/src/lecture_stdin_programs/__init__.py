"""Programs that read standard input: they run in a box that holds inputs only; outputs are compared here."""

from lecture_stdin_programs.code import compiles, find_program
from lecture_stdin_programs.comparison import are_right
from lecture_stdin_programs.training import generate
from sandbox.guest import run_solution

__all__ = ["generate", "verify"]

SECONDS, MEMORY_MB, OUTPUT_BYTES = 2.0, 256, 60_000
STOPS = ("within_time", "within_memory", "within_output")
LIMITS = ("runs_clean", *STOPS)


def verify(task: dict, response: str) -> dict:
    """Run the program once for each hidden input, each time in a process of its own.

    After the first run that breaks a limit no more are tried: the other inputs count as not passed. Such runs cost
    most, and the program has failed. Raises ValueError for a task that nobody could solve (an output that is too long,
    a checker that refuses the task's own output).
    """
    how, tests = (task.get("info") or {}).get("program") or {}, task["answer"]
    if any(len(test["stdout"].encode()) > OUTPUT_BYTES for test in tests):
        raise ValueError(f"a right output of the task has more than {OUTPUT_BYTES} bytes")
    program = find_program(response)
    if program is None or not compiles(program):
        return {"passes": 0.0, "tests_passed": 0.0, "holds_program": 0.0} | dict.fromkeys(LIMITS, 0.0)
    kept = dict.fromkeys(LIMITS, 1.0)
    outputs: list[str | None] = []
    for test in tests:
        ran = run_solution(
            code=program,
            stdin=test["stdin"],
            timeout_seconds=float(how.get("seconds", SECONDS)),
            memory_mb=int(how.get("memory_mb", MEMORY_MB)),
        )
        broken = broken_limit(ran)
        outputs.append(ran.stdout if broken is None else None)
        if broken is not None:
            kept[broken] = 0.0
        if broken in STOPS:
            break
    outputs += [None] * (len(tests) - len(outputs))
    passed = sum(are_right(how, tests, outputs))
    return {"passes": float(passed == len(tests)), "tests_passed": passed / len(tests), "holds_program": 1.0} | kept


def broken_limit(ran) -> str | None:
    """The limit that a run broke, or ``runs_clean`` where it failed otherwise; None for a run that may be compared."""
    if ran.timed_out or "took longer than" in ran.error[:40]:
        return "within_time"
    if len(ran.stdout.encode("utf-8", "replace")) > OUTPUT_BYTES:
        return "within_output"
    if not ran.error:
        return None
    last = ran.stderr.strip().rpartition("\n")[2]
    return "within_memory" if last.startswith("MemoryError") or "signal 9" in ran.error else "runs_clean"
