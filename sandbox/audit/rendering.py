"""A report for people: plain text for a terminal, and Markdown. The same tables, in two spellings."""

from collections.abc import Iterable, Sequence

from sandbox.audit.report import report_digest
from sandbox.audit.statistics import grade_of, percent
from schemas.audit import AuditReport, Failure, Measurement, Rate

SHOWN_FAILURES = 20
_WORDS = {"fp": "accepts wrong", "fn": "rejects right", "unscored": "not judged"}
_HEAD = ("", "grade", "accepts wrong (FPR)", "95 %", "rejects right (FNR)", "95 %", "not judged")


def render_terminal(report: AuditReport) -> str:
    """Aligned plain text; no colour codes, so it may be piped."""
    parts = [
        f"{report.subject}   grade {report.grade}   {report.case_count} cases",
        _aligned([_HEAD, *_rate_rows(report)]),
    ]
    if report.probes:
        parts.append("probes\n" + _aligned(_probe_rows(report)))
    parts += _facts(report)
    if report.failures:
        lines = [f"  {line}" for line in map(_failure_line, report.failures[:SHOWN_FAILURES])]
        parts.append("\n".join([_failures_title(report), *lines]))
    return "\n\n".join(parts) + "\n"


def render_markdown(report: AuditReport) -> str:
    """GitHub-flavoured Markdown; what a package says of itself is escaped."""
    parts = [
        f"# Audit of {report.subject}: grade {report.grade}",
        _table([_HEAD, *_rate_rows(report)]),
        *_facts(report),
    ]
    if report.slices:
        rows = [_HEAD, *(_rate_row(name, found) for name, found in report.slices.items())]
        parts += ["## Slices", _table(rows)]
    if report.probes:
        parts += ["## Probes", _table(_probe_rows(report))]
    if report.failures:
        lines = [f"- {_escaped(_failure_line(failure))}" for failure in report.failures[:SHOWN_FAILURES]]
        parts += [f"## {_failures_title(report)}", "\n".join(lines)]
    digests = [f"release {report.digest}", f"suite {report.suite_digest}", f"image {report.image_digest}"]
    digests += [f"report {report_digest(report)}", f"runner {report.runner_version}, isolation {report.isolation}"]
    parts += ["## What was measured", "\n".join(f"- `{line}`" for line in digests)]
    return "\n\n".join(parts) + "\n"


def render_share(rate: Rate, errors: int, total: int) -> str:
    """``1.6 % (19 of 1180)``, or that nobody measured it."""
    return "unknown (no cases)" if rate.value is None else f"{percent(rate.value)} ({errors} of {total})"


def render_interval(rate: Rate) -> str:
    """``0.9–3.7 %``."""
    return f"{percent(rate.low).removesuffix(' %')}–{percent(rate.high)}"


def _rate_rows(report: AuditReport) -> Iterable[tuple[str, ...]]:
    yield _rate_row("overall", report.overall)
    for name, found in report.rewards.items():
        yield _rate_row(name, found)


def _rate_row(name: str, found: Measurement) -> tuple[str, ...]:
    return (
        name,
        str(grade_of(found)),
        render_share(found.fpr, found.fp, found.fp + found.tn),
        render_interval(found.fpr),
        render_share(found.fnr, found.fn, found.fn + found.tp),
        render_interval(found.fnr),
        str(found.unscored),
    )


def _probe_rows(report: AuditReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("family", "must be", "wrong verdicts", "not judged", "why the label is certain")]
    words = {"correct": "accepted", "incorrect": "rejected", "mixed": "either"}
    for name, outcome in report.probes.items():
        wrong = f"{outcome.failures} of {outcome.cases}"
        rows.append((name, words[outcome.expects], wrong, str(outcome.unscored), outcome.rule))
    return rows


def _facts(report: AuditReport) -> list[str]:
    """Sentences that belong below the table."""
    facts = [report.power_hint]
    j = report.overall.j
    if report.youden_j is not None:
        between = f", 95 % between {j.low:.3f} and {j.high:.3f}" if j is not None else ""
        facts.append(f"J = 1 - FPR - FNR = {report.youden_j:.3f}{between}")
    found = report.determinism
    if found.repeats > 1:
        facts.append(f"{found.repeats} repeats; verdicts that changed: {found.flips} of {report.case_count}")
    latency = report.latency_ms
    if latency.p50 is not None and latency.p95 is not None and latency.p99 is not None:
        facts.append(f"a call takes {latency.p50:.2f} ms (p95 {latency.p95:.2f}, p99 {latency.p99:.2f})")
    if report.unscored_reasons:
        reasons = ", ".join(f"{count} {reason}" for reason, count in report.unscored_reasons.items())
        facts.append(f"not judged, and in no rate: {reasons}")
    if report.disputed:
        facts.append(f"disputed, and counted: {report.disputed} of {report.case_count} cases")
    return facts


def _failures_title(report: AuditReport) -> str:
    count = len(report.failures)
    return f"failures: {count}" + (f", the first {SHOWN_FAILURES}" if count > SHOWN_FAILURES else "")


def _failure_line(failure: Failure) -> str:
    vector = ", ".join(f"{name} {'null' if value is None else f'{value:g}'}" for name, value in failure.got.items())
    response = "" if failure.response is None else f": {_short(failure.response)}"
    return f"{failure.case} ({failure.origin}) {_WORDS[failure.kind]}; got {vector}{response}"


def _short(text: str, limit: int = 80) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = [[_escaped(cell) for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    """Untrusted text in Markdown: nothing in it is a link, an image, HTML or a table border."""
    for char in "\\`*_{}[]<>|#!":
        text = text.replace(char, f"\\{char}")
    return text.replace("\n", " ")
