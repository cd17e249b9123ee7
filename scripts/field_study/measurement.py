"""Measures one verifier on one family: Verihub's own audit, with an outside process in place of a box."""

import json
import re
from pathlib import Path

from sandbox.audit import run_audit
from sandbox.audit.cases import cases_digest
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label
from scripts.field_study.cases import cases_of
from scripts.field_study.environments import cache_folder
from scripts.field_study.judge import OutsideJudge, source_of
from scripts.field_study.records import Record, record_of, short_digest
from scripts.field_study.subjects import Verifier

WITH_PROBES = frozenset({"short-number", "choice", "mathematics", "mathematics-hard"})
"""Families with probes. Those of code try to break out, and an outside process is no box; the other families hold what

probes would make of them: denials, lists, near spellings, answers that were taken back.
"""


def asked_cases(verifier: Verifier, family: str) -> tuple[list[AuditCase], dict[Label, int]]:
    """The cases that the verifier is asked, and how many of each label are not: its documents demand another form.

    The rule is the same for both labels. A wrong answer in a form that it does not read would be no evidence.
    """
    cases = [case for case in cases_of(family) if not verifier.tags or set(verifier.tags) & set(case.tags)]
    asked = [case for case in cases if verifier.reads(case.response) and not set(verifier.not_forms) & set(case.tags)]
    left_out = {
        label: sum(case.label is label for case in cases) - sum(case.label is label for case in asked)
        for label in Label
    }
    return asked, left_out


def is_of_these_cases(record: Record, verifier: Verifier) -> bool:
    """Whether the record was measured on the cases as they are now."""
    return bool(record["suite"] == short_digest(cases_digest(asked_cases(verifier, record["family"])[0])))


async def measure(verifier: Verifier, family: str, python: Path) -> Record:
    """One record. Every wrong verdict is written to the cache folder, to be read."""
    asked, left_out = asked_cases(verifier, family)
    judge, name = OutsideJudge(verifier, python), re.sub("[^a-z0-9]+", "-", verifier.name.lower())
    try:
        report = await run_audit(
            judge,
            source_of(verifier),
            asked,
            tasks={},
            subject=f"field/{name}@{verifier.package.version}",
            probes=family in WITH_PROBES,
        )
    finally:
        await judge.close()
    _keep_failures(verifier, family, report)
    return record_of(verifier, family, report, left_out=left_out)


def _keep_failures(verifier: Verifier, family: str, report: AuditReport) -> None:
    place = cache_folder() / "failures" / f"{verifier.name.replace('/', '--')}--{family}.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in report.failures]
    place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
