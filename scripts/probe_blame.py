"""Which probes honest verifiers fail: ``python -m scripts.probe_blame [--seeds N] [--model URL#NAME] [NAME]…``.

Each verifier of the collection that is meant to be right is audited on its own cases and on the suites of its families,
N times with other seeds of the probes. Printed are every wrong verdict on a probe, to be read, and a line a family. A
label that is in doubt shows here first. Verifiers that ask a model are left out, unless one is given.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from schemas.evidence.audit import AuditReport
from schemas.manifest import Manifest
from schemas.sources import EntryPoint

COLLECTION = Path(__file__).parents[1] / "collection"
LENIENT = frozenset({"exact-match", "substring-rule"})
"""Baselines, which are there to be wrong."""


@dataclass
class FamilyCount:
    """Probes of one family, over all verifiers and seeds."""

    cases: int = 0
    failures: int = 0
    unscored: int = 0
    verifiers: int = 0


def manifests(collection: Path = COLLECTION) -> dict[str, Manifest]:
    """Folder -> manifest."""
    return {
        place.parents[2].name: Manifest.from_toml(place.read_text(encoding="utf-8"))
        for place in sorted(collection.glob("*/src/*/verihub.toml"))
    }


def subjects(known: dict[str, Manifest], *, with_model: bool) -> dict[str, list[str]]:
    """Folder of a verifier -> folders of the suites of its families."""
    suites = {one.family: name for name, one in known.items() if one.family}
    return {
        name: [suites[family] for family in one.judges if family in suites]
        for name, one in known.items()
        if isinstance(one.verifier, EntryPoint) and name not in LENIENT and (with_model or one.model is None)
    }


def counted(reports: Iterable[AuditReport]) -> dict[str, FamilyCount]:
    """Family -> its counts over all reports."""
    found: dict[str, FamilyCount] = defaultdict(FamilyCount)
    verifiers: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        for name, one in report.probes.items():
            count = found[name]
            count.cases += one.cases
            count.failures += one.failures
            count.unscored += one.unscored
            verifiers[name].add(report.subject)
            count.verifiers = len(verifiers[name])
    return dict(found)


def wrong_verdicts(report: AuditReport) -> Iterator[str]:
    """A line for each probe that was judged wrongly: what a reader needs to see whether its label holds."""
    for one in report.failures:
        if one.case.startswith("probe:") and one.kind != "unscored":
            said = json.dumps(one.response, ensure_ascii=False)
            yield f"{report.subject} {one.case} {one.kind} {json.dumps(one.task, ensure_ascii=False)[:300]} {said}"


def audited(name: str, suites: list[str], seed: int, model: str | None) -> AuditReport | None:
    """The report of ``verihub audit``; None where it failed, which is said."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "report.json"
        command = ["verihub", "audit", str(COLLECTION / name), "--repeats", "1", "--probe-seed", f"blame-{seed}"]
        command += ["--report", str(place), *(["--judge-model", model] if model else [])]
        command += [word for suite in suites for word in ("--suite", str(COLLECTION / suite))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not place.is_file():
            print(f"{name}: {done.stderr.strip()[-300:]}", file=sys.stderr, flush=True)
            return None
        return AuditReport.read(json.loads(place.read_text(encoding="utf-8")))


def main() -> int:
    """Print what was judged wrongly, then a line a family; 1 where an audit failed."""
    parser = argparse.ArgumentParser(prog="scripts.probe_blame", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--model", help="a judge model: URL#NAME or local:NAME")
    parser.add_argument("names", nargs="*", help="folders of the collection; all where none is named")
    asked = parser.parse_args()
    chosen = subjects(manifests(), with_model=asked.model is not None)
    reports = []
    for name in asked.names or chosen:
        for seed in range(1, asked.seeds + 1):
            report = audited(name, chosen[name], seed, asked.model)
            reports.append(report)
            for line in wrong_verdicts(report) if report else ():
                print(line, flush=True)
    for family, one in sorted(counted(filter(None, reports)).items()):
        unjudged = f", {one.unscored} not judged" if one.unscored else ""
        print(f"{family:22} {one.failures} of {one.cases} judged wrongly{unjudged}; {one.verifiers} verifiers")
    return int(None in reports)


if __name__ == "__main__":
    sys.exit(main())
