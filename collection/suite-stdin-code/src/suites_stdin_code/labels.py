"""Whether an output is right, said by this suite's own words of each comparison; no verifier takes part."""

import math

from suites_stdin_code.problems import Problem


def outputs_of(code: str, inputs: list[str]) -> list[str | None]:
    """What the middle of a program makes of each input, run here; None where it raises. The code is our own rule's."""
    compiled, found = compile(code, "middle", "exec"), []
    for data in inputs:
        namespace = {"data": data}
        try:
            exec(compiled, namespace)
            found.append(str(namespace["out"]))
        except Exception:  # noqa: BLE001 -- a near miss may raise anything
            found.append(None)
    return found


def is_right(made: Problem, stdin: str, output: str | None, expected: str) -> bool:
    """By ``compare`` of the problem: words, words with numbers that may differ a little, lines, or its checker."""
    if output is None:
        return False
    how = made.judged_by["compare"]
    if how == "checker":
        namespace: dict = {}
        exec(made.judged_by["checker"], namespace)
        return bool(namespace["check"](stdin, output, expected))
    if how == "lines":
        return output.rstrip("\n").split("\n") == expected.rstrip("\n").split("\n")
    given, wanted = output.split(), expected.split()
    if how == "tokens":
        return given == wanted
    return len(given) == len(wanted) and all(
        one == other or _is_close(one, other, made.judged_by["tolerance"])
        for one, other in zip(given, wanted, strict=True)
    )


def _is_close(one: str, other: str, tolerance: float) -> bool:
    try:
        value, wanted = float(one), float(other)
    except ValueError:
        return False
    return math.isfinite(value) and abs(value - wanted) <= tolerance * max(1.0, abs(wanted))
