"""The verdict: the answer's rows beside the right ones, on databases that nobody was shown."""

from lecture_sql_questions.running import QueryError, Row, is_same_result, run_query
from lecture_sql_questions.session import MOST_QUERIES
from lecture_sql_questions.tasks import Case, case_of


def verify(task: dict, state: dict) -> dict:
    """``correct``: right on every hidden database. What raises or runs too long is wrong."""
    place = task["info"]
    case = case_of(place["split"], place["seed"], place["index"])
    answer = state.get("answer") if isinstance(state, dict) else None
    tried = state.get("queries") if isinstance(state, dict) else None
    right = [_is_right(case, seed, answer) for seed in case.hidden] if isinstance(answer, str) else [False]
    return {
        "correct": float(all(right)),
        "databases": sum(right) / len(right),
        "executes": float(isinstance(answer, str) and _rows(case, case.shown, answer) is not None),
        "queries": float(min(tried, MOST_QUERIES)) if isinstance(tried, int) and tried >= 0 else 0.0,
    }


def _is_right(case: Case, seed: str, answer: str) -> bool:
    found = _rows(case, seed, answer)
    right = run_query(case.domain, seed, case.question.gold)
    return found is not None and is_same_result(found, right, is_ordered=case.question.is_ordered)


def _rows(case: Case, seed: str, sql: str) -> list[Row] | None:
    try:
        return run_query(case.domain, seed, sql)
    except QueryError:
        return None
