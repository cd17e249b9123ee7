"""Writes cases.jsonl.

``python make_data.py FOLDER``: the folder holds hardverify_math/cases.jsonl and math_answers/cases.jsonl. Without a
folder only the made cases are written again. Deterministic. No verifier takes part: labels are the sources' own, or
follow from how a case was made.
"""

import json
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


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def hard_verify(folder: Path) -> list[dict]:
    """Answers on which rule verifiers fail, labelled by the source's annotators."""
    return [
        {
            "id": f"hardverify-{row['id']}",
            "task": {"id": f"hardverify-{row['id'].split('-')[0]}", "prompt": row["question"], "answer": row["gold"]},
            "response": row["response"], "label": row["label"], "tags": ["hardverify-math"],
            "source": "uw-nsl/TinyV, benchmarks/HardVerify-Math", "licence": "MIT, (c) 2025 UW-NSL",
        }
        for row in read_rows(folder / "hardverify_math" / "cases.jsonl")
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
