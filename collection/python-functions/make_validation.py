"""Writes validation.jsonl: functions of families that are neither trained on nor HumanEval's. Deterministic."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_python_functions"
sys.path.insert(0, str(HERE / "src"))

from lecture_python_functions.training import generate  # noqa: E402 -- the package lies beside this file

SIZE = 120

if __name__ == "__main__":
    rows = [generate("validation", 0, index) for index in range(SIZE)]
    (DATA / "validation.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(len(rows), "tasks", len({row["prompt"] for row in rows}), "prompts")
