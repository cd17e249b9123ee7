"""The verdict: the rows of the answer beside the right ones, on databases that are hidden or that the task brings."""

from lecture_sql_questions.given import GivenCase
from lecture_sql_questions.running import QueryError, Row, is_same_result
from lecture_sql_questions.session import MOST_QUERIES
from lecture_sql_questions.tasks import Case, case_of


def verify(task: dict, state: dict) -> dict:
    """``correct``: right on every hidden database. What raises or runs too long on one database is run on no other."""
    place = task["info"]
    is_given = "databases" in place
    case = GivenCase.of(task) if is_given else case_of(place["split"], place["seed"], place["index"])
    answer = state.get("answer") if isinstance(state, dict) else None
    tried = state.get("queries") if isinstance(state, dict) else None
    shown = _rows(case, case.shown, answer) if isinstance(answer, str) else None
    right = [False] * len(case.hidden)
    if shown is not None:
        for number, seed in enumerate(case.hidden):
            found = _rows(case, seed, answer)
            if found is None:
                break
            right[number] = is_same_result(found, case.right_rows(seed), is_ordered=case.is_ordered)
    return {
        "correct": float(all(right)),
        "databases": sum(right) / len(right),
        "executes": float(shown is not None),
        "queries": float(min(tried, MOST_QUERIES)) if isinstance(tried, int) and tried >= 0 else 0.0,
    }


def _rows(case: Case | GivenCase, seed: str, sql: str) -> list[Row] | None:
    try:
        return case.rows(seed, sql)
    except QueryError:
        return None
