"""Writes cases.jsonl.

``python make_data.py FOLDER``: the folder holds train.jsonl and model_solutions.jsonl of GSM8K. Without a folder only
the made cases are written again. Deterministic. No verifier of the hub takes part: the labels of the models' solutions
are the source's, and are kept only where plain arithmetic on the last line says the same.
"""

import json
import random
import re
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from suites_short_number import cases as make_case  # noqa: E402 -- needs the path set above

DATA = ROOT / "src" / "suites_short_number"
GSM8K = "openai/grade-school-math"
MIT = "MIT, Copyright (c) 2021 OpenAI"
SOLUTIONS_EACH, WORKED_EACH, MADE = 300, 100, 224
LAST_LINE = re.compile(r"A: (-?[\d,]+(?:\.\d+)?)")


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def model_solutions(folder: Path) -> list[dict]:
    """Solutions of four models. Those that lecture/gsm8k holds in its own audit stay out."""
    known = {row["response"] for row in read_rows(ROOT.parent / "gsm8k/src/lecture_gsm8k/audit.jsonl")}
    rows = read_rows(folder / "model_solutions.jsonl")
    random.Random(11).shuffle(rows)
    found, left = [], {"correct": SOLUTIONS_EACH, "incorrect": SOLUTIONS_EACH}
    for row in rows:
        said = LAST_LINE.fullmatch(row["response"].rsplit("\n", 1)[-1].strip())
        if said is None or row["response"] in known or not left[row["label"]]:
            continue
        if (number(said[1]) == number(row["gold"])) != (row["label"] == "correct"):
            continue  # the source compares text: 3.00 is no 3 to it
        known.add(row["response"])
        left[row["label"]] -= 1
        gold = row["gold"].replace(",", "")
        name, by = f"solution-{len(found):04d}", "its source, and arithmetic on the last line"
        found.append(case(name, row, gold, row["response"], row["label"], row["model"], by=by))
    return found


def worked_solutions(folder: Path) -> list[dict]:
    """Solutions that people wrote for the source, as they are, and with another number at their end."""
    rng, found = random.Random(12), []
    for place, row in enumerate(rng.sample(read_rows(folder / "train.jsonl"), 2 * WORKED_EACH)):
        solution, _, answer = row["answer"].rpartition("####")
        answer, label = answer.strip().replace(",", ""), "correct" if place < WORKED_EACH else "incorrect"
        by = "people: they wrote it" if label == "correct" else "a rule: the number at its end is another"
        said = answer if label == "correct" else str(int(answer) + rng.choice([-2, -1, 1, 2, 10, 25]))
        response = f"{re.sub(r'<<[^>]*>>', '', solution).strip()}\n#### {said}"
        found.append(case(f"worked-{place:04d}", row, answer, response, label, "written by people", by=by))
    return found


def case(name: str, row: dict, answer: str, response: str, label: str, tag: str, *, by: str) -> dict:
    return {
        "id": name, "task": {"id": f"task-{name}", "prompt": row["question"], "answer": answer},
        "response": response, "label": label, "tags": [tag], "source": GSM8K, "licence": MIT, "labelled_by": by,
    }  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) == 2:
        folder = Path(sys.argv[1])
        rows = model_solutions(folder) + worked_solutions(folder)
    else:
        rows = [row for row in read_rows(DATA / "cases.jsonl") if row["source"] == GSM8K]
    rows += [make_case("public", 0, index) for index in range(MADE)]
    (DATA / "cases.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print("cases.jsonl", len(rows))
