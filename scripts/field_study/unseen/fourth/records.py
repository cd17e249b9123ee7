"""Reported defects of verifiers of JSON values."""

import json
from collections.abc import Callable
from typing import Any

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task

Same = Callable[[Any, Any], bool]
_NO_JSON = object()


def _value(text: str) -> Any:
    inner = text.partition("```json")[2].partition("```")[0] or text
    try:
        return json.loads(inner)
    except (ValueError, RecursionError):
        return _NO_JSON


def by(same: Same) -> Callable[[Task, str], float]:
    """A verifier that reads a value and compares it with the task's."""

    def verify(one: Task, text: str) -> float:
        value = _value(text)
        return float(value is not _NO_JSON and same(value, one["answer"]))

    return verify


def exactly(value: Any, gold: Any) -> bool:
    """The same JSON value: true is not 1, and names of an object have no order."""
    if isinstance(value, dict) and isinstance(gold, dict):
        return value.keys() == gold.keys() and all(exactly(value[name], gold[name]) for name in gold)
    if isinstance(value, list) and isinstance(gold, list):
        return len(value) == len(gold) and all(map(exactly, value, gold))
    return isinstance(value, bool) is isinstance(gold, bool) and value == gold


def any_order(value: Any, gold: Any) -> bool:
    """Lists of records in any order."""
    if not isinstance(value, list) or len(value) != len(gold):
        return False
    left = list(gold)
    for one in value:
        found = next((at for at, other in enumerate(left) if exactly(one, other)), None)
        if found is None:
            return False
        del left[found]
    return True


def greedy(value: Any, gold: Any) -> bool:
    """Each record takes the first of the reference whose names it holds, and is then compared with that."""
    if not isinstance(value, list) or len(value) != len(gold):
        return False
    left = list(gold)
    for one in value:
        if not isinstance(one, dict):
            return False
        at = next((at for at, other in enumerate(left) if other.items() <= one.items()), None)
        if at is None or not exactly(one, left.pop(at)):
            return False
    return True


def empty_ignored(value: Any, gold: Any) -> bool:
    """Empty objects of a list are passed over."""
    if not isinstance(value, list):
        return False
    return any_order([one for one in value if one != {}], [one for one in gold if one != {}])


def null_unequal(value: Any, gold: Any) -> bool:
    """JSON null stands for "there is no such name", so it equals nothing."""
    if value is None or gold is None:
        return False
    if isinstance(value, dict) and isinstance(gold, dict):
        return value.keys() == gold.keys() and all(null_unequal(value[name], gold[name]) for name in gold)
    return exactly(value, gold)


def python_equal(value: Any, gold: Any) -> bool:
    """True == 1 and False == 0."""
    return bool(value == gold)


def as_object(value: Any, gold: Any) -> bool:
    """Raises where the value is no object or list."""
    if not isinstance(value, dict | list):
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
    return exactly(value, gold)


def near_numbers(value: Any, gold: Any) -> bool:
    """Numbers may differ by a thousandth, whole ones too."""
    if isinstance(value, dict) and isinstance(gold, dict):
        return value.keys() == gold.keys() and all(near_numbers(value[name], gold[name]) for name in gold)
    if type(value) in (int, float) and type(gold) in (int, float):
        return bool(abs(value - gold) <= max(0.001, 0.001 * abs(gold)))
    return exactly(value, gold)


def text_equal(value: Any, gold: Any) -> bool:
    """The texts of both are compared, so the order of names counts."""
    return json.dumps(value) == json.dumps(gold)


def _rows(make: Callable[[int], Any]) -> list[tuple[Task, str]]:
    return [(task(f"Give record {n} as JSON.", make(n)), json.dumps(make(n))) for n in range(3, 15)]


_PLAIN = _rows(lambda n: {"name": f"part {n}", "count": n, "price": n * 1250 + 5})
_LISTS = _rows(lambda n: [{"total": n}, {"count": n + 1, "total": n}, {"total": n + 2}])
_TOTALS = _rows(lambda n: [{"total": n}, {"total": n + 3}])
_FLAGS = _rows(lambda n: {"id": n, "open": n % 2 == 0})
_NULLS = _rows(lambda n: {"id": n, "owner": f"person {n}" if n % 3 else "nobody", "note": "none"})
_NULL = task("Give record 90 as JSON.", {"id": 90, "owner": None})
LIST = (
    Unseen(
        "openevals-greedy",
        "records of a list in another order are wrong",
        "langchain-ai/openevals#251",
        by(greedy),
        by(any_order),
        _LISTS,
        Shown(_LISTS[0][0], '[{"count": 4, "total": 3}, {"total": 3}, {"total": 5}]', "correct"),
    ),
    Unseen(
        "openevals-empty",
        "empty records more are passed over",
        "langchain-ai/openevals#252",
        by(empty_ignored),
        by(any_order),
        _TOTALS,
        Shown(_TOTALS[0][0], '[{"total": 3}, {"total": 6}, {}]', "incorrect"),
    ),
    Unseen(
        "evals-null",
        "null is not equal to null",
        "openai/evals#1763",
        by(null_unequal),
        by(exactly),
        _NULLS,
        Shown(_NULL, '{"id": 90, "owner": null}', "correct"),
    ),
    Unseen(
        "nmos-true",
        "1 is true",
        "AMWA-TV/nmos-testing#545",
        by(python_equal),
        by(exactly),
        _FLAGS,
        Shown(_FLAGS[1][0], '{"id": 4, "open": 1}', "incorrect"),
    ),
    Unseen(
        "autoevals-raise",
        "a value that is no object raises",
        "braintrustdata/autoevals#220",
        by(as_object),
        by(exactly),
        _PLAIN,
        Shown(_PLAIN[0][0], "null", "incorrect"),
    ),
    Unseen(
        "vitest-near",
        "numbers may be a thousandth off",
        "getsentry/vitest-evals#23",
        by(near_numbers),
        by(exactly),
        _PLAIN,
        Shown(_PLAIN[0][0], '{"name": "part 3", "count": 3, "price": 3757}', "incorrect"),
    ),
    Unseen(
        "mastra-order",
        "the order of names counts",
        "mastra-ai/mastra#21958",
        by(text_equal),
        by(exactly),
        _PLAIN,
        Shown(_PLAIN[0][0], '{"price": 3755, "count": 3, "name": "part 3"}', "correct"),
    ),
)
