"""Writes audit.jsonl: the hand-labelled cases of cases.txt, and spoiled copies of them whose label is certain."""

import json
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_plain_style"
REWARDS = ("lowercase", "length", "topic")
UNCERTAIN = {"broken", "markup", "preamble", "two-sentences", "hack"}
"""Tags of responses that are wrong in one way for certain and perhaps in others."""
MODEL = "SmolLM2-135M-Instruct, sampled at temperature 0.7"


def make_cases() -> list[dict]:
    """Hand-labelled cases first, then the constructed ones; ids are stable as long as cases.txt only grows."""
    written = list(read_cases())
    made = [case for index, case in enumerate(accepted(written)) for case in spoil(case, index)]
    seen: set[tuple[str, str]] = set()
    cases = []
    for case in [*written, *made]:
        key = (case["task_id"], case["response"])
        if key not in seen:
            seen.add(key)
            cases.append({"id": f"{case['tags'][-1]}-{len(cases) + 1:03d}", **case})
    return cases


def read_cases():
    label, tags, failing = "", [], []
    for line in (HERE / "cases.txt").read_text().splitlines():
        if line.startswith("["):
            parts = [part.split() for part in line.strip("[]").split("|")]
            label, tags, failing = parts[0][0], parts[1], parts[2] if len(parts) > 2 else []
        elif "|" in line and not line.startswith("#"):
            task, response = line.split("|", 1)
            yield case_of(task.strip(), response[1:].replace("\\n", "\n"), label, tags, failing)


def case_of(task: str, response: str, label: str, tags: list[str], failing: list[str]) -> dict:
    case = {"task_id": task, "response": response, "label": label, "expect": expected(tags, failing), "tags": tags}
    return case | ({"source": MODEL} if "model-output" in tags else {})


def expected(tags: list[str], failing: list[str]) -> dict[str, float]:
    """What each reward must reach; where a response is broken altogether only its failures are certain."""
    certain = failing if UNCERTAIN.intersection(tags) else REWARDS
    return {name: float(name not in failing) for name in REWARDS if name in certain}


def accepted(cases):
    """Cases to spoil; what is right but hard to recognise would make the spoiled one fail for two reasons."""
    plain = [case for case in cases if not {"unseen", "punctuation"}.intersection(case["tags"])]
    return [case for case in plain if case["label"] == "correct"]


def spoil(case: dict, index: int) -> list[dict]:
    """One rule a case, in turn: each takes away exactly one thing that a right answer must have."""
    text = case["response"]
    rules = [
        ("constructed-capital", text[0].upper() + text[1:], ["lowercase"]),
        ("constructed-shout", text.upper(), ["lowercase"]),
        ("constructed-title", text.title(), ["lowercase"]),
        ("constructed-no-end", text.rstrip(".!?"), ["length"]),
        ("constructed-twice", f"{text} {text}", ["length", "topic"]),
        ("constructed-tail", f"{text} this is short.", ["length"]),
    ]
    tag, changed, failing = rules[index % len(rules)]
    made = case_of(case["task_id"], changed, "incorrect", [tag], failing)
    if tag == "constructed-twice":
        made["expect"] = {"length": 0.0}
    return [made]


def as_lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    rows = make_cases()
    (DATA / "audit.jsonl").write_text(as_lines(rows))
    print(len(rows), {label: sum(row["label"] == label for row in rows) for label in ("correct", "incorrect")})
