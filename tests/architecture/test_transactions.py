"""One transaction a request or job: nothing but its owners commits (docs/decisions/0002)."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMIT = re.compile(r"\b(?:session|db|transaction)\w*\.commit\(")
OWNERS = {"hub_server/database", "hub_server/web/dependencies.py", "hub_server/worker.py"}


def test_only_the_owners_of_transactions_commit() -> None:
    guilty = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "hub_server").rglob("*.py"))
        if COMMIT.search(path.read_text())
        and not any(str(path.relative_to(ROOT)).startswith(owner) for owner in OWNERS)
    ]
    assert guilty == []
