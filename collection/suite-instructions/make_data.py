"""Writes cases.jsonl.

``python make_data.py FOLDER``: the folder holds cases.jsonl of the tests of IFBench. Without a folder only the made
cases are written again. Deterministic. No verifier takes part: labels are what the source's authors demand of their
checkers, or follow from how a text was made.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from suites_instructions import SOURCE  # noqa: E402 -- needs the path set above
from suites_instructions import cases as make_case  # noqa: E402 -- needs the path set above

DATA = ROOT / "src" / "suites_instructions"
MADE = 360


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def if_bench(folder: Path) -> list[dict]:
    """Each response of the source's tests, with its checker and arguments; each once."""
    found: dict[str, dict] = {}
    for place, row in enumerate(read_rows(folder / "cases.jsonl")):
        found.setdefault(json.dumps([row["checker"], row["kwargs"], row["response"]]), {
            "id": f"ifbench-{place}",
            "task": {
                "id": f"ifbench-{place}", "prompt": f"Keep the rule that {row['checker']} of IFBench checks.",
                "answer": [{"rule": row["checker"], "args": row["kwargs"] or {}}],
            },
            "response": row["response"], "label": row["label"], "tags": ["ifbench"],
            "cluster": f"ifbench {row['checker']}", "source": "allenai/IFBench, tests", "licence": "Apache-2.0",
            "labelled_by": "tests of a public package",
        })  # fmt: skip
    return list(found.values())


if __name__ == "__main__":
    if len(sys.argv) == 2:
        rows = if_bench(Path(sys.argv[1]))
    else:
        rows = [row for row in read_rows(DATA / "cases.jsonl") if row["source"] != SOURCE]
    rows += [make_case("public", 0, index) for index in range(MADE)]
    (DATA / "cases.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print("cases.jsonl", len(rows))
