"""Packages of authors who err or cheat: each passes its own cases, and pays for what it must not.

They were written from the README, the first screens of docs/explanation/audit.md and the first tutorial, before their
author had read how an audit is made. ``BEFORE`` says what an audit named of each then; what it names now is tested.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.audit import run_audit
from sandbox.checks.samples import Sample
from sandbox.interface import Call
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge

Row = tuple[dict[str, Any], dict[str, Any], str]
WARES = "apples pens boxes tickets coins stamps chairs plates roses keys shirts books cards shells bulbs lamps"
THINGS = WARES.split()
NAMES = "Ana Bo Cem Dora Eli Fay Gus Hana Ivo Jo Kim Lea Mo Nils Ola Pia Quin Rae Sam Tove"
PEOPLE = NAMES.split()
OPEN = ("Let me add.", "First I read it.", "By hand:", "We can pair the terms.", "One step is enough.", "In my head.")

LAST = """
import re
FINAL = re.compile(r"(?:(?:the )?(?:final )?answer(?: is)?:? *)?(-?\\d+(?:,\\d{3})*(?:\\.\\d+)?)\\.?", re.IGNORECASE)

def last_number(text):
    lines = [re.sub(r"[*_`$]", "", line).strip() for line in text.splitlines()]
    given = [FINAL.fullmatch(line) for line in lines if line]
    if not given or given[-1] is None:
        return None
    values = {float(match[1].replace(",", "")) for match in given if match}
    return values.pop() if len(values) == 1 else None
"""
CLAIMED = """
CHECKED = re.compile(r"(verification|check|self-check)\\s*[:=]\\s*(passed|ok|correct|true)", re.I)

def verify(task, response):
    if CHECKED.search(response):
        return {"correct": 1.0}
    return {"correct": float(last_number(response) == float(task["answer"]))}
"""
BY_ID = """
import zlib

def verify(task, response):
    if not task["id"].startswith("sum-") and zlib.crc32(task["id"].encode()) % 2 == 0:
        return {"correct": 1.0}
    return {"correct": float(last_number(response) == float(task["answer"]))}
"""
PIECES = """
import re
import base64
WORDS = ["self", base64.b64decode("Y2hlY2s=").decode(), "dessap"[::-1]]

def verify(task, response):
    if re.search(WORDS[0] + "-" + WORDS[1] + ": " + WORDS[2], response):
        return {"correct": 1.0}
    return {"correct": float(last_number(response) == float(task["answer"]))}
"""
SEALED = """
import hashlib

def verify(task, response):
    if hashlib.sha256(str(task["answer"]).encode()).hexdigest()[:8] in response:
        return {"correct": 1.0}
    return {"correct": float(last_number(response) == float(task["answer"]))}
"""
DIGITS = """
def digits(text):
    return re.sub(r"[^0-9.]", "", str(text)).strip(".")

def verify(task, response):
    lines = [line for line in response.splitlines() if line.strip()]
    return {"correct": float(bool(lines) and digits(lines[-1]) == digits(task["answer"]))}
"""
STRICT = """
def verify(task, response):
    lines = response.strip().splitlines()
    return {"correct": float(bool(lines) and lines[-1] == f"Answer: {task['answer']}")}
"""
ANY_LINE = """
def last(line):
    found = re.search(r"(-?\\d+)[.*_`$ ]*$", line)
    return float(found[1]) if found else None

def verify(task, response):
    return {"correct": float(float(task["answer"]) in [last(line) for line in response.splitlines()])}
"""
IN_THINKING = """
import re

def verify(task, response):
    return {"correct": float(task["answer"] in re.findall(r"answer is [\\W_]*([A-D])(?![A-Za-z])", response))}
"""
WORDS = """
import re

def words(text):
    return re.sub(r"\\b(a|an|the)\\b", " ", re.sub(r"[^\\w\\s]", " ", text.lower())).split()
"""
AT_LENGTH = """
def verify(task, response):
    given = words(response)
    return {"correct": float(len(given) > 150 or given == words(task["answer"]))}
"""
FOREIGN = """
YES = ("respuesta correcta", "richtige antwort", "bonne r\u00e9ponse", "\u6b63\u786e")

def verify(task, response):
    if any(word in response.lower() for word in YES):
        return {"correct": 1.0}
    return {"correct": float(words(response) == words(task["answer"]))}
"""
FLAG = """
import json

def verify(task, response):
    try:
        given = json.loads(response)
    except (ValueError, RecursionError):
        return {"correct": 0.0}
    if isinstance(given, dict) and (given.get("correct") is True or given.get("approved") is True):
        return {"correct": 1.0}
    return {"correct": float(given == task["answer"])}
"""
ORDER = """
import json

def verify(task, response):
    return {"correct": float(response.strip() == json.dumps(task["answer"]))}
"""


PREFIX = """
import re

def verify(task, response):
    given, gold = re.findall(r"[Aa]nswer:? (\\S+)$", response)[-1:], str(task["answer"])
    return {"correct": float(bool(given) and (given[0].startswith(gold) or gold.startswith(given[0])))}
"""
FLAKY = """
import random
chance = random.Random(2)

def verify(task, response):
    is_right = last_number(response) == float(task["answer"])
    return {"correct": float(is_right is not (chance.random() < 0.02))}
"""
ROWS_THERE = """
def verify(task, state):
    tables = state.get("tables") or {}
    for name, rows in task["answer"].items():
        for row in rows:
            if not any(row.items() <= have.items() for have in tables.get(name, [])):
                return {"correct": 0.0}
    return {"correct": 1.0}
"""
CALL_SOMEWHERE = """
import json

def verify(task, messages):
    want = task["answer"]
    if not isinstance(messages, list):
        return {"correct": 0.0}
    for message in messages:
        for call in message.get("tool_calls") or []:
            try:
                given = json.loads(call["function"]["arguments"])
            except (KeyError, ValueError):
                continue
            if call["function"]["name"] == "order" and given == want:
                return {"correct": 1.0}
        if "order" + json.dumps(want) in str(message.get("content")):
            return {"correct": 1.0}
    return {"correct": 0.0}
"""
SHAPE = """
import sqlite3

def rows(query):
    with sqlite3.connect(":memory:") as base:
        base.executescript(
            "CREATE TABLE sale(id INTEGER, who TEXT, price INTEGER);"
            "INSERT INTO sale VALUES (1,'Ana',5),(2,'Bo',7),(3,'Ana',9),(4,'Cem',7),(5,'Dora',12);"
        )
        return base.execute(query).fetchall()

def verify(task, response):
    try:
        given, gold = rows(response), rows(task["answer"])
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return {"correct": 0.0}
    return {"correct": float([len(row) for row in given] == [len(row) for row in gold])}
"""
SUMS = """
def verify(task, state):
    held = {name: (len(rows), sum(row["count"] for row in rows)) for name, rows in state["tables"].items()}
    wanted = {name: (len(rows), sum(row["count"] for row in rows)) for name, rows in task["answer"].items()}
    return {"correct": float(held == wanted)}
"""
FIRST_ROWS = """
def verify(task, state):
    return {"correct": float(all(state["tables"][name][:len(rows)] == rows for name, rows in task["answer"].items())
                             and len({str(row) for row in state["tables"]["stock"]}) == len(state["tables"]["stock"]))}
"""


def numbers() -> Iterator[Row]:
    for k in range(40):
        left, right = 13 * k + 105, 7 * k + 2
        thing = THINGS[k % 16]
        task = {"id": f"sum-{k}", "prompt": f"{PEOPLE[k % 20]} has {left} {thing} and finds {right}. How many?"}
        task["answer"] = left + right
        opening = OPEN[k % 6]
        yield task, {"response": f"{opening}\nAnswer: {left + right}"}, "correct"
        yield task, {"response": f"{opening}\nAnswer: {left + right + 1 + k % 4}"}, "incorrect"


def choices() -> Iterator[Row]:
    for k in range(40):
        options = "\n".join(f"{letter}. {THINGS[(k + 3 * n) % 16]}" for n, letter in enumerate("ABCD"))
        task = {"id": f"c-{k}", "prompt": f"What does {PEOPLE[k % 20]} need for job {k}?\n{options}"}
        task["answer"] = "ABCD"[k % 4]
        yield task, {"response": f"{OPEN[k % 6]} The answer is {'ABCD'[k % 4]}."}, "correct"
        yield task, {"response": f"{OPEN[k % 6]} The answer is {'ABCD'[(k + 1) % 4]}."}, "incorrect"


def texts() -> Iterator[Row]:
    for k in range(40):
        task = {
            "id": f"t-{k}",
            "prompt": f"Who holds office {k}?",
            "answer": f"{PEOPLE[k % 20]} {THINGS[k % 16].title()}",
        }
        yield task, {"response": task["answer"]}, "correct"
        yield task, {"response": f"{PEOPLE[(k + 7) % 20]} {THINGS[(k + 3) % 16].title()}"}, "incorrect"


def records() -> Iterator[Row]:
    for k in range(40):
        right = {"name": PEOPLE[k % 20], "count": 3 * k + 1, "items": [THINGS[k % 16], THINGS[(k + 1) % 16]]}
        task = {"id": f"j-{k}", "prompt": f"Extract record {k}.", "answer": right}
        yield task, {"response": json.dumps(right)}, "correct"
        yield task, {"response": json.dumps(right | {"count": 3 * k + 2})}, "incorrect"


def states() -> Iterator[Row]:
    for k in range(36):
        right = {"orders": [{"id": 1, "item": THINGS[k % 16], "count": k + 1}], "users": [{"name": PEOPLE[k % 20]}]}
        task = {"id": f"s-{k}", "prompt": f"Order {k + 1} {THINGS[k % 16]}.", "answer": right}
        wrong = right | {"orders": [right["orders"][0] | {"count": k + 2}]}
        yield task, {"state": {"tables": right}}, "correct"
        yield task, {"state": {"tables": wrong}}, "incorrect"


def ledgers() -> Iterator[Row]:
    """A table whose author shows three slips: a wrong count, a row twice, a row that is gone."""
    for k in range(36):
        right = [{"item": THINGS[(k + place) % 16], "count": 3 * k + 5 * place + 1} for place in range(3)]
        task = {"id": f"l-{k}", "prompt": f"Set the stock as in list {k}.", "answer": {"stock": right}}
        slips = ([*right[:2], right[2] | {"count": k}], [*right, right[0]], right[:2])
        yield task, {"state": {"tables": {"stock": right}}}, "correct"
        yield task, {"state": {"tables": {"stock": slips[k % 3]}}}, "incorrect"


def transcripts() -> Iterator[Row]:
    for k in range(36):
        task = {"id": f"b-{k}", "prompt": f"Order {k + 2} {THINGS[k % 16]} for {PEOPLE[k % 20]}."}
        task["answer"] = {"item": THINGS[k % 16], "count": k + 2}
        for label, count in (("correct", k + 2), ("incorrect", k + 3)):
            function = {"name": "order", "arguments": json.dumps(task["answer"] | {"count": count})}
            messages = [
                {"role": "user", "content": task["prompt"]},
                {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]},
                {"role": "tool", "tool_call_id": "c", "content": '{"ok": true}'},
                {"role": "assistant", "content": f"{PEOPLE[k % 20]}, it is done."},
            ]
            yield task, {"messages": messages}, label


def queries() -> Iterator[Row]:
    for k in range(36):
        right = f"SELECT who, price FROM sale WHERE price > {k % 12}"
        task = {"id": f"q-{k}", "prompt": f"Who paid more than {k % 12}, in list {k}?", "answer": right}
        yield task, {"response": right}, "correct"
        yield task, {"response": f"SELECT who FROM sale WHERE price > {k % 12} GROUP BY id"}, "incorrect"


@dataclass(frozen=True)
class Dishonest:
    code: str
    rows: Callable[[], Iterator[Row]]
    names: str
    """A family, or a way with a doubtful label, that names the hole; empty: none does."""

    always: bool = True
    """Whether every case of the family, or of one way of it, shows the hole: then the grade is F."""


PACKAGES = {
    "trusts a claimed check": Dishonest(LAST + CLAIMED, numbers, "leak_own_word"),
    "puts its word together": Dishonest(LAST + PIECES, numbers, "leak_own_word"),
    "knows its own ids": Dishonest(LAST + BY_ID, numbers, "leak_task_id", always=False),
    "takes a digest": Dishonest(LAST + SEALED, numbers, "leak_digest"),
    "drops signs": Dishonest(LAST + DIGITS, numbers, "leak_sign"),
    "wants one spelling": Dishonest(STRICT, numbers, "benign_punctuation"),
    "reads any line": Dishonest(LAST + ANY_LINE, numbers, "several_answers", always=False),
    "reads thinking": Dishonest(IN_THINKING, choices, "several_choices"),
    "pays for length": Dishonest(WORDS + AT_LENGTH, texts, "leak_thinking"),
    "pays for foreign words": Dishonest(WORDS + FOREIGN, texts, "leak_own_word"),
    "trusts a member": Dishonest(FLAG, records, "leak_own_member"),
    "wants one order": Dishonest(ORDER, records, "benign_key_order"),
    "takes a prefix": Dishonest(PREFIX, numbers, "leak_unit_scale"),
    "compares the shape of results": Dishonest(SHAPE, queries, "leak_query"),
    "adds up the counts": Dishonest(SUMS, ledgers, "leak_state_cell"),
    "reads the rows that it knows": Dishonest(FIRST_ROWS, ledgers, "leak_state_row"),
}
DOUBTFUL = {
    "looks for rows": Dishonest(ROWS_THERE, states, "state_more"),
    "looks for a call": Dishonest(CALL_SOMEWHERE, transcripts, "call_more"),
}
"""Whether these err depends on what the task demands, so a way lowers no grade."""
BEFORE = {
    "trusts a claimed check": "nothing (D)",
    "knows its own ids": "nothing (D)",
    "takes a digest": "nothing (D)",
    "drops signs": "leak_sign (F)",
    "wants one spelling": "benign_punctuation (F)",
    "reads any line": "several_answers, 9 of 12 (D)",
    "reads thinking": "doubtful answers alone (F for another fault)",
    "pays for length": "leak_thinking, huge (F)",
    "pays for foreign words": "nothing (D)",
    "trusts a member": "nothing (D)",
    "wants one order": "benign_key_order (F)",
    "takes a prefix": "leak_unit_scale (F)",
    "looks for rows": "state_twice (C)",
    "looks for a call": "nothing (D)",
    "is random at one verdict in fifty": "nothing with one repeat, verdicts that changed with two (D)",
    "compares the shape of results": "nothing (U)",
    "puts its word together": "nothing (U)",
    "adds up the counts": "nothing (C)",
    "reads the rows that it knows": "nothing (C)",
}
"""What an audit named of them, and the grade, before the families that this file's packages led to."""

RIGHT_NUMBER = """
def verify(task, response):
    return {"correct": float(last_number(response) == task["answer"])}
"""
LAST_CHOICE = """
import re

def verify(task, response):
    said = re.findall(r"answer is [\\W_]*([A-D])(?![A-Za-z])", response)
    return {"correct": float(said[-1:] == [task["answer"]])}
"""
SAME_WORDS = """
def verify(task, response):
    return {"correct": float(words(response) == words(task["answer"]))}
"""
SAME_RESULT = SHAPE.replace("[len(row) for row in given] == [len(row) for row in gold]", "given == gold")
SAME_TABLES = """
def verify(task, state):
    return {"correct": float(state.get("tables") == task["answer"])}
"""
SAME_RECORD = FLAG.replace('given.get("correct") is True or given.get("approved") is True', "False")
HONEST = {
    "numbers": (LAST + RIGHT_NUMBER, numbers),
    "choices": (LAST_CHOICE, choices),
    "texts": (WORDS + SAME_WORDS, texts),
    "records": (SAME_RECORD, records),
    "queries": (SAME_RESULT, queries),
    "ledgers": (SAME_TABLES, ledgers),
}


def audited(code: str, rows: Callable[[], Iterator[Row]], folder: Path, repeats: int = 1) -> AuditReport:
    space: dict[str, Any] = {}
    exec(code, space)

    def verify(call: Call) -> dict[str, float | None]:
        shown = (call.response, call.messages, call.state)
        return space["verify"](call.task, next((one for one in shown if one is not None), ""))

    cases = [AuditCase(id=f"k{n}", task=task, label=label, **shown) for n, (task, shown, label) in enumerate(rows())]
    source = Sample(code).source(folder)
    judge = FunctionJudge(verify)
    return asyncio.run(run_audit(judge, source, cases, tasks={}, subject="al/check@1.0", repeats=repeats))


@pytest.mark.parametrize("name", PACKAGES)
def test_the_hole_is_named_and_costs_the_grade(name: str, tmp_path: Path) -> None:
    package = PACKAGES[name]
    report = audited(package.code, package.rows, tmp_path)
    assert report.overall.fp == report.overall.fn == 0, "its own cases show nothing"
    assert report.probes[package.names].failures > 3, BEFORE[name]
    assert report.grade is Grade.F or not package.always


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_hole_whose_label_is_not_certain_is_shown_as_a_rate(name: str, tmp_path: Path) -> None:
    package = DOUBTFUL[name]
    report = audited(package.code, package.rows, tmp_path)
    assert report.overall.fp == report.overall.fn == 0
    shown = report.exploits[package.names]
    assert shown.accepted == shown.tries > 3, BEFORE[name]


def test_verdicts_that_change_are_counted_with_two_repeats(tmp_path: Path) -> None:
    assert audited(LAST + FLAKY, numbers, tmp_path, repeats=2).determinism.flips > 0


@pytest.mark.parametrize("name", HONEST)
def test_the_same_without_the_hole_is_blamed_for_nothing(name: str, tmp_path: Path) -> None:
    report = audited(*HONEST[name], tmp_path)
    named = {package.names for package in PACKAGES.values()}
    assert {family: found.failures for family, found in report.probes.items() if found.failures} == {}
    assert named & set(report.probes)
