"""Prints the test files that belong to what changed since a commit: the mirrors of changed modules, and changed tests.

For a module without a mirror, the tests of its folder are printed; for a page of the documents, the tests of what pages
say, without the tutorials, which take minutes.
"""

import subprocess
import sys
from pathlib import Path


def changed_files(since: str) -> list[Path]:
    """Files that differ from ``since``, with those that git does not know yet."""
    commands = (["diff", "--name-only", "--diff-filter=d", since], ["ls-files", "--others", "--exclude-standard"])
    lines = [subprocess.run(["git", *each], capture_output=True, text=True, check=True).stdout for each in commands]
    return [Path(line) for line in "".join(lines).splitlines()]


def tests_of(path: Path) -> list[Path]:
    """The tests that hold ``path``: itself, its mirror, or the tests of the nearest folder that has some."""
    if path.parts[0] == "tests":
        return [path] if path.name.startswith("test_") else sorted(path.parent.glob("test_*.py"))
    if path.suffix == ".md":
        return [test for test in sorted(Path("tests/docs").glob("test_*.py")) if test.name != "test_tutorials.py"]
    if path.suffix != ".py":
        return []
    mirror = Path("tests") / path.parent / f"test_{path.name}"
    if mirror.exists():
        return [mirror]
    for folder in [mirror.parent, *mirror.parent.parents]:
        if folder == Path("tests"):
            break
        found = sorted(folder.glob("test_*.py"))
        if found:
            return found
    return []


def main() -> None:
    since = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    found = {test for path in changed_files(since) for test in tests_of(path)}
    print(*sorted(map(str, found)), sep="\n", end="\n" if found else "")


if __name__ == "__main__":
    main()
