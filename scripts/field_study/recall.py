"""How many known defects the probes reach: audits of reasoning-gym's scorers, and a list that a person made.

The list (``known_defects.toml``) was made from the package's source, from ``findings.toml`` and from its public issues.
Each defect is first shown on a case of its own. It counts as found where a report on right answers alone shows it by
what the list names: a family with a wrong verdict or a raise, or a way of answering that is accepted often.
"""

import asyncio
import json
import subprocess
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.audit import run_audit
from sandbox.audit.exploits import forms
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label
from scripts.field_study.environments import python_of
from scripts.field_study.findings import Defect, is_contradicted, load_defects
from scripts.field_study.judge import OutsideJudge, source_of, surroundings
from scripts.field_study.returned import outcome
from scripts.field_study.subjects import Package, Verifier

LIST = Path(__file__).with_name("known_defects.toml")
KEPT = Path(__file__).with_name("recall.json")
DRAW = Path(__file__).with_name("draw_gym.py")
PACKAGE = "reasoning-gym"
TASKS, SEED = 16, 3
DRAW_SECONDS = 900
THRESHOLD = 0.99
OFTEN = 0.25
"""Share of tries from which on a way of answering without solving counts as having found its defect."""
JUNK = ("shapes", "nop", "empty", "huge", "binary", "wrong_language", "fuzz", "judge", "leak_question", "cheat")
"""Beginnings of families that ask the same of every verifier, whatever its tasks and answers."""
FEW = 6


@dataclass(frozen=True)
class Known:
    """A defect of one data set's scorer. ``found_by``: families and ways that would show it; empty: none does."""

    defect: Defect
    dataset: str
    found_by: tuple[str, ...]
    source: str


def load_known(place: Path = LIST) -> list[Known]:
    """Every known defect. A row with ``defect`` refers to ``findings.toml``, where its case stands."""
    rows = tomllib.loads(place.read_text(encoding="utf-8"))["known"]
    told = {one.name: one for one in load_defects()}
    known = []
    for row in rows:
        found_by, source = tuple(row.pop("found_by")), row.pop("source")
        if "defect" in row:
            defect = told[row["defect"]]
        else:
            dataset = row.pop("dataset")
            defect = Defect(**row, verifier=f"reasoning-gym/{dataset}")
        known.append(Known(defect, defect.verifier.partition("/")[2], found_by, source))
    return known


def scorer(package: Package, dataset: str, *, is_drawn: bool) -> Verifier:
    """The scorer of one data set, over entries that are drawn, or that come with each case."""
    options = {"name": dataset} | ({"size": str(TASKS), "seed": str(SEED)} if is_drawn else {})
    call = "score_drawn" if is_drawn else "score_answer"
    return Verifier(
        f"reasoning-gym/{dataset}", package, f"{dataset}: score_answer()", f"reasoning_gym_package:{call}", (),
        threshold=THRESHOLD, options=options,
    )  # fmt: skip


def drawn_tasks(package: Package, dataset: str) -> dict[str, dict[str, Any]] | None:
    """The tasks by id; None where they cannot be drawn in ``DRAW_SECONDS``."""
    command = [str(python_of(package)), str(DRAW), dataset, str(TASKS), str(SEED)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=DRAW_SECONDS, check=True, env=surroundings()
        )
        return {task["id"]: task for task in json.loads(done.stdout)["tasks"]}
    except (subprocess.SubprocessError, ValueError):
        return None


async def audited(package: Package, dataset: str, tasks: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """What an audit shows of one scorer, given nothing but each task's own right answer."""
    verifier = scorer(package, dataset, is_drawn=True)
    right = {name: task["answer"] for name, task in tasks.items() if task["answer"] is not None}
    cases = [
        AuditCase(id=f"right {name}", task_id=name, response=text, label=Label.CORRECT) for name, text in right.items()
    ]
    judge, name = OutsideJudge(verifier, python_of(package)), dataset.replace("_", "-")
    try:
        report = await run_audit(judge, source_of(verifier), cases, tasks=tasks, subject=f"field/{name}@1.0.0")
    finally:
        await judge.close()
    return shown(report, len(cases))


def shown(report: AuditReport, right: int) -> dict[str, Any]:
    """The counts of a report that recall is taken from.

    ``families``: name -> [wrong verdicts, raises, cases]; ``ways``: name -> [accepted, tries, raises].
    """
    return {
        "right": right,
        "rejected": report.overall.fn,
        "families": {name: [one.failures, one.raised, one.cases] for name, one in sorted(report.probes.items())},
        "ways": {name: [one.accepted, one.tries, one.raised] for name, one in sorted(report.exploits.items())},
    }


def is_found(known: Known, reports: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the report on its scorer shows the defect.

    A way is about acceptance, so it shows no wrong rejection. A right answer in another form that is refused shows one.
    """
    report = reports.get(known.dataset, {})
    is_rejection = known.defect.label == "correct"
    for name in known.found_by:
        wrong, raised, _ = report.get("families", {}).get(name, (0, 0, 0))
        accepted, tries, failed = report.get("ways", {}).get(name, (0, 0, 0))
        shown = tries - accepted if name in forms.NAMES else accepted
        if wrong or raised or failed or (is_rejection == (name in forms.NAMES) and tries and shown >= OFTEN * tries):
            return True
    return False


def with_few(reports: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The scorers that are asked nothing which is made of their own tasks and right answers, but ``FEW`` things."""
    return [name for name, one in reports.items() if len(made_for_it(one)) <= FEW]


def made_for_it(report: Mapping[str, Any]) -> list[str]:
    names = [*report.get("families", {}), *report.get("ways", {})]
    return [name for name in names if not name.startswith(JUNK)]


async def reproduced(package: Package, known: Iterable[Known]) -> dict[str, Any]:
    """Defect -> what its scorer returns on its case."""
    python, found = python_of(package), {}
    for one in known:
        judge = OutsideJudge(scorer(package, one.dataset, is_drawn=False), python)
        try:
            found[one.defect.name] = outcome(
                await judge.ask(dict(one.defect.task), one.defect.response), package.version
            )
        finally:
            await judge.close()
    return found


def stands(one: Known, returned: Mapping[str, Any]) -> bool:
    """Whether the defect is there in the version that was measured."""
    got = returned.get(one.defect.name)
    return got is not None and is_contradicted(one.defect.label, got["score"], got["error"], THRESHOLD)


def names_of_all(package: Package) -> list[str]:
    """Every data set of the package."""
    command = [str(python_of(package)), str(DRAW), "--names"]
    return list(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def read(place: Path = KEPT) -> dict[str, Any]:
    """What was measured: ``version``, ``returned`` and ``reports``."""
    return dict(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else {"returned": {}, "reports": {}}


def write(found: Mapping[str, Any], place: Path = KEPT) -> None:
    """One line a scorer, so that a change of one is a change of one line."""
    parts = [f' "{name}": {json.dumps(one, ensure_ascii=False)}' for name, one in sorted(found["reports"].items())]
    told = [f' "{name}": {json.dumps(one, ensure_ascii=False)}' for name, one in sorted(found["returned"].items())]
    text = ",\n".join(
        [
            f'"version": {json.dumps(found["version"])}',
            '"returned": {\n' + ",\n".join(told) + "}",
            '"reports": {\n' + ",\n".join(parts) + "}",
        ]
    )
    place.write_text("{" + text + "}\n", encoding="utf-8")


def measure_all(package: Package, only: Iterable[str] = ()) -> dict[str, Any]:
    """Reproduce the list and audit every scorer (``only``: these), keeping each at once."""
    found, known, wanted = read(), load_known(), list(only)
    found["version"] = package.version
    found["returned"] = asyncio.run(reproduced(package, known))
    for name in wanted or names_of_all(package):
        tasks = drawn_tasks(package, name)
        found["reports"][name] = {"not_drawn": True} if tasks is None else asyncio.run(audited(package, name, tasks))
        write(found)
        print(name, json.dumps(found["reports"][name])[:160], flush=True)
    write(found)
    return found
