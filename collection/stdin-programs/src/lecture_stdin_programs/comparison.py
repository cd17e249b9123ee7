"""Whether outputs are right, as the task says: by tokens, by numbers with a tolerance, by lines, or by a checker."""

import math
import re

from sandbox.guest import run_solution

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_LONGEST = 400
CHECKER_SECONDS, CHECKER_MB = 10.0, 256


def are_right(how: dict, tests: list[dict], outputs: list[str | None]) -> list[bool]:
    """One verdict a test; an output of None is wrong. ``how`` is ``info.program`` of the task."""
    kind = how.get("compare", "tokens")
    if kind == "checker":
        return _by_checker(how["checker"], tests, outputs)
    compare = {"tokens": same_tokens, "lines": same_lines, "numbers": close_numbers(how.get("tolerance", 1e-6))}[kind]
    return [output is not None and compare(output, test["stdout"]) for test, output in zip(tests, outputs, strict=True)]


def same_tokens(output: str, wanted: str) -> bool:
    """The same words in the same order, whatever space lies between them."""
    return output.split() == wanted.split()


def same_lines(output: str, wanted: str) -> bool:
    """The same lines; space at the end of a line and empty lines at the end do not count."""
    return _lines(output) == _lines(wanted)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.replace("\r\n", "\n").rstrip().split("\n")]


def close_numbers(tolerance: float):
    """Words, of which numbers with a point or exponent may differ by ``tolerance``, absolute or relative.

    A wanted whole number is exact: a relative tolerance would take 1000001 for 1000000.
    """

    def is_close(word: str, wanted: str) -> bool:
        if word == wanted:
            return True
        if len(word) > _LONGEST or not _NUMBER.fullmatch(word) or not _NUMBER.fullmatch(wanted):
            return False
        value, right = float(word), float(wanted)
        if _WHOLE.fullmatch(wanted):
            return int(word) == int(wanted) if _WHOLE.fullmatch(word) else value == right
        return math.isfinite(value) and abs(value - right) <= tolerance * max(1.0, abs(right))

    def compare(output: str, wanted: str) -> bool:
        words, right = output.split(), wanted.split()
        return len(words) == len(right) and all(map(is_close, words, right))

    return compare


def _by_checker(code: str, tests: list[dict], outputs: list[str | None]) -> list[bool]:
    """``check(stdin, output, expected)`` of the task, in a box of its own; it sees text and no program.

    The task's own outputs are checked first: a checker that refuses one of them, or fails, is the task's fault
    (ValueError, so not judged). One that only raises or does not return on a program's output rejects that.
    """
    own = [[test["stdin"], test["stdout"], test["stdout"]] for test in tests]
    asked = [place for place, output in enumerate(outputs) if output is not None]
    calls = own + [[tests[place]["stdin"], outputs[place], tests[place]["stdout"]] for place in asked]
    ran = run_solution(code=code, entry="check", calls=calls, timeout_seconds=CHECKER_SECONDS, memory_mb=CHECKER_MB)
    said = [row.get("value") is True for row in ran.results] + [False] * (len(calls) - len(ran.results))
    if not all(said[: len(own)]):
        raise ValueError("the task's checker does not accept the task's own outputs")
    verdicts = dict(zip(asked, said[len(own) :], strict=True))
    return [verdicts.get(place, False) for place in range(len(tests))]
