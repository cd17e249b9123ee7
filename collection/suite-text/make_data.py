"""Writes cases.jsonl. Deterministic; the label of a case follows from how it was made."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from suites_text import cases as make_case  # noqa: E402 -- needs the path set above

DATA = ROOT / "src" / "suites_text"
MADE = 600

if __name__ == "__main__":
    rows = [make_case("public", 0, index) for index in range(MADE)]
    (DATA / "cases.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print("cases.jsonl", len(rows))
