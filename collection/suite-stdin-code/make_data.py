"""Writes cases.jsonl: ``python make_data.py``. Deterministic; no verifier takes part."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from suites_stdin_code import cases  # noqa: E402 -- needs the path set above

MADE = 432

if __name__ == "__main__":
    rows = [cases("public", 0, index) for index in range(MADE)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (ROOT / "src" / "suites_stdin_code" / "cases.jsonl").write_text(text)
    print("cases.jsonl", len(rows))
