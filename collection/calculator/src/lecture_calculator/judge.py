"""The verdict: what was asked of the calculator is asked again, also with other numbers in the problem."""

from fractions import Fraction

from lecture_calculator.arithmetic import CalculationError, calculate_exactly, write_number
from lecture_calculator.problems import CONSTANTS, Problem, others_like, problem_of
from lecture_calculator.reading import final_number, numbers_in
from lecture_calculator.session import MOST_CALLS

_TOLERANCE = Fraction(1, 10**9)
_VARIATIONS = 2
NOTHING = {"correct": 0.0, "used_tool": 0.0, "right_number": 0.0, "calls": 0.0, "failed_calls": 0.0}


def verify(task: dict, state: dict) -> dict:
    """``correct``: the right number, worked out by the calculator; ``used_tool`` is the gate that says so."""
    place, read = task["info"], _read_state(state)
    if read is None:
        return dict(NOTHING)
    expressions, said = read
    problem = problem_of(place["split"], place["seed"], place["index"])
    beside = {*numbers_in(problem.prompt), *map(Fraction, CONSTANTS)}
    final = final_number(said, beside)
    right = final is not None and _equal(final, problem.answer)
    variants = others_like(place["split"], place["seed"], place["index"], _VARIATIONS)
    worked = worked_out(problem, variants, expressions)
    return {
        "correct": float(right and worked),
        "used_tool": float(worked),
        "right_number": float(right),
        "calls": float(len(expressions)),
        "failed_calls": float(sum(value is None for value in _results(problem, problem, expressions))),
    }


def worked_out(problem: Problem, others: list[Problem], expressions: list[str | None]) -> bool:
    """Does a call give the answer, and the answers of the ``others`` when their numbers stand in its place?

    A call that holds an answer which was worked out elsewhere gives the same whatever the problem says.
    """
    every = [problem, *others]
    results = [_results(problem, each, expressions) for each in every]
    for wanted in ([each.answer for each in every], [each.before_rounding for each in every]):
        for values in zip(*results, strict=True):
            pairs = zip(values, wanted, strict=True)
            if all(value is not None and _equal(value, want) for value, want in pairs):
                return True
    return False


def _results(problem: Problem, variant: Problem, expressions: list[str | None]) -> list[Fraction | None]:
    """What each call would give if the problem had the variant's numbers; None where it fails.

    A number of the problem, or an earlier call's result, is replaced wherever an expression holds it.
    """
    forms = (lambda number: number, *problem.family.forms)
    known: dict[Fraction, Fraction] = {}
    for form in reversed(forms):
        for name, number in problem.numbers.items():
            known[form(Fraction(number))] = form(Fraction(variant.numbers[name]))
    given = {Fraction(number) for number in problem.numbers.values()}
    results: list[Fraction | None] = []
    for expression in expressions:
        shown = _calculated(expression, {})
        value = _calculated(expression, known)
        results.append(value)
        if shown is not None and value is not None:
            for seen in _as_seen(shown):
                if seen not in given:
                    known[seen] = value
    return results


def _as_seen(value: Fraction) -> set[Fraction]:
    """A result as the calculator wrote it, and as a model may copy it: with two to six decimals."""
    written = Fraction(write_number(value))
    return {written, *(round(written, digits) for digits in range(2, 7))}


def _calculated(expression: str | None, known: dict[Fraction, Fraction]) -> Fraction | None:
    try:
        value = calculate_exactly(expression, lambda number: known.get(number, number)) if expression else None
    except CalculationError:
        return None
    return None if value is None else Fraction(value)


def _read_state(state: object) -> tuple[list[str | None], str | None] | None:
    """The expressions in order and the answer's text; None for what no session leaves."""
    turns, said = (state.get("turns"), state.get("said")) if isinstance(state, dict) else (None, None)
    if not isinstance(turns, list) or not all(isinstance(turn, list) and turn for turn in turns):
        return None
    expressions = [expression for turn in turns for expression in turn]
    is_sound = len(expressions) <= MOST_CALLS and (said is None or isinstance(said, str))
    if not is_sound or not all(each is None or isinstance(each, str) for each in expressions):
        return None
    return expressions, said


def _equal(value: Fraction, expected: Fraction) -> bool:
    """Equal, or as near as 12 significant digits can show."""
    return abs(value - expected) <= _TOLERANCE * max(1, abs(expected))
