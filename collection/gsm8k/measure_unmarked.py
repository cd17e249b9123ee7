"""Counts reference solutions that the verifier refuses when their line with the mark ``####`` is missing.

``python collection/gsm8k/measure_unmarked.py``: reads the packaged tasks; needs no other data and no hub.
"""

import json
import sys
from pathlib import Path

SOURCE = Path(__file__).parent / "src"


def main() -> None:
    sys.path.insert(0, str(SOURCE))
    from lecture_gsm8k import verify  # noqa: PLC0415 -- the package is not installed here

    refused = total = 0
    for name in ("train", "validation", "test"):
        with (SOURCE / "lecture_gsm8k" / f"{name}.jsonl").open() as lines:  # splitlines() would cut inside strings
            for task in map(json.loads, lines):
                total += 1
                refused += verify(task, task["info"]["solution"])["correct"] != 1
    print(f"{refused} of {total} refused ({refused / total:.1%})")


if __name__ == "__main__":
    main()
