"""Holds the floor of coverage: what tests run of each package may become more and never less.

``python -m scripts.coverage_floor check FOLDER`` compares what ``scripts/coverage_recorder.py`` wrote into FOLDER with
``tests/coverage_floor.toml``; ``raise FOLDER`` writes the floor anew where the measured share is higher. ``--quick``:
of a run that left out most of the slow tests (``scripts/slow_tests.py``), which has a floor of its own.
"""

import argparse
import json
import math
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FLOOR = ROOT / "tests" / "coverage_floor.toml"
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge"]
OMITTED = [
    "sandbox/guest/*",
    "hub_client/starters/*",
    "trainer_bridge/rollout/decoding/triton_kernels.py",
    "trainer_bridge/learn/layer_kernels.py",
]
"""What runs in boxes (the conformance and attack tests drive it there), projects that are copied for an author, and
kernels: Triton compiles them for a GPU, so that Python runs none of their lines (``test_triton_kernels.py``,
``test_layer_kernels.py`` and ``test_on_gpu.py`` compare them with plain operations where there is one)."""
EXCLUDED_LINES = (r"^\s*\.\.\.\s*$",)
"""Bodies of protocols' methods."""
MARGIN = 0.3
"""Points between what is measured and the floor: which side of a race is taken differs from run to run."""
QUICK_MARGIN = 1.0
"""The same for a run of quick tests: which fifth of the slow ones is beside them differs from commit to commit."""
WORTH_RAISING = 1.0
"""Points above the floor from which a run asks to raise it."""
MOST_NAMED = 10

HEADER = """\
# The least share of lines and branches, in percent, that the tests run in their own process, by package.
# It may only rise: `scripts/test coverage` fails below it, and tests/test_coverage_floor.py holds it against every
# earlier commit.
# Written by: .venv/bin/python -m scripts.coverage_floor raise .coverage_parts (see CONTRIBUTING.md).
"""


@dataclass
class Share:
    """Lines and branches together. ``missed`` counts, by file, those that no test ran."""

    run: int = 0
    missed: Counter[str] = field(default_factory=Counter)

    @property
    def percent(self) -> float:
        """0 where there is nothing to run."""
        total = self.run + self.missed.total()
        return 100 * self.run / total if total else 0.0


@dataclass(frozen=True)
class Floor:
    """``least``: package -> percent, of a run of all tests; ``quick``: of one that left out most of the slow ones.

    ``missed``: file -> lines and branches that no test of all ran when the floor was set.
    """

    least: Mapping[str, float]
    missed: Mapping[str, int]
    quick: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> "Floor":
        """From the file's TOML; no text is no floor."""
        found = tomllib.loads(text)
        return cls(found.get("least", {}), found.get("missed", {}), found.get("quick", {}))

    def to_toml(self) -> str:
        """The file."""
        least, quick = (
            "".join(f"{package} = {percent:.1f}\n" for package, percent in floors.items())
            for floors in (self.least, self.quick)
        )
        missed = "".join(f'"{file}" = {count}\n' for file, count in sorted(self.missed.items()) if count)
        return (
            f"{HEADER}\n[least]\n{least}\n"
            "# Of a run of the quick tests and a fifth of the slow ones, as continuous integration is.\n"
            f"[quick]\n{quick}\n"
            "# Lines and branches that no test ran when the floor was set: they tell which files lost most.\n"
            f"[missed]\n{missed}"
        )


def merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Share]:
    """Package -> share, of what any of the processes ran. ``parts`` are slipcover's JSON of each process."""
    ran: dict[str, set[Any]] = {}
    there: dict[str, set[Any]] = {}
    for part in parts:
        for name, found in part["files"].items():
            file = str((ROOT / name).relative_to(ROOT))
            done = {*found["executed_lines"], *map(tuple, found["executed_branches"])}
            missing = {*found["missing_lines"], *map(tuple, found["missing_branches"])}
            ran.setdefault(file, set()).update(done)
            there.setdefault(file, set()).update(done | missing)
    shares = {package: Share() for package in PACKAGES}
    for file in sorted(there):
        share = shares[Path(file).parts[0]]
        share.run += len(ran[file])
        share.missed[file] = len(there[file]) - len(ran[file])
    return shares


def read_folder(folder: Path) -> dict[str, Share]:
    """What the test processes wrote there; ValueError where nothing was measured at all."""
    shares = merged(json.loads(path.read_text()) for path in sorted(folder.glob("*.json")))
    unseen = [package for package, share in shares.items() if not share.run]
    if unseen:
        raise ValueError(f"{folder} holds no measurement of {', '.join(unseen)}: give a run of all tests")
    return shares


def faults(shares: Mapping[str, Share], floor: Floor, *, quick: bool = False) -> list[str]:
    """One text a package below its floor, with the files that lost most since the floor was set."""
    found = []
    for package, share in shares.items():
        least = (floor.quick if quick else floor.least).get(package, 0.0)
        if share.percent >= least:
            continue
        lost = Counter({file: count - floor.missed.get(file, 0) for file, count in share.missed.items()})
        named = [f"  {file}: {more} more" for file, more in lost.most_common(MOST_NAMED) if more > 0]
        found.append(
            "\n".join(
                [
                    f"{package}: tests run {share.percent:.2f} % of lines and branches; the floor is {least:.1f} %.",
                    "  Lines and branches that no test runs, against when the floor was set:",
                    *(named or ["  (no file has more of them: what was removed was tested better than the rest)"]),
                ]
            )
        )
    return found


def raised(shares: Mapping[str, Share], floor: Floor, *, quick: bool = False) -> Floor:
    """The floor after this measurement: beneath it by a margin, and never lower than it was."""
    before, margin = (floor.quick, QUICK_MARGIN) if quick else (floor.least, MARGIN)
    least = {
        package: max(before.get(package, 0.0), math.floor((share.percent - margin) * 10) / 10)
        for package, share in shares.items()
    }
    if quick:
        return replace(floor, quick=least)
    missed = {file: count for share in shares.values() for file, count in share.missed.items()}
    return replace(floor, least=least, missed=missed)


def lowered(before: Iterable[Floor], now: Floor) -> list[str]:
    """Packages whose floor was higher in one of ``before``, each with both figures."""
    highest: dict[str, float] = {}
    for floor in before:
        for package, percent in _all_of(floor).items():
            highest[package] = max(percent, highest.get(package, 0.0))
    present = _all_of(now)
    return [
        f"{package}: {present.get(package, 0.0)} % now, {percent} % before"
        for package, percent in highest.items()
        if present.get(package, 0.0) < percent
    ]


def _all_of(floor: Floor) -> dict[str, float]:
    return {**floor.least, **{f"{package} (quick)": percent for package, percent in floor.quick.items()}}


def committed(root: Path = ROOT, file: str = "tests/coverage_floor.toml") -> list[Floor]:
    """The floor of every commit that git has of it; none without git, or in a copy without history."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else ""

    commits = git("log", "--diff-filter=AM", "--format=%H", "--", file).split()
    return [Floor.parse(git("show", f"{commit}:./{file}")) for commit in commits]


def main(arguments: list[str] | None = None) -> int:
    """Check or raise; 1 below the floor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "raise"])
    parser.add_argument("folder", type=Path, help="where scripts/coverage_recorder.py wrote")
    parser.add_argument("--quick", action="store_true", help="most of the slow tests were left out")
    given = parser.parse_args(arguments)
    shares = read_folder(given.folder)
    floor = Floor.parse(FLOOR.read_text() if FLOOR.exists() else "")
    least = floor.quick if given.quick else floor.least
    for package, share in shares.items():
        print(f"{package:15} {share.percent:6.2f} %  floor {least.get(package, 0.0):5.1f} %")
    if given.command == "raise":
        FLOOR.write_text(raised(shares, floor, quick=given.quick).to_toml())
        return 0
    found = faults(shares, floor, quick=given.quick)
    print(*found, sep="\n", end="\n" if found else "")
    worth = WORTH_RAISING + (QUICK_MARGIN if given.quick else 0.0)
    higher = [name for name, share in shares.items() if share.percent >= least.get(name, 0.0) + worth]
    if higher:
        what = f"raise {given.folder}" + " --quick" * given.quick
        print(f"Raise the floor of {', '.join(higher)}: .venv/bin/python -m scripts.coverage_floor {what}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
