"""docs/reference/audits.md from audit reports: tables, intervals, and where our own verifier is the worse one."""
# ruff: noqa: E501 -- prose and tables

from collections.abc import Mapping, Sequence

from schemas.evidence.audit import AuditReport, Failure
from schemas.evidence.rates import Rate

OURS, RIVAL = "math-answer", "math-verify"

_HEAD = """# Audits: four verifiers of mathematics answers

Written by `scripts/audit_math`; run it to see the same numbers. Every verifier is a package of the collection and ran in the
sandbox, like any other. FPR is the share of wrong answers that were accepted, FNR the share of right answers that were rejected. Each
has a 95 % interval in which alike cases count as fewer ([how](../explanation/audit.md#rates)). What could not be judged is in neither. All these
cases count as the author's here, so a grade is hollow and at most C: compare the rates. Times are milliseconds a call of one run on two busy cores:
compare them with each other only.
"""


def page(suites: Sequence[tuple[str, str]], reports: Mapping[str, Sequence[AuditReport]]) -> str:
    """The whole page. ``reports`` maps a verifier's name to its reports in the order of ``suites`` (name, about)."""
    parts = [_HEAD]
    for place, (name, about) in enumerate(suites):
        parts.append(_suite(name, about, {verifier: found[place] for verifier, found in reports.items()}))
    parts.append(_probes(reports))
    parts.append(_worse(suites, reports))
    parts.append(_subjects(reports))
    return "\n".join(parts)


def _suite(name: str, about: str, reports: Mapping[str, AuditReport]) -> str:
    any_report = next(iter(reports.values())).overall
    right, wrong = any_report.tp + any_report.fn, any_report.tn + any_report.fp
    rows = [
        f"| `{verifier}` | {_rate(report.overall.fpr, report.overall.fp)} | {_rate(report.overall.fnr, report.overall.fn)} "
        f"| {report.overall.unscored} | {_milliseconds(report.latency_ms.p50)} | {_milliseconds(report.latency_ms.p99)} | {report.grade} |"
        for verifier, report in reports.items()
    ]
    table = "\n".join(
        [
            "| verifier | accepts wrong (FPR) | rejects right (FNR) | not judged | p50 ms | p99 ms | grade |",
            "|---|---|---|---|---|---|---|",
            *rows,
        ]
    )
    return f"## {name}\n\n{about} {right} right and {wrong} wrong answers.\n\n{table}\n"


def _rate(rate: Rate, count: int) -> str:
    if rate.value is None:
        return "no such case"
    return f"**{rate.value:.1%}** ({count}) [{rate.low:.1%}, {rate.high:.1%}]".replace("%", " %")


def _milliseconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _probes(reports: Mapping[str, Sequence[AuditReport]]) -> str:
    """Failures a family, for the families in which some verifier failed."""
    found = {
        verifier: next(report.probes for report in several if report.probes) for verifier, several in reports.items()
    }
    families = sorted({family for outcomes in found.values() for family in outcomes})
    failing = [
        family
        for family in families
        if any(family in outcomes and outcomes[family].failures for outcomes in found.values())
    ]
    rows = [
        "| "
        + " | ".join(
            [f"`{family}`", _expected(family, found), *(_failures(outcomes.get(family)) for outcomes in found.values())]
        )
        + " |"
        for family in failing
    ]
    head = "| family | must be | " + " | ".join(f"`{name}`" for name in found) + " |"
    line = "|---|---|" + "---|" * len(found)
    quiet = len(families) - len(failing)
    return "\n".join(
        ["## Probes", "", ("Generated from the constructed cases, labels certain by rule; wrong verdicts of all in a family. Each verifier's"
         " probes start from the answers that it accepted, so the numbers of cases differ."
         f" In {quiet} more families no verifier failed."), "", head, line, *rows, ""]
    )  # fmt: skip


def _expected(family: str, found: Mapping[str, Mapping[str, object]]) -> str:
    outcome = next(outcomes[family] for outcomes in found.values() if family in outcomes)
    return {"correct": "accepted", "incorrect": "rejected"}.get(str(getattr(outcome, "expects", "")), "either")


def _failures(outcome: object) -> str:
    return "" if outcome is None else f"{getattr(outcome, 'failures', 0)} of {getattr(outcome, 'cases', 0)}"


def _worse(suites: Sequence[tuple[str, str]], reports: Mapping[str, Sequence[AuditReport]]) -> str:
    """The cases that the rival judges as labelled and ours does not, and the count the other way round."""
    lines = [f"## Where `{OURS}` is worse than `{RIVAL}`", ""]
    for place, (name, _) in enumerate(suites):
        ours, theirs = (
            {failure.case: failure for failure in reports[who][place].failures if failure.origin != "probe"}
            for who in (OURS, RIVAL)
        )
        worse = [ours[case] for case in sorted(ours.keys() - theirs.keys())]
        better = len(theirs.keys() - ours.keys())
        lines.append(
            f"**{name}**: {len(worse)} {'case' if len(worse) == 1 else 'cases'} worse, {better} better; both wrong on {len(ours.keys() & theirs.keys())}.\n"
        )
        if worse:
            lines += [
                "| case | gold | response | label | verdict |",
                "|---|---|---|---|---|",
                *(_row(failure) for failure in worse),
                "",
            ]
    return "\n".join(lines)


def _row(failure: Failure) -> str:
    gold = str((failure.task or {}).get("answer", ""))
    verdict = {"fp": "accepted", "fn": "rejected"}.get(failure.kind, "not judged")
    label = "incorrect" if failure.kind == "fp" else "correct"
    return f"| {failure.case} | {_cell(gold)} | {_cell(failure.response or '')} | {label} | {verdict} |"


def _cell(text: str) -> str:
    """The end of a text as code: an answer usually stands at the end of a response."""
    flat = " ".join(text.split()).replace("`", "'").replace("|", "\\|")
    return f"`{flat if len(flat) <= 90 else '…' + flat[-89:]}`" if flat else ""


def _subjects(reports: Mapping[str, Sequence[AuditReport]]) -> str:
    lines = ["## What was measured", "", "| verifier | release | suites |", "|---|---|---|"]
    for several in reports.values():
        suites = ", ".join(f"`{report.suite_digest.removeprefix('sha256:')[:12]}`" for report in several)
        lines.append(f"| `{several[0].subject}` | `{several[0].digest.removeprefix('sha256:')[:16]}` | {suites} |")
    return "\n".join([*lines, ""])
