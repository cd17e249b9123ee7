"""A second list of known defects: what other people reported in public issues, and how many of it the probes find.

The list (``reported_defects.toml``) was written before any of its verifiers was audited with probes. An audit is given
nothing but right answers to some of a family's tasks.
"""

import asyncio
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sandbox.audit import run_audit
from schemas.evidence.cases import AuditCase, Label
from scripts.field_study import recall
from scripts.field_study.environments import python_of
from scripts.field_study.findings import Defect, is_contradicted
from scripts.field_study.judge import OutsideJudge, source_of
from scripts.field_study.measurement import asked_cases
from scripts.field_study.recall import Known, shown
from scripts.field_study.returned import run_defects
from scripts.field_study.subjects import Verifier

LIST = Path(__file__).with_name("reported_defects.toml")
KEPT = Path(__file__).with_name("reported.json")
TASKS = 24
_OF_THE_FIRST_LIST = "reasoning-gym/"


def load_reported(place: Path = LIST) -> list[Known]:
    """Every reported defect; what it is audited as stands in ``dataset``, the verifier's name."""
    rows = tomllib.loads(place.read_text(encoding="utf-8"))["reported"]
    return [_known(row) for row in rows]


def _known(row: Mapping[str, Any]) -> Known:
    task = {"id": row["name"], "answer": row["answer"]} | ({"info": row["info"]} if "info" in row else {})
    defect = Defect(row["name"], row["verifier"], row["title"], task, row["response"], row["label"], row["source"])
    return Known(defect, row["verifier"], tuple(row["found_by"]), row["source"])


def right_answers(verifier: Verifier) -> list[AuditCase]:
    """A right answer of each form, in a form that the verifier reads: ``TASKS`` at most, as many of each family."""
    found: list[AuditCase] = []
    for family in verifier.families:
        forms: dict[str, AuditCase] = {}
        for case in asked_cases(verifier, family)[0]:
            if case.label is Label.CORRECT:
                forms.setdefault(case.cluster or case.id, case)
        found += list(forms.values())[: TASKS // len(verifier.families)]
    return found


async def audited(verifier: Verifier) -> dict[str, Any]:
    """What an audit with probes shows of a verifier, given right answers alone."""
    cases = right_answers(verifier)
    judge, name = OutsideJudge(verifier, python_of(verifier.package)), verifier.name.replace("/", "-").replace("_", "-")
    try:
        report = await run_audit(judge, source_of(verifier), cases, tasks={}, subject=f"field/{name}@1.0.0")
    finally:
        await judge.close()
    return shown(report, len(cases))


def reports_of(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Verifier -> its report. Scorers of reasoning-gym were audited for the first list."""
    first = {f"{_OF_THE_FIRST_LIST}{name}": one for name, one in recall.read()["reports"].items()}
    return first | dict(kept["reports"])


def standing(reported: Iterable[Known], verifiers: Iterable[Verifier], returned: Mapping[str, Any]) -> list[Known]:
    """Those that the measured versions still have."""
    thresholds = {one.name: one.threshold for one in verifiers}
    there = []
    for one in reported:
        got = returned.get(one.defect.name)
        limit = thresholds[one.dataset]
        if got is not None and is_contradicted(one.defect.label, got["score"], got["error"], limit):
            there.append(one)
    return there


def read(place: Path = KEPT) -> dict[str, Any]:
    """What was measured: ``returned`` and ``reports``."""
    return dict(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else {"returned": {}, "reports": {}}


def write(found: Mapping[str, Any], place: Path = KEPT) -> None:
    """One line a case and a verifier."""
    parts = [
        f'"{name}": {{\n' + ",\n".join(f' "{key}": {json.dumps(one)}' for key, one in sorted(found[name].items())) + "}"
        for name in ("returned", "reports")
    ]
    place.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def measure_all(verifiers: list[Verifier], only: Iterable[str] = ()) -> dict[str, Any]:
    """Reproduce the list, then audit every verifier on it (``only``: these), keeping each at once."""
    found, reported, wanted = read(), load_reported(), set(only)
    named = {one.dataset for one in reported if not wanted or one.dataset in wanted}
    defects = [one.defect for one in reported if one.dataset in named]
    found["returned"] |= asyncio.run(run_defects(defects, verifiers))
    write(found)
    for one in verifiers:
        if one.name in named and not one.name.startswith(_OF_THE_FIRST_LIST):
            found["reports"][one.name] = asyncio.run(audited(one))
            write(found)
            print(one.name, json.dumps(found["reports"][one.name])[:160], flush=True)
    return found
