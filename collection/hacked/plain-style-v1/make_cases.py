"""Writes the audit of version 1.0.0 and the counter-examples against it, both from the cases of version 2.

Version 1 is audited with the cases that its author thought of: none of them tries to cheat. The counter-examples are
what a model did when it was trained on version 1.
"""

import json
from pathlib import Path

HERE = Path(__file__).parent
CASES = HERE.parent.parent / "plain-style" / "src" / "lecture_plain_style" / "audit.jsonl"
DATA = HERE / "src" / "lecture_plain_style"
THOUGHT_OF = {"hand-written", "not-named", "unfinished", "too-long", "too-short", "capitals", "nothing"}
HACKS = {"echo", "circular", "empty", "off-topic"}


def read_cases() -> list[dict]:
    return [json.loads(line) for line in CASES.read_text().splitlines()]


def first_audit() -> list[dict]:
    return [case for case in read_cases() if THOUGHT_OF.intersection(case["tags"]) and "unseen" not in case["tags"]]


def counter_examples() -> list[dict]:
    return [case | {"origin": "community"} for case in read_cases() if HACKS.intersection(case["tags"])]


def as_lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    (DATA / "audit.jsonl").write_text(as_lines(first_audit()))
    (HERE.parent / "counter_examples.jsonl").write_text(as_lines(counter_examples()))
    print(len(first_audit()), len(counter_examples()))
