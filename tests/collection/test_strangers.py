"""Cases that somebody wrote by hand without having seen a line of the verifier or its suite (Verihub, Apache-2.0).

Each label is certain: SQLite runs the queries, Python's ``json`` reads the texts, arithmetic converts the units. What was
found when they were first asked, before anything was corrected:

=============================  =======================================  ====================================
verifier                       wrong accepted (95 %, Wilson)            right rejected
=============================  =======================================  ====================================
json-shape 1.2.2               4 of 61: 6.6 % [2.6, 15.7]               0 of 18
math-answer 4.1.1, units       3 of 72: 4.2 % [1.4, 11.5]               13 of 62: 21.0 % [12.7, 32.6]
sql-questions 1.2.1            no verdict: an empty table ended it; without that table 0 of 29 and 0 of 42
math-answer 4.1.2, chat        3 of 189: 1.6 % [0.3, 7.2]               6 of 189: 3.2 % [1.1, 8.7]
final-state 1.0.1              0 of 50: 0 % [0, 7.1]                    0 of 14: 0 % [0, 21.5]
math-answer 4.1.3, letters     0 of 40: 0 % [0, 8.8]                    1 of 30: 3.3 % [0.6, 16.7]
=============================  =======================================  ====================================

The intervals of chats take the three right and three wrong answers to one reference as one cluster.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.collection.strangers import choice_cases, json_cases, sql_cases, state_cases

HERE = Path(__file__).with_name("strangers")


def queries() -> Iterator[tuple[str, bool, str, bool]]:
    """(gold, whether the order counts, query, whether it means the same)."""
    for gold, is_ordered, right, wrong in sql_cases.CASES:
        yield from ((gold, is_ordered, query, True) for query in right)
        yield from ((gold, is_ordered, query, False) for query in wrong)


def rows(database: dict[str, list[list[Any]]], query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(sql_cases.SCHEMA)
    for table, lines in database.items():
        for line in lines:
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(line))})", line)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def test_labels_of_queries_are_what_sqlite_gives():
    for gold, is_ordered, query, label in queries():
        pairs = [(rows(one, query), rows(one, gold)) for one in sql_cases.DATABASES]
        same = all(found == right if is_ordered else Counter(found) == Counter(right) for found, right in pairs)
        assert same is label, query


def test_queries_over_nulls_times_and_an_empty_table_are_judged_rightly(package_of):
    verify = package_of("sql-questions").verify
    info = {"schema": sql_cases.SCHEMA, "databases": sql_cases.DATABASES}
    wrong = [
        query
        for gold, is_ordered, query, label in queries()
        if (
            verify(
                {"id": "t", "prompt": "", "answer": gold, "info": info | {"ordered": is_ordered}},
                {"answer": query, "queries": 0},
            )["correct"]
            == 1.0
        )
        is not label
    ]
    assert wrong == []


def test_final_states_are_judged_rightly(package_of):
    verify = package_of("final-state").verify
    wrong = [
        (wanted, reached)
        for pairs, label in ((state_cases.RIGHT, 1.0), (state_cases.WRONG, 0.0))
        for wanted, reached in pairs
        if verify({"id": "t", "prompt": "", "answer": wanted}, {"tables": reached, "said": "Done."})["as_asked"]
        != label
    ]
    assert wrong == []


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: ``true`` is not 1, and 1 is not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def texts() -> Iterator[tuple[dict[str, Any], Any, str, bool]]:
    for schema, value, right, wrong in json_cases.CASES:
        yield from ((schema, value, text, True) for text in right)
        yield from ((schema, value, text, False) for text in wrong)


def refused(name: str) -> None:
    raise ValueError(name)


def test_labels_of_json_are_what_python_reads():
    for _, value, text, label in texts():
        body = text.rsplit("</think>", 1)[-1].strip()
        if body.startswith(json_cases.FENCE):
            body = body.split("\n", 1)[1].rsplit(json_cases.FENCE, 1)[0]
        try:
            found = same(json.loads(body, parse_constant=refused), value)
        except ValueError:
            found = False
        assert found is label, text


def test_json_with_empty_lists_large_numbers_and_nesting_is_judged_rightly(package_of):
    verify = package_of("json-shape").verify
    wrong = []
    for schema, value, text, label in texts():
        found = verify({"id": "t", "prompt": "", "answer": value, "info": {"schema": schema}}, text)
        if all(found[name] == 1.0 for name in ("parses", "valid", "faithful")) is not label:
            wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize(("side", "known"), [("right", []), ("wrong", [])])
def test_units_dates_and_times_of_day_are_judged_rightly(package_of, side, known):
    verify = package_of("math-answer").verify
    wrong = []
    for line in (HERE / f"units_{side}.txt").read_text().splitlines():
        answer, response = line.split(" ||| ")
        if (verify({"id": "t", "prompt": "", "answer": answer}, response)["correct"] == 1.0) is not (side == "right"):
            wrong.append(line)
    assert wrong == known


def test_answers_of_chats_to_63_kinds_of_mathematics_are_read_as_they_were_corrected(package_of):
    """Left: a list of numbers with dots in a function, a ratio beside its fraction, a unit that is converted, a remark."""
    verify = package_of("math-answer").verify
    rows = [json.loads(line) for line in (HERE / "math_chat.jsonl").read_text().splitlines()]
    wrong = {label: [] for label in ("right", "wrong")}
    for row, label in [(row, label) for row in rows for label in wrong]:
        for text in row[label]:
            task = {"id": "t", "prompt": "Solve it.", "answer": row["answer"]}
            if (verify(task=task, response=text)["correct"] >= 0.5) is not (label == "right"):
                wrong[label].append(text)
    assert len(rows) == 63
    assert len(wrong["right"]) <= 4, wrong
    assert wrong["wrong"] == ["The rate is 87.5 percent, leaving 12.5 % for the others."]


@pytest.mark.parametrize(("side", "known"), [("right", ["The answer is B (42)."]), ("wrong", [])])
def test_letters_of_lettered_questions_are_judged_rightly(package_of, side, known):
    """The package is made for mathematics, and judges letters better than the two baselines that name the family."""
    verify = package_of("math-answer").verify
    answers = choice_cases.RIGHT if side == "right" else choice_cases.WRONG
    wrong = []
    for letter, text in answers:
        task = {"id": "t", "prompt": choice_cases.TASKS[letter], "answer": letter}
        if (verify(task=task, response=text)["correct"] >= 0.5) is not (side == "right"):
            wrong.append(text)
    assert wrong == known
