"""``verihub audit``: a verifier's rates, measured here or read from the hub."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.session import open_session
from hub_client.errors import CheckFailedError, UsageError
from hub_client.execution import render_report, render_report_markdown
from hub_client.measuring import plan_audit
from hub_client.packing import write_atomically
from schemas.audit import Grade
from schemas.manifest import Isolation


def audit(
    target: Annotated[str, typer.Argument(metavar="FOLDER|OWNER/NAME[@…]")],
    repeats: Annotated[
        int, typer.Option(min=1, max=20, help="Run every case so often, to see whether verdicts hold.")
    ] = 1,
    probes: Annotated[bool, typer.Option(help="Generated cases whose label is certain.")] = True,
    isolation: Annotated[Isolation | None, typer.Option(help="Raise the package's own level.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the report here, as Markdown.")] = None,
    fail_below: Annotated[str | None, typer.Option(metavar="A|B|C|D", help="Exit 6 when the grade is worse.")] = None,
) -> None:
    """Measure a verifier's false positives and false negatives on its labelled cases and on probes."""
    wanted = _grade(fail_below)
    with open_session() as session:
        verifier = session.hub.verifier(target)
        runner = session.hub.runner()
        plan = plan_audit(verifier, runner, repeats=repeats, probes=probes, isolation=isolation)
        if not plan.cases:
            session.output.warn(f"{plan.subject} brings no labelled cases: only what needs none can be measured")
        with session.output.progress(f"auditing {plan.subject}") as advance:
            report = runner.audit(plan, advance)
        if markdown is not None:
            write_atomically(markdown, render_report_markdown(report).encode())
        session.output.result(report, human=render_report(report), quiet=report.grade)
        if wanted is not None and not is_at_least(report.grade, wanted):
            raise CheckFailedError(f"{plan.subject} has grade {report.grade}; {wanted} or better was asked for")


def _grade(text: str | None) -> Grade | None:
    if text is None:
        return None
    if text.upper() not in ("A", "B", "C", "D"):
        raise UsageError(f"--fail-below takes A, B, C or D, not {text!r}")
    return Grade(text.upper())


def is_at_least(grade: Grade, wanted: Grade) -> bool:
    """Grades in order, best first; unmeasured is below all."""
    order = list(Grade)
    return order.index(grade) <= order.index(wanted)
