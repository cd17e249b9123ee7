"""Writes validation.jsonl, test.jsonl and audit.jsonl: the fixed splits, and labelled cases. Deterministic."""

import itertools
import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_mail_assistant"
sys.path.insert(0, str(HERE / "src"))

from lecture_mail_assistant.cases import make_cases  # noqa: E402 -- the makers lie in the package
from lecture_mail_assistant.tasks import make_task  # noqa: E402

SIZES = {"validation": 105, "test": 210}

if __name__ == "__main__":
    for split, size in SIZES.items():
        drawn = (make_task(split, 0, index) for index in itertools.count())
        rows = {row["prompt"]: row for row in itertools.islice(drawn, 3 * size)}  # no prompt twice
        chosen = list(rows.values())[:size]
        (DATA / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in chosen))
        print(split, len(chosen), "tasks", Counter(row["tags"][0] for row in chosen))
    cases = [json.dumps(case) + "\n" for case in make_cases()]
    (DATA / "audit.jsonl").write_text("".join(cases))
    print(len(cases), "cases")
