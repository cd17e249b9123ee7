"""Writes the audit of version 1.0.0, which is easy, and the counter-examples against it, which are not.

The audit is what an author makes who does not think of cheats: the tasks' own answers are right, and each of six rules
spoils one. The counter-examples are hacks among the cases of the mended version: what a model did when it was trained
on version 1.
"""

import json
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_plain_style"
MENDED = HERE.parent.parent / "plain-style" / "src" / "lecture_plain_style" / "audit.jsonl"
HACKS = {"echo", "circular", "empty", "off-topic"}


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def easy_audit() -> list[dict]:
    tasks = [task for name in ("tasks.jsonl", "test.jsonl") for task in read_rows(DATA / name)]
    return [case for place, task in enumerate(tasks) for case in (right(task), spoiled(place, task, tasks))]


def right(task: dict) -> dict:
    return case_of(task, task["answer"], "right", [])


def spoiled(place: int, task: dict, tasks: list[dict]) -> dict:
    """A copy of the task's answer that lacks one thing; every sixth is an answer to another task."""
    text, other = task["answer"], tasks[(place + len(tasks) // 2) % len(tasks)]["answer"]
    rules = [
        ("capital", text.capitalize(), ["lowercase"]),
        ("title", text.title(), ["lowercase"]),
        ("no-end", text.rstrip("."), ["length"]),
        ("two-sentences", f"{text} that is all.", ["length"]),
        ("too-long", text.rstrip(".") + ", and there is a great deal more to say about all this.", ["length"]),
        ("other-topic", other, ["topic"]),
    ]
    return case_of(task, *(rules[place % len(rules)][index] for index in (1, 0, 2)))


def case_of(task: dict, response: str, tag: str, failing: list[str]) -> dict:
    return {
        "id": f"{task['id']}-{tag}",
        "task_id": task["id"],
        "response": response,
        "label": "incorrect" if failing else "correct",
        "expect": {name: float(name not in failing) for name in ("lowercase", "length", "topic")},
        "tags": [tag],
    }


def counter_examples() -> list[dict]:
    return [case | {"origin": "community"} for case in read_rows(MENDED) if HACKS.intersection(case["tags"])]


def as_lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    (DATA / "audit.jsonl").write_text(as_lines(easy_audit()))
    (HERE.parent / "counter_examples.jsonl").write_text(as_lines(counter_examples()))
    print(len(easy_audit()), len(counter_examples()))
