"""``verihub check``: what a hub would refuse, what the package's own cases say, what changed since a release."""

import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from packaging.version import Version

from hub_client.audits.comparison import Flip, community_cases_if_reachable, replay_cases
from hub_client.audits.plan import plan_audit
from hub_client.client import parse_reference, project_folder
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.judge_model import JudgeModelOption, refuse_without_model
from hub_client.environments import Verifier
from hub_client.errors import CheckFailedError, HubUnreachableError, NotFoundError, PolicyError, SandboxMissingError
from hub_client.execution.smoke_test import has_parts_to_run, smoke_test
from hub_client.packaging.pack import open_wheel, pack
from hub_client.packaging.source_check import source_faults, source_remarks
from hub_client.releases.resolve import LoadedPackage
from schemas.evidence.audit import AuditReport, Failure
from schemas.kinds import PackageKind
from schemas.manifest import Manifest
from schemas.wheels.archive import LIMITS
from schemas.wording import counted

_SHOWN = 10  # chosen: a screen has room for the rest of the report


@dataclass
class _Findings:
    """All findings, in the order in which they were made."""

    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    flips: list[Flip] = field(default_factory=list)
    report: AuditReport | None = None
    not_run: SandboxMissingError | None = None


def check(
    target: Annotated[
        Path, typer.Argument(metavar="FOLDER|WHEEL", help="A project, or a wheel that is built already.")
    ] = Path(),
    against: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME[@VERSION]", help="List verdicts that differ from this release's.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if a verdict on one of the package's own cases is wrong.")
    ] = False,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Run the package's cases.")] = True,
    judge_model: JudgeModelOption = None,
) -> None:
    """Find out what a hub would refuse; run the package's own cases; list verdicts that changed since a release.

    \b
    Examples:
      verihub check
      verihub check ./final-number --against alice/final-number
      verihub check --no-run dist/alice_final_number-0.1.0-py3-none-any.whl
    """
    with open_context(judge_model=judge_model) as context:
        package = _load(context, target)
        found = _Findings(faults=source_faults(package.contents), remarks=_remarks(package))
        _ask_for_named(context, package.contents.manifest, found)
        if run and not found.faults and has_parts_to_run(package):
            _run(context, package, against, found, strict=strict)
        elif against:
            found.remarks.append("--against was not checked: fix the faults above first")
        _print(context, package, found)
        if found.faults:
            raise CheckFailedError(
                f"{package.reference} is not fit to be published: {counted(len(found.faults), 'fault')}"
            )
        if found.not_run is not None:
            raise SandboxMissingError(f"nothing was run: {found.not_run}\n  `--no-run` checks the format alone")


def _load(context: CommandContext, target: Path) -> LoadedPackage:
    cache = context.hub.cache
    if target.suffix == ".whl":
        packed = open_wheel(target)
    else:
        folder = project_folder(target)
        if folder is None:
            raise NotFoundError(f"{target} is neither a project folder nor a wheel")
        packed = pack(folder, cache, trust_build=context.settings.trust_build)
    path = cache.find_wheel(packed.digest) or cache.add_wheel(packed.digest, packed.file_name, [packed.data])
    manifest = packed.contents.manifest
    return LoadedPackage(manifest.id, packed.contents.metadata.version, packed.digest, path, packed.contents)


def _remarks(package: LoadedPackage) -> list[str]:
    """What is allowed but could be better."""
    contents = package.contents
    remarks = []
    if not contents.readme.strip():
        remarks.append("no README: readers decide by it")
    if contents.manifest.verifier and not contents.manifest.foreign_verifier and not contents.manifest.audit:
        remarks.append("verihub.toml names no audit cases: nothing can be measured, so the verifier gets no grade")
    remarks += source_remarks(contents)
    large = [path for path, data in contents.files.items() if len(data) > LIMITS.file_bytes]
    if large:
        remarks.append(
            f"{', '.join(large)}: over {LIMITS.file_bytes // 2**20} MiB, which a hub refuses unless its operator "
            "allows more: split it, or generate tasks with a function"
        )
    return remarks


def _ask_for_named(context: CommandContext, manifest: Manifest, found: _Findings) -> None:
    """Check that the packages that the manifest names are on the hub.

    A hub that does not answer is not the package's fault.
    """
    for key, reference in manifest.references:
        try:
            release = context.hub.resolver.resolve(reference)
        except (NotFoundError, PolicyError) as error:
            found.faults.append(f"verihub.toml: {key}: {error}")
        except HubUnreachableError as error:
            found.remarks.append(f"whether the hub has what verihub.toml names was not checked: {error}")
            return
        else:
            wanted = {"environments": PackageKind.ENVIRONMENT, "harnesses": PackageKind.HARNESS}.get(key)
            if wanted is not None and release.manifest.kind is not wanted:
                kind = release.manifest.kind.with_article
                found.faults.append(f"verihub.toml: {key}: {reference} is {kind}, not {wanted.with_article}")
            further = release.manifest.foreign_verifier
            if key == "verifier" and further is not None:
                found.faults.append(f"verihub.toml: {key}: {reference} is judged by {further} itself: name that one")


def _run(
    context: CommandContext, package: LoadedPackage, against: str | None, found: _Findings, *, strict: bool
) -> None:
    """Run each part of the package once, then its cases."""
    try:
        runner = context.hub.runner()
        parts = smoke_test(package, runner)
        found.faults += parts.faults
        found.remarks += parts.remarks
        if package.contents.manifest.verifier is None:
            return
        verifier = context.hub.verifier_of(package)
        refuse_without_model(context, verifier)
        try:
            plan = plan_audit(verifier, runner, probes=False)
            with context.output.progress("running the package's cases") as advance:
                found.report = runner.audit(plan, advance)
        except CheckFailedError as error:
            found.faults.append(f"{error}{_advice(str(error))}")
            return
        _judge_report(found, strict=strict)
        if against is not None:
            _compare(context, verifier, against, found)
    except SandboxMissingError as error:
        found.not_run = error


def _judge_report(found: _Findings, *, strict: bool) -> None:
    """An own case that could not be judged is a fault. A wrong verdict is a fault only with --strict."""
    report = found.report
    assert report is not None
    unscored = [failure for failure in report.failures if failure.kind == "unscored"]
    wrong = [failure for failure in report.failures if failure.kind != "unscored"]
    for cause, cases in _by_cause(unscored).items():
        found.faults.append(f"{_cases(cases)} could not be judged: {cause}{_advice(cause)}")
    told = found.faults if strict else found.remarks
    for failure in wrong[:_SHOWN]:
        said = "accepted, and must be rejected" if failure.kind == "fp" else "rejected, and must be accepted"
        told.append(f"case {failure.case}: {said}")
    if len(wrong) > _SHOWN:
        told.append(f"… and {len(wrong) - _SHOWN} more wrong verdicts: `verihub audit` lists them")


def _by_cause(failures: list[Failure]) -> dict[str, list[str]]:
    """Cause -> cases, so that an author sees each cause once."""
    causes: dict[str, list[str]] = {}
    for failure in failures:
        causes.setdefault(failure.error or "no reason given", []).append(failure.case)
    return causes


def _cases(names: list[str]) -> str:
    if len(names) == 1:
        return f"case {names[0]}"
    return f"{counted(len(names), 'case')} ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"


def _advice(cause: str) -> str:
    missing = re.search(r"No module named '([\w.]+)'", cause)
    if missing:
        return f" (add what brings {missing[1]} to [project] dependencies in pyproject.toml)"
    if re.search(r"URLError|gaierror|ConnectionError|Network is unreachable|name resolution", cause):
        return " (a box has no network: put what it would fetch into the package)"
    return ""


def _compare(context: CommandContext, new: Verifier, against: str, found: _Findings) -> None:
    """A changed verdict on a fixed case needs a new major version. A counter-example that was fixed must stay fixed."""
    old = context.hub.verifier(str(parse_reference(against)))
    community = community_cases_if_reachable(context.hub, old.package.package)
    if community is None:
        found.remarks.append("no hub answers, so the community's cases were not replayed")
    replay = replay_cases(old, new, context.hub.runner(), community or [])
    found.flips = replay.flips
    found.remarks.append(
        f"replayed {counted(replay.replayed, 'stored case')} of {old.package.reference}"
        f"{f', {replay.community} of them the community’s' if replay.community else ''}: "
        f"{counted(len(found.flips), 'verdict differs', 'verdicts differ')}"
    )
    if generators := old.package.contents.manifest.case_generators:
        found.remarks.append(f"not replayed: the cases that {', '.join(map(str, generators))} makes")
    if replay.held_back_by:
        named = ", ".join(replay.held_back_by[:5])
        found.faults.append(
            f"{len(replay.held_back_by)} counter-examples that an earlier release got right are wrong again, so the "
            f"hub would hold this release back from @latest: {named}"
        )
    older, newer = Version(old.package.version), Version(new.package.version)
    if found.flips and newer.major <= older.major:
        found.faults.append(
            f"{len(found.flips)} verdicts on fixed cases differ from {old.package.reference}, so rewards cannot be "
            f"compared any more: this needs version {older.major + 1}.0.0, not {newer}"
        )


def _print(context: CommandContext, package: LoadedPackage, found: _Findings) -> None:
    data: dict[str, Any] = {
        "id": package.package,
        "version": package.version,
        "digest": package.digest,
        "faults": found.faults,
        "remarks": found.remarks,
        "flips": [asdict(flip) for flip in found.flips],
        "audit": found.report,
        "not_run": str(found.not_run) if found.not_run else None,
    }
    lines = [f"{package.reference}  {package.digest}"]
    if found.report is not None:
        wrong = len(found.report.failures)
        lines.append(f"  own cases: {found.report.case_count - wrong} of {found.report.case_count} as labelled")
    lines += [f"  remark: {remark}" for remark in found.remarks]
    lines += [_flip_line(flip) for flip in found.flips[:_SHOWN]]
    if len(found.flips) > _SHOWN:
        lines.append(f"  … and {len(found.flips) - _SHOWN} more verdicts: --format json lists them")
    lines += [f"  FAULT: {fault}" for fault in found.faults]
    lines += [] if found.faults or found.not_run else ["  fit to be published"]
    context.output.result(data, human="\n".join(lines), quiet="" if found.faults else package.digest)


def _flip_line(flip: Flip) -> str:
    becomes = {"right": ", now right", "wrong": ", now WRONG", "unjudged": ", not judged any more", "same": ""}
    return f"  {flip.case}: {flip.reward} {_value(flip.old)} -> {_value(flip.new)}{becomes[flip.becomes]}"


def _value(value: float | None) -> str:
    return "not judged" if value is None else f"{value:g}"
