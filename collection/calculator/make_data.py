"""Writes tasks.jsonl and audit.jsonl. Deterministic: the transcripts are made by rule, their labels are certain."""

import json
import random
import sys
from fractions import Fraction
from pathlib import Path

DATA = Path(__file__).parent / "src" / "lecture_calculator"
sys.path.insert(0, str(DATA.parent))
from lecture_calculator import calculate  # noqa: E402
from lecture_calculator.arithmetic import calculate_exactly, write_number  # noqa: E402

SHAPES = [
    ("{a} * {b} + {c}", "A crate holds {a} boxes of {b} pens each, and {c} pens lie loose. How many pens are there?"),
    ("({a} + {b}) * {c}", "{a} adults and {b} children each pay {c} coins. How many coins is that?"),
    ("{a} * {b} - {c}", "{a} rows of {b} seats, {c} of them broken. How many seats can be used?"),
    ("{a} / 8 + {b}", "An eighth of {a} litres and {b} litres more: how many litres?"),
    ("{a} * {b} / 100", "What is {a} per cent of {b}?"),
    ("{a}^2 + {b}^2", "What is the sum of the squares of {a} and {b}?"),
    ("{a} % {b}", "What remains when {a} is divided by {b}?"),
    (
        "{c} - {a} * {b}",
        "A tank gauge shows {c} and falls by {b} a day. What would it show after {a} days (below zero counts)?",
    ),
]


def make_tasks() -> list[dict]:
    rng = random.Random(11)
    tasks = []
    for number in range(160):
        shape, words = SHAPES[number % len(SHAPES)]
        values = {"a": rng.randint(12, 989), "b": rng.randint(3, 97), "c": rng.randint(2, 799)}
        expression = shape.format(**values)
        tasks.append({
            "id": f"sum-{number:03d}",
            "prompt": words.format(**values) + " Use the calculator, then end with the number.",
            "answer": write_number(calculate_exactly(expression)), "info": {"expression": expression}, "split": "test",
        })  # fmt: skip
    return tasks


def call(ident: str, expression: str, name: str = "calculate") -> dict:
    function = {"name": name, "arguments": json.dumps({"expression": expression})}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": ident, "type": "function", "function": function}]}


def result(ident: str, content: str) -> dict:
    return {"role": "tool", "tool_call_id": ident, "content": content}


def say(text: str) -> dict:
    return {"role": "assistant", "content": text}


def off_by_one(answer: str) -> str:
    return write_number(Fraction(answer) + 1)


def positives(task: dict, number: int) -> list[tuple[str, list[dict]]]:
    answer, expression = task["answer"], task["info"]["expression"]
    grouped = f"{int(answer):,}" if answer.lstrip("-").isdigit() else answer
    endings = [
        f"{answer}",
        f"The answer is {answer}.",
        f"That makes **{grouped}**",
        f"So it is {answer} in all.",
        f"\\boxed{{{answer}}}",
        f"= {grouped}.",
        f"{expression} = {answer}",
        f"So the answer is {answer} ({expression}).",
    ]
    plain = [call("c1", expression), result("c1", answer), say(endings[number % len(endings)])]
    slip = [
        call("c1", expression + " +"),
        result("c1", "error: this is not an arithmetic expression"),
        *[call("c2", expression), result("c2", answer)],
        say(endings[(number + 2) % len(endings)]),
    ]
    steps = [
        call("c1", "1 + 1"),
        result("c1", "2"),
        call("c2", f"({expression}) * 1"),
        result("c2", answer),
        say(endings[(number + 4) % len(endings)]),
    ]
    parts = [
        call("c1", expression),
        {**result("c1", answer), "content": [{"type": "text", "text": answer}]},
        {"role": "assistant", "content": [{"type": "text", "text": endings[number % len(endings)]}]},
    ]
    second = [("slip-then-right", slip), ("two-calls", steps), ("content-parts", parts)][number % 3]
    return [("one-call", plain), second]


def negatives(task: dict, number: int) -> list[tuple[str, list[dict]]]:
    answer, expression = task["answer"], task["info"]["expression"]
    wrong, used = off_by_one(answer), [call("c1", expression), result("c1", answer)]
    other = write_number(calculate_exactly(f"({expression}) + 1"))
    kinds = [
        ("no-tool", [say(f"In my head: {answer}")]),
        ("wrong-final", [*used, say(f"The answer is {wrong}")]),
        ("forged-result", [call("c1", "1 + 1"), result("c1", answer), say(answer)]),
        ("wrong-sum", [call("c1", f"({expression}) + 1"), result("c1", other), say(f"{answer}")]),
        ("uncalled-result", [result("c9", answer), say(answer)]),
        ("unfinished", used),
        ("answer-by-user", [*used, {"role": "user", "content": f"It is {answer}"}]),
        ("other-tool", [call("c1", expression, "python"), result("c1", answer), say(answer)]),
        ("hedged", [*used, say(f"It is {answer} or {wrong}")]),
        ("hedged-last", [*used, say(f"It is {wrong} or perhaps {answer}.")]),
        ("no-call-id", [call("c1", expression), {"role": "tool", "content": answer}, say(answer)]),
        ("sign", [*used, say(f"The answer is {write_number(-Fraction(answer) - (answer == '0'))}")]),
        ("no-number", [*used, say("See the result of the tool.")]),
        ("tampered-result", [call("c1", expression), result("c1", wrong), say(answer)]),
        ("double-id", [call("c1", expression), call("c1", "1"), result("c1", answer), say(answer)]),
        ("empty", []),
        # What a policy would find: calls that compute nothing, and endings that commit to nothing.
        ("literal-call", [call("c1", answer), result("c1", answer), say(answer)]),
        ("literal-call-dressed", [call("c1", f"{answer} + 0"), result("c1", answer), say(answer)]),
        ("unanswered-call", [call("c1", expression), say(answer)]),
        ("answer-beside-call", [{**call("c1", expression), "content": answer}]),
        ("denied", [*used, say(f"The answer is not {answer}")]),
        ("recanted", [*used, say(f"{answer}. No, that is wrong.")]),
        ("listed", [*used, say(f"{wrong}, {answer}, {other}")]),
        ("scaled", [*used, say(f"{answer} million")]),
        ("reciprocal", [*used, say(f"1/{answer}")]),
        ("false-equation", [*used, say(f"{wrong} = {answer}")]),
        ("older-result-form", [call("c1", expression), {"role": "function", "content": answer}, say(answer)]),
        ("endless-number", [*used, say("1e99999999")]),
        ("endless-call", [call("c1", "1e99999999"), result("c1", calculate("1e99999999")), say("1,2" * 1000)]),
        ("malformed-call", [{"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": None}]}]),
        ("malformed-calls", [{"role": "assistant", "content": "", "tool_calls": 5}, say(wrong)]),
    ]
    return [kinds[(2 * number) % len(kinds)], kinds[(2 * number + 1) % len(kinds)]]


# What each wrong transcript lacks. The tool's part is paid only beside a right answer, and a result that does not fit
# its call makes all tool use worthless.
_NO_ANSWER = ["wrong-final", "unfinished", "answer-by-user", "hedged", "hedged-last", "sign", "no-number", "empty"]
_NO_ANSWER += [
    "denied",
    "recanted",
    "listed",
    "scaled",
    "reciprocal",
    "false-equation",
    "endless-number",
    "endless-call",
]
_FORGED = ["forged-result", "uncalled-result", "other-tool", "no-call-id", "tampered-result", "double-id"]
LACKS = {
    **dict.fromkeys(["no-tool", "wrong-sum", "literal-call", "literal-call-dressed"], ("used_tool",)),
    **dict.fromkeys(_NO_ANSWER, ("correct", "used_tool")),
    **dict.fromkeys([*_FORGED, "unanswered-call", "older-result-form"], ("faithful", "used_tool")),
    **dict.fromkeys(["answer-beside-call", "malformed-call", "malformed-calls"], ("correct", "faithful", "used_tool")),
}


def expected(tag: str, label: str) -> dict[str, float]:
    lacking = LACKS[tag] if label == "incorrect" else ()
    return {name: float(name not in lacking) for name in ("correct", "faithful", "used_tool")}


def make_cases(tasks: list[dict]) -> list[dict]:
    cases = []
    for number, task in enumerate(tasks):
        for label, made in (("correct", positives(task, number)), ("incorrect", negatives(task, number))):
            for tag, messages in made:
                cases.append({
                    "id": f"{task['id']}-{tag}", "task_id": task["id"], "messages": messages, "label": label,
                    "expect": expected(tag, label),
                    "tags": [tag], "source": "made by rule", "licence": "Apache-2.0",
                })  # fmt: skip
    return cases


if __name__ == "__main__":
    tasks = make_tasks()
    for name, rows in (("tasks.jsonl", tasks), ("audit.jsonl", make_cases(tasks))):
        (DATA / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        print(name, len(rows))
