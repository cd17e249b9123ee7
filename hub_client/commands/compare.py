"""``verihub compare``: two verifiers for the same tasks, where they agree and where they part."""

import time
from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.session import Session, open_session
from hub_client.comparing import compare_verifiers
from hub_client.errors import CheckFailedError, HubUnreachableError, UsageError
from hub_client.requests import comparisons
from schemas.audit import AuditCase
from schemas.comparison import Disagreement, VerifierComparison
from schemas.package_data import case_rows
from schemas.rows import RowsError
from schemas.wheel_error import WheelError

_SHOWN = 10
_POLL_SECONDS = 0.5
_WORDS = {True: "accepted", False: "rejected", None: "not judged"}


def compare(
    left: Annotated[str, typer.Argument(metavar="LEFT", help="A folder, or OWNER/NAME[@…].")],
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="A folder, or OWNER/NAME[@…].")],
    cases: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Compare on these cases instead of both packages' own.")
    ] = None,
    probes: Annotated[bool, typer.Option(help="Also on generated cases, made from the labelled ones.")] = True,
    on_hub: Annotated[bool, typer.Option("--on-hub", help="Let the hub run it, and keep the result there.")] = False,
    wait_seconds: Annotated[float, typer.Option(help="With --on-hub: give up waiting after so long.")] = 600.0,
) -> None:
    """Compare two verifiers: agreement, the cases on which they part, and how far their rewards are apart."""
    given = _read_cases(cases) if cases is not None else None
    if on_hub and (given is not None or not probes):
        raise UsageError("--on-hub compares on what the hub has: leave out --cases and --no-probes")
    with open_session() as session:
        if on_hub:
            found = _compare_there(session, left, right, wait_seconds)
        else:
            first, second = session.hub.verifier(left), session.hub.verifier(right)
            found = compare_verifiers(first, second, session.hub.runner(), given, probes=probes)
        quiet = "" if found.agreement.value is None else f"{found.agreement.value:.4f}"
        session.output.result(found, human=_text(found), quiet=quiet)


def _read_cases(file: Path) -> list[AuditCase]:
    try:
        return list(case_rows(file.read_bytes(), str(file)))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except (WheelError, RowsError) as error:
        raise CheckFailedError(str(error)) from None


def _compare_there(session: Session, left: str, right: str, wait_seconds: float) -> VerifierComparison:
    record = session.hub.send(comparisons.request_comparison(left, right))
    deadline = time.monotonic() + wait_seconds
    with session.output.progress(f"comparing {record.left} and {record.right}"):
        while record.state in ("queued", "running"):
            if time.monotonic() > deadline:
                raise HubUnreachableError(
                    f"comparison {record.id} is not finished: is a worker running? Ask again later, it is kept"
                )
            time.sleep(_POLL_SECONDS)
            record = session.hub.send(comparisons.get_comparison(record.id))
    if record.result is None:
        raise CheckFailedError(f"the hub could not compare them: {record.error}")
    return record.result


def _text(found: VerifierComparison) -> str:
    agreement, distance = found.agreement, found.distance
    asked = f"{found.case_count} cases ({found.probe_count} generated), {found.judged} judged by both"
    lines = [f"{found.first} and {found.second}: {asked}"]
    if agreement.value is None:
        lines.append("  agreement  unknown: no case was judged by both")
    else:
        ends = f"{agreement.low * 100:.1f}–{agreement.high * 100:.1f}"
        kappa = "" if found.kappa is None else f", kappa {found.kappa:.2f}"
        lines.append(f"  agreement  {agreement.value * 100:.1f} % ({ends}){kappa}")
    if distance is None:
        lines.append("  distance   unknown: too few tasks have two judged responses")
    else:
        lines.append(f"  distance   {distance.value:.3f} ({distance.low:.3f}–{distance.high:.3f}) of 1")
    lines += [f"  {key.replace('/', ' / '):<22} {count}" for key, count in found.counts.items()]
    lines += [_line(one) for one in found.disagreements[:_SHOWN]]
    if found.disagreement_count > _SHOWN:
        lines.append(f"  … and {found.disagreement_count - _SHOWN} more: --format json lists them")
    return "\n".join(lines)


def _line(one: Disagreement) -> str:
    response = " ".join((one.response or "").split())[:60]
    side = {"first": "the first is right", "second": "the second is right", "neither": "neither is right"}
    return f"  {one.case}: {_WORDS[one.first]} / {_WORDS[one.second]}, {side[one.sides_with]}: {response!r}"
