"""A pytest plugin: ``pytest -p scripts.slow_tests --slow-share N`` runs one N-th of the slow tests beside all others.

8 % of the tests take three quarters of the time. So a run that somebody waits for leaves most of them out, and
each commit runs others: which N-th it is follows from the commit's hash. ``scripts/test all`` runs every test.

``tests/slow_tests.txt`` says which tests are slow. ``python -m scripts.slow_tests TIMES…`` writes it from what runs
with ``-p scripts.forked_tests --times FILE`` have measured; a test that no file names stays as it is.
"""

import argparse
import json
import subprocess
import sys
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
LIST = _ROOT / "tests" / "slow_tests.txt"
CPU_SECONDS = 0.25
"""So much CPU time makes a test slow: the tests below it take a quarter of the time of all."""
SECONDS = 3.0
"""Or so much time: of boxes and engines that a test starts, the CPU time is not counted as its own."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--slow-share N``; 1 or nothing runs every test, 0 none of the slow ones."""
    parser.addoption("--slow-share", type=int, default=1, metavar="N", help="Run one N-th of the slow tests.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the other slow tests."""
    parts = config.getoption("slow_share")
    if parts == 1:
        return
    listed = listed_tests()
    left_out = {item for item in items if item.nodeid in listed and not is_chosen(item.nodeid, parts, _commit())}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def is_chosen(test: str, parts: int, commit: str) -> bool:
    """Whether a slow test is in the share of ``commit``, a hash in hexadecimal. Of ``parts`` 0 none is."""
    return parts > 0 and zlib.crc32(test.encode()) % parts == int(commit or "0", 16) % parts


def listed_tests() -> frozenset[str]:
    """The ids of slow tests."""
    return frozenset(line for line in LIST.read_text().splitlines() if line and not line.startswith("# "))


def _commit() -> str:
    """The hash of what is checked out; empty outside of a repository."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=_ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def measured_anew(before: Iterable[str], rows: Iterable[dict[str, float | str]]) -> list[str]:
    """The list after ``rows`` were measured: dicts of ``test``, ``seconds`` and ``cpu``. A test's last row counts."""
    last = {str(row["test"]): row for row in rows}
    slow = {test for test, row in last.items() if float(row["cpu"]) >= CPU_SECONDS or float(row["seconds"]) >= SECONDS}
    return sorted(slow | {test for test in before if test not in last})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(prog="python -m scripts.slow_tests", description=__doc__)
    parser.add_argument("times", nargs="+", type=Path, help="files that --times has written, oldest first")
    given = parser.parse_args(arguments)
    rows = [json.loads(line) for path in given.times for line in path.read_text().splitlines()]
    tests = measured_anew(listed_tests(), rows)
    head = [line for line in LIST.read_text().splitlines() if line.startswith("# ")]
    LIST.write_text("\n".join([*head, *tests]) + "\n")
    print(f"{len(tests)} slow tests", file=sys.stderr)


if __name__ == "__main__":
    main()
