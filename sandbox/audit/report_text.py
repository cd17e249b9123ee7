"""A report for people, as plain text for a terminal and as Markdown, from the same tables."""

import re
from collections.abc import Iterable, Sequence

from sandbox.audit.report import report_digest
from schemas.evidence.audit import AuditReport, Failure
from schemas.evidence.part_words import part_words
from schemas.evidence.rates import Grade, Grading, Measurement, Rate
from schemas.judge_model import JudgeUse
from schemas.measures.first_look_words import first_look_words
from schemas.measures.grades import grade_of, groups_text, percent
from schemas.wording import counted, uncapitalised

SHOWN_FAILURES = 20  # chosen: --report writes all
# Also what GitHub turns into a link by itself: a scheme's colon, the dot of www., the @ of an address.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>|#!~@&]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_ORIGINS = {
    "origin:author": "author's cases",
    "origin:suite": "independent suites",
    "origin:held": "held by the hub",
    "origin:community": "seconded counter-examples",
    "origin:rollout": "labelled rollouts",
    "origin:reported": "reported, not counted",
}
_WORDS = {"fp": "accepts wrong", "fn": "rejects right", "unscored": "not judged"}
_HEAD = ("", "grade", "accepts wrong (FPR)", "95 %", "rejects right (FNR)", "95 %", "not judged")


def render_terminal(report: AuditReport) -> str:
    """Aligned plain text; no colour codes, so it may be piped."""
    parts = [
        f"{report.subject}   grade {_grade_text(report)}   {counted(report.case_count, 'case')}",
        _aligned([_HEAD, *_rate_rows(report)]),
    ]
    if report.probes:
        parts.append("probes\n" + _aligned(_probe_rows(report)))
    if report.exploits:
        parts.append("doubtful answers (right or wrong is not certain: no errors)\n" + _aligned(_exploit_rows(report)))
    if report.metamorphic:
        parts.append("rewritings that the author registered (in no rate)\n" + _aligned(_metamorphic_rows(report)))
    parts += _facts(report)
    if report.failures:
        lines = [f"  {line}" for line in map(_failure_line, _shown_failures(report))]
        parts.append("\n".join([_failures_title(report), *lines]))
    return "\n\n".join(parts) + "\n"


def render_markdown(report: AuditReport) -> str:
    """GitHub-flavoured Markdown. Text that comes from the package is escaped."""
    parts = [
        f"# Audit of {report.subject}: grade {_grade_text(report)}",
        _table([_HEAD, *_rate_rows(report)]),
        *_facts(report),
    ]
    if report.slices:
        rows = [_HEAD, *(_rate_row(name, found) for name, found in report.slices.items())]
        parts += ["## Slices", _table(rows)]
    if report.probes:
        parts += ["## Probes", _table(_probe_rows(report))]
    if report.exploits:
        parts += ["## Doubtful answers", _table(_exploit_rows(report))]
    if report.metamorphic:
        parts += ["## Rewritings that the author registered", _table(_metamorphic_rows(report))]
    if report.failures:
        lines = [f"- {_escaped(_failure_line(failure))}" for failure in report.failures[:SHOWN_FAILURES]]
        parts += [f"## {_failures_title(report)}", "\n".join(lines)]
    digests = [f"release {report.digest}", f"cases {report.suite_digest}", f"image {report.image_digest}"]
    digests += [f"report {report_digest(report)}", f"runner {report.runner_version}, isolation {report.isolation}"]
    parts += ["## What was measured", "\n".join(f"- `{line}`" for line in digests)]
    return "\n\n".join(parts) + "\n"


def render_share(rate: Rate, errors: int, total: int) -> str:
    """``1.6 % (19 of 1180, 22 forms)``, or ``unmeasured``."""
    groups = f", {groups_text(rate)}" if rate.clusters is not None else ""
    return "unknown (no cases)" if rate.value is None else f"{percent(rate.value)} ({errors} of {total}{groups})"


def render_interval(rate: Rate) -> str:
    """``0.9–3.7 %``."""
    return f"{percent(rate.low).removesuffix(' %')}–{percent(rate.high)}"


def _rate_rows(report: AuditReport) -> Iterable[tuple[str, ...]]:
    yield _rate_row("overall", report.overall)
    for name, found in report.slices.items():
        if name in _ORIGINS:
            yield _rate_row(_ORIGINS[name], found)
    for name, found in report.rewards.items():
        yield _rate_row(name, found)


def _grade_text(report: AuditReport) -> str:
    if report.grade is Grade.UNMEASURED:
        return f"{report.grade} (unrated: too few independent cases)" if report.case_count else str(report.grade)
    hollow = report.grading is not None and report.grading.is_hollow
    return f"{report.grade} (by its author's cases alone)" if hollow else str(report.grade)


def _grading_facts(grading: Grading) -> list[str]:
    """Why the grade is not better, and how to earn a better one."""
    facts = list(grading.capped)
    for part in grading.pulled:
        side = "wrong answers accepted" if part.side == "fpr" else "right answers rejected"
        facts.append(
            f"{part_words(part.name)}: {part.errors} of {part.cases} {side}, which is surely worse: {part.grade}"
        )
    told = first_look_words(grading.first_look, grading.known)
    facts += [uncapitalised(told)] if told else []
    facts += grading.waiting
    return facts + [f"missing: {sentence}" for sentence in grading.missing]


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
    rows: list[tuple[str, ...]] = [
        ("family", "must be", "wrong verdicts", "not judged", "raised", "reward", "why the label is certain")
    ]
    words = {"correct": "accepted", "incorrect": "rejected", "mixed": "either"}
    for name, outcome in report.probes.items():
        wrong = f"{outcome.failures} of {outcome.cases}"
        counts = (str(outcome.unscored), str(outcome.raised), _reward(outcome.mean_reward))
        rows.append((name, words[outcome.expects], wrong, *counts, outcome.rule))
    return rows


def _exploit_rows(report: AuditReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("way", "accepted", "not judged", "raised", "reward", "what it is")]
    for name, found in report.exploits.items():
        told = f"{found.rule}: {found.best!r}" if found.best else found.rule
        accepted = f"{found.accepted} of {found.tries}"
        rows.append((name, accepted, str(found.unscored), str(found.raised), _reward(found.mean_reward), told))
    return rows


def _metamorphic_rows(report: AuditReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("rewriting", "verdict must", "contradicted", "not judged", "accepted before", "change of reward", "an example")
    ]
    words = {"same": "stay", "different": "change"}
    for name, found in report.metamorphic.items():
        counts = (f"{found.broken} of {found.pairs}", str(found.unscored), f"{found.accepted} of {found.pairs}")
        told = [f"{_short(one.before, 40)} -> {_short(one.after, 40)}" for one in found.examples[:1]]
        rows.append((name, words[found.relation], *counts, _reward(found.mean_change), found.fault or "".join(told)))
    return rows


def _reward(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.2f}"


def _facts(report: AuditReport) -> list[str]:
    """Sentences that belong below the table."""
    facts = [report.power_hint, *(_grading_facts(report.grading) if report.grading is not None else [])]
    if report.duplicates:
        facts.append(f"repeated cases, counted once: {report.duplicates}")
    if report.switched_off:
        facts.append(f"switched off by the manifest, and run: {', '.join(report.switched_off)}")
    if report.values is not None:
        facts.append(
            f"mean reward of right answers {report.values.right:.2f}, of wrong ones {report.values.wrong:.2f}; "
            f"a wrong one earns as much as a right one with a chance of {percent(report.values.overlap)}"
        )
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
    if report.asked_model is not None:
        facts.append(_asked_text(report.asked_model))
    if report.disputed:
        facts.append(f"disputed, and counted: {report.disputed} of {counted(report.case_count, 'case')}")
    return facts


def _asked_text(used: JudgeUse) -> str:
    """Which model the verifier asked, how often, and what that took."""
    cost = f", cost {used.cost:.2f}" if used.cost else ""
    refused = f"; {used.refused} without an answer" if used.refused else ""
    return (
        f"asks the model {used.model}, and its rates hold for this model only: {used.calls} of at most "
        f"{used.most_calls} model calls, {used.prompt_tokens + used.completion_tokens} tokens{cost}, and {used.cached} "
        f"answers that were kept{refused}"
    )


def _failures_title(report: AuditReport) -> str:
    count = len(report.failures)
    return f"failures: {count}" + (f", the first {SHOWN_FAILURES}" if count > SHOWN_FAILURES else "")


def _shown_failures(report: AuditReport) -> list[Failure]:
    """Those of independent cases first: an author knows their own."""
    return sorted(report.failures, key=lambda failure: not failure.origin.is_independent)[:SHOWN_FAILURES]


def _failure_line(failure: Failure) -> str:
    values = ", ".join(f"{name} {'null' if value is None else f'{value:g}'}" for name, value in failure.got.items())
    vector = f"; got {values}" if values else ""
    response = "" if failure.response is None else f": {_short(failure.response)}"
    return f"{failure.case} ({failure.origin}) {_WORDS[failure.kind]}{vector}{response}"


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
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))
