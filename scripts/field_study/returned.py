"""Runs the defects' cases again and keeps what came back: ``returned.json``."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from schemas.verdict import Verdict
from scripts.field_study.environments import python_of
from scripts.field_study.findings import RETURNED, Defect, read_returned
from scripts.field_study.judge import REWARD, OutsideJudge
from scripts.field_study.subjects import Verifier


async def run_defects(defects: Iterable[Defect], verifiers: Iterable[Verifier]) -> dict[str, Any]:
    """Defect -> ``score`` (null: none), ``error`` and ``version``."""
    known = {one.name: one for one in verifiers}
    found = {}
    for defect in defects:
        subject = known[defect.verifier]
        judge = OutsideJudge(subject, python_of(subject.package))
        try:
            found[defect.name] = outcome(await judge.ask(dict(defect.task), defect.response), subject.package.version)
        finally:
            await judge.close()
    return found


def outcome(verdict: Verdict, version: str) -> dict[str, Any]:
    """A verdict as it is kept."""
    words = f"{verdict.error.kind}: {verdict.error.message}" if verdict.error is not None else ""
    return {"score": verdict.rewards[REWARD], "error": words, "version": version}


def keep(found: dict[str, Any], known: Iterable[str], place: Path = RETURNED) -> None:
    """Write what came back, beside what is kept of other defects that still stand in ``findings.toml``."""
    names = set(known)
    merged = {name: value for name, value in {**read_returned(place), **found}.items() if name in names}
    place.write_text(json.dumps(dict(sorted(merged.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
