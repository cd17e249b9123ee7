"""``verihub check``: what a hub would refuse, what the package's own cases say, what changed since a release."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from packaging.version import Version

from hub_client.client import parse_reference, project_folder
from hub_client.commands.session import Session, open_session
from hub_client.comparing import Flip, community_suite_if_reachable, replay_cases
from hub_client.environments import Verifier
from hub_client.errors import CheckFailedError, NotFoundError, SandboxMissingError
from hub_client.measuring import plan_audit
from hub_client.packing import open_wheel, pack
from hub_client.rehearsing import rehearse
from hub_client.resolving import LoadedPackage
from hub_client.source_checking import source_faults
from schemas.audit import AuditReport

_SHOWN = 10


@dataclass
class _Findings:
    """What was found, in the order of looking."""

    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    flips: list[Flip] = field(default_factory=list)
    report: AuditReport | None = None


def check(
    target: Annotated[Path, typer.Argument(metavar="FOLDER|WHEEL")] = Path(),
    against: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME[@…]", help="List verdicts that differ from this release's.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="A wrong verdict on an own case fails the check.")] = False,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Run the package's cases.")] = True,
) -> None:
    """Find out what a hub would refuse; run the package's own cases; list verdicts that changed since a release."""
    with open_session() as session:
        package = _load(session, target)
        found = _Findings(faults=source_faults(package.contents), remarks=_remarks(package))
        if run and not found.faults:
            _run(session, package, against, found, strict=strict)
        elif against:
            found.remarks.append("--against was not looked at: mend the faults above first")
        _print(session, package, found)
        if found.faults:
            raise CheckFailedError(f"{package.reference} is not fit to be published: {len(found.faults)} fault(s)")


def _load(session: Session, target: Path) -> LoadedPackage:
    cache = session.hub.cache
    if target.suffix == ".whl":
        packed = open_wheel(target)
    else:
        folder = project_folder(target)
        if folder is None:
            raise NotFoundError(f"{target} is neither a project folder nor a wheel")
        packed = pack(folder, cache)
    path = cache.find_wheel(packed.digest) or cache.add_wheel(packed.digest, packed.file_name, [packed.data])
    manifest = packed.contents.manifest
    return LoadedPackage(manifest.id, packed.contents.metadata.version, packed.digest, path, packed.contents)


def _remarks(package: LoadedPackage) -> list[str]:
    """What is allowed and still a pity."""
    contents = package.contents
    remarks = []
    if not contents.readme.strip():
        remarks.append("no README: readers decide by it")
    if contents.manifest.verifier and not contents.manifest.foreign_verifier and not contents.cases():
        remarks.append("no audit cases: the page will say that nobody measured this verifier")
    return remarks


def _run(session: Session, package: LoadedPackage, against: str | None, found: _Findings, *, strict: bool) -> None:
    """Whatever the package can do is done once; then its cases."""
    try:
        runner = session.hub.runner()
        found.faults += rehearse(package, runner)
        if package.contents.manifest.verifier is None:
            return
        verifier = session.hub.verifier_of(package)
        plan = plan_audit(verifier, runner, probes=False)
        with session.output.progress(f"running {len(plan.cases)} cases") as advance:
            found.report = runner.audit(plan, advance)
        _judge_report(found, strict=strict)
        if against is not None:
            _compare(session, verifier, against, found)
    except SandboxMissingError as error:
        found.remarks.append(f"nothing was run: {error}")
        if against is not None:
            raise


def _judge_report(found: _Findings, *, strict: bool) -> None:
    """An own case that could not be judged is a fault; a wrong verdict is one only under --strict."""
    report = found.report
    assert report is not None
    unscored = [failure for failure in report.failures if failure.kind == "unscored"]
    wrong = [failure for failure in report.failures if failure.kind != "unscored"]
    for failure in unscored[:_SHOWN]:
        found.faults.append(f"case {failure.case}: could not be judged: {failure.error or 'no reason given'}")
    if len(unscored) > _SHOWN:
        found.faults.append(f"… and {len(unscored) - _SHOWN} more cases that could not be judged")
    told = found.faults if strict else found.remarks
    for failure in wrong[:_SHOWN]:
        said = "accepted, and must be rejected" if failure.kind == "fp" else "rejected, and must be accepted"
        told.append(f"case {failure.case}: {said}")
    if len(wrong) > _SHOWN:
        told.append(f"… and {len(wrong) - _SHOWN} more wrong verdicts: `verihub audit` lists them")


def _compare(session: Session, new: Verifier, against: str, found: _Findings) -> None:
    """A changed verdict on a fixed case wants a new major version, and one that the community fixed must stay so."""
    old = session.hub.verifier(str(parse_reference(against)))
    community = community_suite_if_reachable(session.hub, old.package.package)
    if community is None:
        found.remarks.append("no hub answers, so the community's cases were not replayed")
    replay = replay_cases(old, new, session.hub.runner(), community or [])
    found.flips = replay.flips
    found.remarks.append(
        f"replayed {replay.replayed} cases of {old.package.reference}"
        f"{f', {replay.community} of them the community’s' if replay.community else ''}: "
        f"{len(found.flips)} verdicts differ"
    )
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


def _print(session: Session, package: LoadedPackage, found: _Findings) -> None:
    data: dict[str, Any] = {
        "id": package.package,
        "version": package.version,
        "digest": package.digest,
        "faults": found.faults,
        "remarks": found.remarks,
        "flips": [asdict(flip) for flip in found.flips],
        "audit": found.report,
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
    lines += [] if found.faults else ["  fit to be published"]
    session.output.result(data, human="\n".join(lines), quiet="" if found.faults else package.digest)


def _flip_line(flip: Flip) -> str:
    becomes = {"right": ", now right", "wrong": ", now WRONG", "unjudged": ", not judged any more", "same": ""}
    return f"  {flip.case}: {flip.reward} {_value(flip.old)} -> {_value(flip.new)}{becomes[flip.becomes]}"


def _value(value: float | None) -> str:
    return "not judged" if value is None else f"{value:g}"
