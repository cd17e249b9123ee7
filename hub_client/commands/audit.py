"""``verihub audit``: a verifier's rates, measured here or read from the hub, and who signed them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.audits.plan import plan_audit
from hub_client.audits.report_files import parse_report, read_report, report_files, signer_of
from hub_client.audits.suite_cases import of_all_suites
from hub_client.client import parse_reference
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.judge_model import JudgeModelOption, refuse_without_model
from hub_client.errors import CheckFailedError, IntegrityError, NotFoundError, UsageError
from hub_client.files import write_atomically
from hub_client.transport.requests import audits
from sandbox.audit.report import report_digest
from sandbox.audit.report_text import render_terminal
from schemas.evidence.audit import AuditReport
from schemas.evidence.rates import Grade
from schemas.journal.signing_keys import SigningKey
from schemas.manifest import Isolation
from schemas.package import Release


def audit(  # noqa: PLR0913, PLR0917 -- a command's options, always given by name
    target: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|OWNER/NAME[@VERSION]|REPORT.json",
            help="A project folder, a package of the hub, or (with --verify) a report.",
        ),
    ],
    repeats: Annotated[
        int, typer.Option(min=1, max=20, help="Run every case N times, to see whether verdicts repeat.")
    ] = 2,
    probes: Annotated[bool, typer.Option(help="Also judge generated cases whose label is certain.")] = True,
    probe_seed: Annotated[
        str | None,
        typer.Option(
            metavar="SEED", help="Draw the probes by this seed. A hub shows an audit's once a later release exists."
        ),
    ] = None,
    suites: Annotated[
        list[str] | None,
        typer.Option(
            "--suite",
            metavar="FOLDER|OWNER/NAME[@VERSION]",
            help="Also judge the cases of this suite, as a hub would. May be repeated.",
        ),
    ] = None,
    isolation: Annotated[
        Isolation | None, typer.Option(help="Isolate cases more strictly than the package asks for.")
    ] = None,
    stored: Annotated[bool, typer.Option("--stored", help="Read the hub's newest report; measure nothing.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check that the hub signed this report, or file, exactly as it is.")
    ] = False,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the report as Markdown.")] = None,
    openenv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write it as an OpenEnv validation report (RFC 008).")
    ] = None,
    badge: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write it as a badge, an SVG image.")] = None,
    report_file: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Also write it as JSON; with --stored, signed by the hub."),
    ] = None,
    fail_below: Annotated[
        str | None, typer.Option(metavar="A|B|C|D", help="Exit with 6 when the grade is worse than this.")
    ] = None,
    judge_model: JudgeModelOption = None,
) -> None:
    """Measure a verifier's false positives and false negatives on its labelled cases and on probes.

    \b
    Examples:
      verihub audit .
      verihub audit lecture/gsm8k --repeats 3 --markdown report.md
      verihub audit . --suite suites/short-number
      verihub audit lecture/gsm8k --stored --fail-below B
    """
    wanted = _grade(fail_below)
    files = {"markdown": markdown, "openenv": openenv, "badge": badge, "report": report_file}
    _refuse_unwritable(files)
    if suites and (verify or stored):
        raise UsageError("--suite is measured here: leave out --stored and --verify")
    with open_context(judge_model=judge_model) as context:
        if verify:
            report = _verified(context, target)
        elif stored:
            report = AuditReport.read(_stored(context, target)[1])
        else:
            options = {"repeats": repeats, "probes": probes, "isolation": isolation, "probe_seed": probe_seed}
            report = _measured(context, target, suites or [], options)
        _write(report, files)
        if not verify:
            context.output.result(report, human=render_terminal(report), quiet=report.grade)
        if wanted is not None and not is_at_least(report.grade, wanted):
            raise CheckFailedError(f"{report.subject} has grade {report.grade}; {wanted} or better was asked for")


def _measured(context: CommandContext, target: str, suites: Sequence[str], options: dict[str, Any]) -> AuditReport:
    """Run the audit, on this machine or on the hub."""
    verifier = context.hub.verifier(target)
    refuse_without_model(context, verifier)
    runner = context.hub.runner()
    of_suites = of_all_suites(context.hub, verifier, suites)
    plan = plan_audit(verifier, runner, cases=[*verifier.package.contents.cases(), *of_suites], **options)
    if not plan.cases:
        context.output.warn(f"{plan.subject} brings no labelled cases: only what needs none can be measured")
    with context.output.progress(f"auditing {plan.subject}") as advance:
        return runner.audit(plan, advance)


def _stored(context: CommandContext, target: str) -> tuple[Release, dict[str, Any]]:
    """The release that a reference means, and the hub's newest report of it as it was signed."""
    release = context.hub.resolver.resolve(parse_reference(target), any_age=True)
    records = context.hub.send(audits.list_audits(release.package, release.version)).items
    done = next((record for record in records if record.report is not None), None)
    if done is None:
        raise NotFoundError(
            f"{release.package} {release.version} was not measured by {context.settings.url} yet: try again later, or "
            "measure it here, without --stored"
        )
    return release, context.hub.send(audits.signed_report(done.id))


def _verified(context: CommandContext, target: str) -> AuditReport:
    """Check a report and print who signed it. Raises :class:`IntegrityError` when it is unsigned or was changed."""
    release: Release | None = None
    if target.endswith(".json"):
        data = read_report(Path(target))
    else:
        release, data = _stored(context, target)
    report = parse_report(data)
    key = _known_key(context, _signer(data, report)[0])
    if release is not None and (report.digest, report.subject) != (
        release.digest,
        f"{release.package}@{release.version}",
    ):
        raise IntegrityError(
            f"the report is about {report.subject} {report.digest}, not of {release.package}@{release.version} "
            f"{release.digest}: do not trust its figures"
        )
    said = {
        "subject": report.subject,
        "grade": report.grade,
        "signed_by": context.settings.url,
        "key_id": key.id,
        "is_current_key": key.is_current,
        "report_digest": report_digest(report),
        "digest": report.digest,
        "suite_digest": report.suite_digest,
        "image_digest": report.image_digest,
        "runner_version": report.runner_version,
    }
    human = [f"{report.subject}: grade {report.grade}, signed by {context.settings.url} with key {key.id}"]
    human += [f"  {name.removesuffix('_digest'):<8} {said[name]}" for name in _SHOWN_DIGESTS]
    context.output.result(said, human="\n".join(human), quiet=key.id)
    return report


_SHOWN_DIGESTS = ("digest", "suite_digest", "image_digest", "report_digest")


def _signer(data: dict[str, Any], report: AuditReport) -> tuple[str, str]:
    """Who signed the report: checked on the exact JSON, or on the parsed report when it was written out in full."""
    try:
        return signer_of(data)
    except IntegrityError:
        return signer_of(report)


def _known_key(context: CommandContext, key_id: str) -> SigningKey:
    for key in context.hub.send(audits.list_keys()).items:
        if key.id == key_id:
            return key
    raise IntegrityError(f"the report is sound, but key {key_id} is none of {context.settings.url}: ask who made it")


def _refuse_unwritable(wanted: dict[str, Path | None]) -> None:
    """Refuse report files that cannot be written before the audit, which may take minutes."""
    for name, path in wanted.items():
        if path is not None and not path.parent.is_dir():
            raise NotFoundError(f"--{name}: there is no folder {path.parent} to write {path.name} into")
        if path is not None and path.is_dir():
            raise UsageError(f"--{name}: {path} is a folder: name a file")


def _write(report: AuditReport, wanted: dict[str, Path | None]) -> None:
    """Write each requested shape. Files are written whole or not at all."""
    if any(wanted.values()):
        made = report_files(report)
        for name, path in wanted.items():
            if path is not None:
                write_atomically(path, made[name])


def _grade(text: str | None) -> Grade | None:
    if text is None:
        return None
    if text.upper() not in ("A", "B", "C", "D"):
        raise UsageError(f"--fail-below takes A, B, C or D, not {text!r}")
    return Grade(text.upper())


def is_at_least(grade: Grade, wanted: Grade) -> bool:
    """Grades in order, best first. Unmeasured is below all of them."""
    order = list(Grade)
    return order.index(grade) <= order.index(wanted)
