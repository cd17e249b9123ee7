"""Table questions: the value as it was asked for earns, in its unit; rounding, ties and missing values each decide."""

import json
import statistics
from fractions import Fraction
from typing import Any

import pytest

from sandbox.interface import Call
from tests.collection.episodes import call, malformed, played, sent

PROJECT = "table-questions"


@pytest.fixture
def question_of(part):
    return lambda task: part("tables").make_question(**task["info"])


@pytest.fixture
def answered(package):
    def run(task: dict[str, Any], values: list[str], unit: str = "") -> dict[str, float]:
        return played(package, task, sent(call("tables")), sent(call("answer", values=values, unit=unit)))

    return run


def of_family(tasks: list[dict[str, Any]], family: str) -> dict[str, Any]:
    return next(task for task in tasks if task["tags"][0] == family)


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects[PROJECT].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 1.0, 1.0), ("never_converts", 0.5, 0.7), ("never_rounds", 0.7, 0.9), ("careless", 0.2, 0.4)]
    + [(name, 0.85, 0.95) for name in ("one_of_the_tied", "drops_missing", "population")]
    + [("no_unit", 0.2, 0.35), ("first_rows_only", 0.0, 0.05), ("constant", 0.0, 0.05)]
    + [(name, 0.0, 0.0) for name in ("lists_all", "forged_words", "says_nothing")],
)
def test_what_an_agent_earns_of_one(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks)["earns"] <= most


def test_no_fixed_answer_earns_a_fifth(package, tasks):
    """A policy search: every whole number to 200, in each unit; and every answer of one task for all."""
    for unit in ("", "m", "%", "EUR", "cm", "l/min"):
        for number in range(0, 200, 1 if unit in ("", "%") else 20):
            state = {"calls": [{"name": "answer", "arguments": {"values": [str(number)], "unit": unit}}]}
            got = [package.verify(task, state) for task in tasks[:60]]
            assert sum(each["correct"] * each["unit_right"] for each in got) < 0.1 * 60, (number, unit)


def test_an_answer_that_is_right_for_one_table_is_right_for_few_others(package, tasks, question_of):
    for task in tasks[:30]:
        question = question_of(task)
        given = {"values": list(question.values), "unit": question.unit}
        state = {"calls": [{"name": "answer", "arguments": given}]}
        paid = sum(package.verify(each, state)["correct"] for each in tasks)
        assert 1 <= paid <= (12 if question.family in ("count", "share") else 2), question.prompt


# -- the truth, worked out again another way --------------------------------------------------------------------------


def test_the_truth_is_what_plain_python_finds(part, tasks, question_of):
    """The rows of the finished tables, read again without the code that made the answers."""
    read = 0
    for task in tasks:
        question, words = question_of(task), task["prompt"].split()
        rows = [list(row.values()) for row in question.first.rows]
        kind = next((word.strip(",.") for word in words if word.strip(",.") in {row[1] for row in rows}), "")
        depths = [Fraction(row[2]) for row in rows if row[1] == kind]
        flows = {row[0]: Fraction(row[3]) for row in rows if row[1] == kind and row[3]}
        found = {
            "count": lambda d=depths: sum(depth > 2605 for depth in d),
            "total": lambda d=depths: sum(d) / 100,
            "mean": lambda d=depths: sum(d) / len(d) / 100,
            "share": lambda d=depths, r=rows: 100 * sum(d) / sum(Fraction(row[2]) for row in r),
            "missing": lambda d=depths, f=flows: sum(f.values()) / len(d) / 60,
            "spread": lambda d=depths: Fraction(statistics.stdev(d)),
        }.get(question.family)
        if found is None:
            continue
        digits = len(question.values[0].partition(".")[2])
        exact, read = found(), read + 1
        assert abs(exact - Fraction(question.values[0])) <= Fraction(1, 2 * 10**digits) + Fraction(1, 10**9), task[
            "prompt"
        ]
        if question.family in ("mean", "share") and exact * 10**digits % 1 == Fraction(1, 2):
            assert Fraction(question.values[0]) > exact, "a half goes away from zero"
    assert read == 0.6 * len(tasks)


def test_exact_halves_and_ties_are_met(tasks, question_of):
    ties = [question_of(task) for task in tasks if task["tags"][0] == "ties"]
    assert {len(question.values) for question in ties} == {2, 3}
    halves = 0
    for task in tasks:
        question = question_of(task)
        if question.family == "mean":
            kind = next(
                word.strip(",")
                for word in task["prompt"].split()
                if word.strip(",") in ("north", "south", "coast", "hills")
            )
            depths = [Fraction(row["depth"]) for row in question.first.rows if row["region"] == kind]
            digits = len(question.values[0].partition(".")[2])
            halves += sum(depths) / len(depths) / 100 * 10**digits % 1 == Fraction(1, 2)
    assert halves >= 3


# -- values and units -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "units"),
    [("total", "m|M|metres|meter| m "), ("share", "%|per cent|percent"), ("join", "EUR|eur|€|euros"), ("count", "|wells|none"),
     ("missing", "l/min|L/min|litres per minute"), ("ties", ""), ("spread", "cm|centimetres")],
)  # fmt: skip
def test_a_unit_is_read_however_people_write_it(answered, tasks, question_of, family, units):
    task = of_family(tasks, family)
    for unit in units.split("|"):
        got = answered(task, list(question_of(task).values), unit)
        assert got["correct"] == got["unit_right"] == 1.0, unit


@pytest.mark.parametrize("unit", ["", "km", "cm", "m, cm", "not m", "m or cm", "metres maybe", "x" * 300])
def test_another_unit_closes_the_gate(answered, tasks, question_of, unit):
    task = of_family(tasks, "total")
    assert answered(task, list(question_of(task).values), unit)["unit_right"] == 0.0


@pytest.mark.parametrize(
    "texts",
    ["{v} m", "about {v}", "{v}|{v}", "{v}|1", "not {v}", "{v}?", "-{v}", "{v}e0", "{v} or 1", "1/1*{v}", "", "nan", "inf",
     "{v}\u00b2", "9" * 399, "{v}.0"],
)  # fmt: skip
def test_a_number_is_the_number_alone(answered, tasks, question_of, texts):
    task = of_family(tasks, "total")
    values = [text.format(v=question_of(task).values[0]) for text in texts.split("|")]
    assert answered(task, values, "m")["correct"] == 0.0


# -- the tools --------------------------------------------------------------------------------------------------------


@pytest.fixture
def said(package, tasks):
    def run(tool: str, **arguments: Any) -> str:
        session = package.Session()
        session.reset(tasks[0], 0)
        text: str = session.step(sent(call(tool, **arguments)))["messages"][0]["content"]
        return text

    return run


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("rows", {"table": "lakes"}, "the tables are wells, costs"),
        ("rows", {"table": "wells", "where": ["height > 3"]}, "the columns of wells are"),
        ("rows", {"table": "wells", "where": ["depth is large"]}, "a condition is"),
        ("rows", {"table": "wells", "where": ["depth > deep"]}, "needs a number"),
        ("rows", {"table": "wells", "sort": "height"}, "the columns of wells are"),
        ("aggregate", {"table": "wells", "function": "mode", "column": "depth"}, "function must be one of"),
        ("aggregate", {"table": "wells", "function": "sum", "column": "region"}, "does not hold numbers"),
        ("aggregate", {"table": "wells", "function": "mean", "column": "depth", "where": ["depth > 99999"]}, "too few"),
        ("calculate", {"expression": "9**9**9"}, "at most 400 digits"),
        ("rows", {"table": "wells", "skip": 10**9}, "needed: table"),
    ],
)
def test_a_call_that_cannot_be_done_says_why(said, tool, arguments, words):
    text = said(tool, **arguments)
    assert text.startswith("error: ")
    assert words in text


def test_missing_values_are_left_out_of_numbers_and_found_by_an_empty_condition(said, tasks, question_of):
    rows = question_of(tasks[0]).first.rows
    missing = sum(not row["flow"] for row in rows)
    assert said("aggregate", table="wells", function="count", column="flow") == str(len(rows) - missing)
    assert said("rows", table="wells", where=["flow ="]).startswith(f"{missing} rows")


@pytest.mark.parametrize("name", malformed("aggregate", "table"))
def test_a_malformed_call_gets_an_answer_and_a_verdict(package, tasks, name):
    session = package.Session()
    session.reset(tasks[0], 0)
    turn = session.step(sent(malformed("aggregate", "table")[name]))
    assert turn["messages"][0]["content"].encode()
    assert not turn["done"]
    assert package.verify(tasks[0], session.state())["correct"] == 0.0


def test_an_episode_ends_by_its_answer_by_silence_or_by_twenty_calls(package, tasks, question_of):
    silent, busy = package.Session(), package.Session()
    silent.reset(tasks[0], 0)
    assert [silent.step({"role": "assistant", "content": "hm"})["done"] for _ in range(4)] == [False, False, True, True]
    busy.reset(tasks[0], 0)
    assert busy.step(sent(*[call("tables")] * 50))["done"]
    assert len(busy.state()["calls"]) == 20
    right = call("answer", values=list(question_of(tasks[0]).values))
    assert played(package, tasks[0], sent(call("answer", values=["-1"])), sent(right))["correct"] == 0.0


@pytest.mark.parametrize(
    "state",
    [None, [], {}, {"calls": None}, {"calls": [None, 1, "answer"]}, {"calls": [{"name": "answer", "arguments": {"values": "3"}}]},
     {"calls": [{"name": "answer", "arguments": {"values": [3]}}], "correct": 1.0}],
    ids=range(7),
)  # fmt: skip
def test_a_state_that_no_session_leaves_earns_nothing(package, tasks, state):
    assert package.verify(tasks[0], state)["correct"] == 0.0


# -- splits, and the box ----------------------------------------------------------------------------------------------


def test_splits_share_no_table_no_label_and_no_wording(part):
    tables = part("tables")
    for one, two in (("train", "validation"), ("train", "test"), ("validation", "test")):
        ours, theirs = (json.dumps(tables.domains_of(split)) for split in (one, two))
        for key in ("table", "thing", "prefix", "category", "rates"):
            assert not {each[key] for each in json.loads(ours)} & {each[key] for each in json.loads(theirs)}, key
        assert all(tables.words_of(family, one) != tables.words_of(family, two) for family in tables.LEVELS)


def test_the_calculator_is_that_of_the_tool_package(projects):
    ours, theirs = (projects[name].data / "arithmetic.py" for name in (PROJECT, "arithmetic"))
    assert ours.read_bytes() == theirs.read_bytes()


def test_a_session_and_its_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    source, task = packed.source(PROJECT), of_family(tasks, "join")
    with local_sandbox.session(source, task) as session:
        assert [tool["function"]["name"] for tool in session.reset()["tools"]][-1] == "answer"
        agents.expert(task["prompt"], agents.calls_of(session))
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["correct"] == verdict.rewards["unit_right"] == 1.0
