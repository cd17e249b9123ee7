"""Writes cases.jsonl.

``python make_data.py FOLDER``: the folder holds hardverify_math/cases.jsonl and math_answers/cases.jsonl. Without a
folder only the made cases are written again. Deterministic. No verifier takes part: labels are the sources' own, or
follow from how a case was made.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from suites_mathematics import SOURCE  # noqa: E402 -- needs the path set above
from suites_mathematics import cases as make_case  # noqa: E402 -- needs the path set above

DATA = ROOT / "src" / "suites_mathematics"
MADE = 520
LEFT_OUT = {
    12: "wrong only because math-verify does not look into \\( … \\)",
    84: "wrong only because math-verify does not read the digits of \\text{13} as a number",
    113: "which of several boxes counts is a rule of math-verify's",
}
"""Pairs of math-verify's tests whose label follows from how that library reads, and not from what is said."""

ARGUABLE = {
    "76-incorrect": "says in other words what the right answer says",
    "122-correct": "one of the two values of the reference",
    "125-correct": "an expression for the equation of a curve",
    "133-correct": "the reference is no answer",
    "133-incorrect": "the reference is no answer",
    "151-correct": "6.0156 for 6.018, which fits no usual size of a gallon",
    "154-correct": "the two answers say the same, and only one is labelled right",
    "154-incorrect": "the two answers say the same, and only one is labelled right",
    "157-correct": "the name of a circle for the way to construct it",
    "179-correct": "the 1 of a statement for the statement",
    "189-correct": "41.495 for 41.494, which is cut off and not rounded",
    "192-correct": "the reference takes 22/7 for pi",
    "193-correct": "an open interval for a closed one",
    "195-correct": "the question has lost its words, and the answer has other ones than the reference",
    "195-incorrect": "the question has lost its words",
    "196-correct": "784 for 785.12, each by another value of pi",
    "197-correct": "rounder than the reference, and the question does not say how much of each there is",
    "198-correct": "6.02 for 6.01",
    "208-correct": "rounder than the reference, which is wrong: 117.86",
    "211-correct": "113.33 for 113.4, and neither is 116",
}
"""Answers of HardVerify-Math whose label does not follow from the question. Found by reading all 276 of them."""

TASKS_LEFT_OUT = {
    **dict.fromkeys(
        (135, 140, 150, 156, 201, 237), "the reference is rounded and the answer exact: how far may they differ?"
    ),
    174: "the reference holds HTML",
    215: "the reference has a lone $",
    217: "the reference has a lone ^",
}
"""Tasks of HardVerify-Math that ask a comparer of formulas for something else, with all their answers."""


def is_prose(text: str) -> bool:
    """Two words or more, which a verifier of formulas does not claim to read. Commands of LaTeX are no words."""
    return len(set(re.findall(r"(?<![\\A-Za-z])[A-Za-z]{4,}", text))) >= 2


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def hard_verify(folder: Path) -> list[dict]:
    """Answers on which rule verifiers fail, labelled by the source's annotators.

    Left out: ``ARGUABLE`` answers, ``TASKS_LEFT_OUT``, and what is written in words.
    """
    return [
        {
            "id": f"hardverify-{row['id']}",
            "task": {"id": f"hardverify-{row['id'].split('-')[0]}", "prompt": row["question"], "answer": row["gold"]},
            "response": row["response"], "label": row["label"], "tags": ["hardverify-math"],
            "source": "uw-nsl/TinyV, benchmarks/HardVerify-Math", "licence": "MIT, (c) 2025 UW-NSL",
            "labelled_by": "its source's annotators; read again by one person",
        }
        for row in read_rows(folder / "hardverify_math" / "cases.jsonl")
        if row["id"] not in ARGUABLE
        and int(row["id"].split("-")[0]) not in TASKS_LEFT_OUT
        and not (is_prose(row["gold"]) or is_prose(row["response"]))
    ]  # fmt: skip


def math_verify_tests(folder: Path) -> list[dict]:
    """Pairs of math-verify's own tests at its usual settings, once each. Their labels are its authors'."""
    found: dict[tuple[str, str], dict] = {}
    for place, row in enumerate(read_rows(folder / "math_answers" / "cases.jsonl")):
        if not row["options"] and place not in LEFT_OUT:
            found.setdefault((row["gold"], row["response"]), {
                "id": f"math-verify-{place}",
                "task": {"id": f"math-verify-{place}", "prompt": "", "answer": row["gold"]},
                "response": row["response"], "label": row["label"], "tags": ["math-verify-tests"],
                "cluster": f"math-verify {row['test']}",
                "source": "huggingface/Math-Verify, tests", "licence": "Apache-2.0",
                "labelled_by": "tests of a public package",
            })  # fmt: skip
    return list(found.values())


if __name__ == "__main__":
    if len(sys.argv) == 2:
        rows = hard_verify(Path(sys.argv[1])) + math_verify_tests(Path(sys.argv[1]))
    else:
        rows = [row for row in read_rows(DATA / "cases.jsonl") if row["source"] != SOURCE]
    rows += [make_case("public", 0, index) for index in range(MADE)]
    (DATA / "cases.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print("cases.jsonl", len(rows))
