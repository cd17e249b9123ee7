"""A badge with the grade and the upper bounds of both error rates, as a self-contained SVG."""

from xml.sax.saxutils import escape

from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade
from schemas.measures.grades import percent

_COLOURS = {
    Grade.A: "#1f6f4a",
    Grade.B: "#3b7a57",
    Grade.C: "#8a6d1d",
    Grade.D: "#a4551e",
    Grade.F: "#9b2c2c",
    Grade.UNMEASURED: "#5f6368",
}
_HOLLOW = "#5f6368"
"""A grade that only its author's cases support has the colour of an unmeasured one."""
_ORIGINS = {
    Origin.SUITE: "of suites",
    Origin.HELD: "held",
    Origin.COMMUNITY: "seconded",
    Origin.ROLLOUT: "labelled rollouts",
}
_CHARACTER = 6.6
_PADDING = 10


def render_badge(report: AuditReport) -> str:
    """``verifier | B · FPR ≤ 0.9 % · FNR ≤ 2.5 % · 900 of suites``. An unrated one says so and shows no number.

    What the letter rests on stands behind it: how many cases of each origin. A hollow grade says that its author alone
    speaks for it: ``verifier | C by its author · FPR ≤ … · 130 of its author``.
    """
    if report.grade is Grade.UNMEASURED:
        text = "unrated: too few independent cases" if report.case_count else "not measured"
    else:
        grading = report.grading
        reads = report.overall if grading is None or grading.reads is None else grading.reads
        fpr, fnr = reads.fpr.high, reads.fnr.high
        author = " by its author" if grading is not None and grading.is_hollow else ""
        parts = [f"{report.grade}{author}", f"FPR ≤ {percent(fpr)}", f"FNR ≤ {percent(fnr)}", _rests_on(report)]
        text = " · ".join(filter(None, parts))  # SVG draws two spaces as one
    is_hollow = report.grading is not None and report.grading.is_hollow
    needs = report.grading.missing[:1] if report.grading is not None and report.grade is Grade.UNMEASURED else []
    return _draw(
        text, ". ".join([f"{report.subject}: {text}", *needs]), _HOLLOW if is_hollow else _COLOURS[report.grade]
    )


def _rests_on(report: AuditReport) -> str:
    """``900 of suites, 300 held``: the judged cases of each origin that the letter is computed from, most first."""
    is_hollow = report.grading is not None and report.grading.is_hollow
    words = _ORIGINS | ({Origin.AUTHOR: "of its author"} if is_hollow or report.grading is None else {})
    found = {words[origin]: report.slices.get(f"origin:{origin}") for origin in words}
    counts = {word: one.tp + one.fp + one.tn + one.fn for word, one in found.items() if one is not None}
    told = [f"{count:,} {word}" for word, count in sorted(counts.items(), key=lambda pair: -pair[1]) if count]
    return ", ".join(told)


def render_unmeasured_badge() -> str:
    """``verifier | not measured``, for a release without a report."""
    return _draw("not measured", "not measured yet", _COLOURS[Grade.UNMEASURED])


def _draw(text: str, title: str, colour: str) -> str:
    left, right = _width("verifier"), _width(text)
    title = escape(title, {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<rect width="{left}" height="20" fill="#33373d"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">verifier</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(text)}</text>'
        "</g></svg>\n"
    )


def _width(text: str) -> int:
    return round(len(text) * _CHARACTER) + _PADDING
