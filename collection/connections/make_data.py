"""Writes validation.jsonl, test.jsonl and audit.jsonl: the fixed splits, and labelled cases. Deterministic."""

import itertools
import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_connections"
sys.path.insert(0, str(HERE / "src"))

from lecture_connections.cases import make_cases  # noqa: E402 -- the makers lie in the package
from lecture_connections.puzzles import LEVELS, puzzle_of  # noqa: E402
from lecture_connections.tasks import make_task  # noqa: E402

SIZES = {"validation": 60, "test": 150}


def rows_of(split: str, size: int) -> list[dict]:
    """As many tasks of each level, and no sixteen words twice."""
    chosen: dict[frozenset, dict] = {}
    counts: Counter = Counter()
    for index in itertools.count():
        board = frozenset(puzzle_of(split, 0, index).board)
        task = make_task(split, 0, index)
        if board not in chosen and counts[task["tags"][0]] < size // len(LEVELS):
            chosen[board] = task
            counts.update(task["tags"])
        if len(chosen) == size:
            return list(chosen.values())
    raise AssertionError


if __name__ == "__main__":
    for split, size in SIZES.items():
        rows = rows_of(split, size)
        (DATA / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        print(split, len(rows), "tasks", Counter(row["tags"][0] for row in rows))
    cases = make_cases()
    (DATA / "audit.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    print(len(cases), "cases", Counter(case["label"] for case in cases))
