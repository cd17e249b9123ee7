"""Writes validation.jsonl, test.jsonl and audit.jsonl: the fixed splits, and labelled cases. Deterministic."""

import itertools
import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_sql_questions"
sys.path.insert(0, str(HERE / "src"))

from lecture_sql_questions.cases import make_cases  # noqa: E402 -- the makers lie in the package
from lecture_sql_questions.tasks import make_task  # noqa: E402

SIZES = {"validation": 90, "test": 240}

if __name__ == "__main__":
    for split, size in SIZES.items():
        drawn = (make_task(split, 0, index) for index in itertools.count())
        rows = {row["prompt"]: row for row in itertools.islice(drawn, 3 * size)}  # no prompt twice
        chosen = list(rows.values())[:size]
        (DATA / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in chosen))
        print(split, len(chosen), "tasks", Counter(row["tags"][0] for row in chosen))
    cases = make_cases()
    (DATA / "audit.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    print(len(cases), "cases", Counter(case["label"] for case in cases))
