"""Writes validation.jsonl, test.jsonl and audit.jsonl: the fixed splits, and labelled cases. Deterministic."""

import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_table_questions"
sys.path.insert(0, str(HERE / "src"))

from lecture_table_questions.cases import make_cases  # noqa: E402 -- the makers lie in the package
from lecture_table_questions.tasks import make_task  # noqa: E402

SIZES = {"validation": 100, "test": 200}

if __name__ == "__main__":
    for split, size in SIZES.items():
        rows = [make_task(split, 0, index) for index in range(size)]
        (DATA / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        print(split, len(rows), "tasks", len({row["prompt"] for row in rows}), "prompts")
    cases = make_cases()
    (DATA / "audit.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    print(len(cases), "cases", Counter(case["label"] for case in cases))
