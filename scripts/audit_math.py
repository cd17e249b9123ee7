"""Measures every mathematics verifier of the collection on the same cases and writes what came out to docs/reference/audits.md.

Run through ``scripts/audit_math``. Each verifier runs in the sandbox, like any stranger's package. A report is kept in
``var/audit_math`` under the digests of release, suite and probes; what has not changed is not measured again (``--fresh`` does).
"""
# ruff: noqa: E501 -- prose and tables

import argparse
import hashlib
import importlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit_math_page import page

from hub_client import Hub
from hub_client.audits.plan import plan_audit
from sandbox.audit import cases_digest
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan
from schemas.evidence.cases import AuditCase
from schemas.task import canonical_json

ROOT = Path(__file__).parents[1]
COLLECTION = ROOT / "collection"
FAMILY_STEP = 3
"""Every third case of the generated families is measured, because math-verify takes a tenth of a second for each."""
VERIFIERS = ("math-answer", "math-verify", "substring-rule", "exact-match")
MATH_ANSWER = COLLECTION / "math-answer" / "src" / "lecture_math_answer"
PROBES = ROOT / "sandbox" / "audit" / "probes"
MEASURES = ROOT / "schemas" / "measures"
GSM8K = COLLECTION / "gsm8k" / "src" / "lecture_gsm8k"


@dataclass(frozen=True)
class Suite:
    """Labelled cases under one name. ``about`` says where they come from and what they can show."""

    name: str
    about: str
    cases: tuple[AuditCase, ...]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines, split at line feeds only: a text may hold characters that ``splitlines`` takes for line ends."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def load_suites() -> list[Suite]:
    """Every suite, from the packages that carry the data."""
    hard, tests, own = (
        tuple(AuditCase.model_validate(row) for row in read_rows(MATH_ANSWER / name))
        for name in ("audit_hardverify.jsonl", "audit_math_verify.jsonl", "audit.jsonl")
    )
    return [
        Suite(
            "HardVerify-Math",
            "Answers of models on which a rule-based verifier had failed, labelled by the source's annotators (uw-nsl/TinyV, MIT,"
            " © 2025 UW-NSL). The right answers were chosen *because* a rule had refused them: worst case, not a rate in the field."
            " About one label in ten can be argued about (rounding, end points, a root missing).",
            hard,
        ),
        Suite(
            "Math-Verify's tests",
            "The pairs of math-verify's own tests (huggingface/Math-Verify, Apache-2.0): what its authors made sure of.",
            tests,
        ),
        Suite(
            "Constructed cases",
            "Written for `lecture/math-answer`, by class of answer, with labels that arithmetic or the meaning of the notation makes"
            " certain. It was developed on these: here they show what the others do, not what it does.",
            own,
        ),
        Suite(
            "Generated families, developed on",
            "Every third case of one row of each of the families of `collection/math-answer/case_families` that `lecture/math-answer` was fixed on: notations,"
            " sets, units, places in a response, hedges, with labels that arithmetic makes certain.",
            tuple(_family_cases("developed-on")),
        ),
        Suite(
            "Generated families, put aside",
            "The other families. They were counted as a whole before anybody read them; what that gave stands in the package's README. They"
            " have been read since, so that for `math-answer` this is no held-out number any more.",
            tuple(_family_cases("held-out")),
        ),
        Suite(
            "Generated families, the last round",
            "One row of each of the families written last. Before anybody read a case of them, `math-answer` rejected 11.6 % of the"
            " right answers (50 of 430, five rows of each) and accepted 2.5 % of the wrong ones (10 of 400). Then the classes of error"
            " were fixed, but for two.",
            tuple(_family_cases("last-round")),
        ),
        Suite(
            "GSM8K solutions",
            "Whole worked solutions by real models, with the source's verdict (openai/grade-school-math, MIT, © 2021 OpenAI):"
            " the sample that `lecture/gsm8k` carries.",
            tuple(_gsm8k_cases()),
        ),
    ]


def _family_cases(half: str) -> Iterable[AuditCase]:
    """The generated families of one half, as the package's maker writes them."""
    sys.path.insert(0, str(COLLECTION / "math-answer"))
    try:
        make_cases = importlib.import_module("make_cases")
    finally:
        sys.path.pop(0)
    rows = [row for row in make_cases.family_cases(draws=1) if half in row["tags"]]
    return [AuditCase.model_validate(row) for row in rows[:: 1 if half == "last-round" else FAMILY_STEP]]


def _gsm8k_cases() -> Iterable[AuditCase]:
    tasks = {row["id"]: row for row in read_rows(GSM8K / "test.jsonl")}
    for row in read_rows(GSM8K / "audit.jsonl"):
        if "model-solution" in row["tags"]:
            yield AuditCase.model_validate({**row, "task_id": None, "task": tasks[row["task_id"]]})


def measure(hub: Hub, name: str, suites: Sequence[Suite], *, fresh: bool = False) -> list[AuditReport]:
    """One report a suite; probes are generated from the constructed cases only, whose labels are certain."""
    verifier = hub.verifier(COLLECTION / name)
    runner = hub.runner()
    reports = []
    for suite in suites:
        probes = suite.name == "Constructed cases"
        plan = plan_audit(verifier, runner, cases=suite.cases, probes=probes)
        kept = _place(plan, probes=probes)
        if fresh or not kept.exists():
            report = runner.audit(plan, lambda _done, _total: None)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(report.model_dump_json(), encoding="utf-8")
        reports.append(AuditReport.model_validate_json(kept.read_text(encoding="utf-8")))
        overall = reports[-1].overall
        print(
            f"{name:15} {suite.name:20} FPR {overall.fp}/{overall.fp + overall.tn}  FNR {overall.fn}/{overall.fn + overall.tp}"
            f"  not judged {overall.unscored}",
            file=sys.stderr,
        )
    return reports


def _place(plan: AuditPlan, *, probes: bool) -> Path:
    """The file of the report on this release and these cases, by these measures and, where there are any, these probes."""
    folders = [MEASURES, PROBES] if probes else [MEASURES]
    makers = [path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.rglob("*.py"))]
    key = canonical_json([plan.verifier.digest, cases_digest(plan.cases), makers])
    return ROOT / "var" / "audit_math" / f"{hashlib.sha256(key).hexdigest()[:24]}.json"


def main() -> None:
    """Measure, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=VERIFIERS, help="print this verifier's rates and write nothing")
    parser.add_argument("--fresh", action="store_true", help="measure again what is kept")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "reference" / "audits.md")
    options = parser.parse_args()
    suites = load_suites()
    with Hub() as hub:
        if options.only:
            measure(hub, options.only, suites, fresh=options.fresh)
            return
        reports = {name: measure(hub, name, suites, fresh=options.fresh) for name in VERIFIERS}
    about = [(suite.name, suite.about) for suite in suites]
    options.output.write_text(page(about, reports), encoding="utf-8")
    print(f"wrote {options.output.relative_to(ROOT) if options.output.is_relative_to(ROOT) else options.output}")


if __name__ == "__main__":
    main()
