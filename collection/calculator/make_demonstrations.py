"""Writes conversations for a supervised warm-up: ``python make_demonstrations.py FILE [HOW_MANY]``."""

import json
import sys
from pathlib import Path

from agents import demonstration

if __name__ == "__main__":
    target, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 512
    target.write_text("".join(json.dumps(demonstration(index)) + "\n" for index in range(count)))
    print(f"{target}: {count} conversations")
