"""``verihub compare``: two verifiers for the same tasks, where they agree and where they differ."""

import time
from pathlib import Path
from typing import Annotated

import typer

from hub_client.audits.comparison import compare_verifiers
from hub_client.commands.case_file import read_cases
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.judge_model import JudgeModelOption, refuse_without_model
from hub_client.errors import CheckFailedError, HubUnreachableError, UsageError
from hub_client.transport.requests import comparisons
from schemas.comparison import Disagreement, VerifierComparison
from schemas.verdict_pairs import verdict_word, words_of_pair
from schemas.wording import counted

_SHOWN = 10
_POLL_SECONDS = 0.5


def compare(  # noqa: PLR0917 -- a command's options, always given by name
    left: Annotated[str, typer.Argument(metavar="LEFT", help="A folder, or OWNER/NAME[@VERSION].")],
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="A folder, or OWNER/NAME[@VERSION].")],
    cases: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Compare on these cases instead of both packages' own.")
    ] = None,
    probes: Annotated[bool, typer.Option(help="Compare also on cases generated from the labelled ones.")] = True,
    on_hub: Annotated[bool, typer.Option("--on-hub", help="Let the hub run it, and keep the result there.")] = False,
    wait_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="With --on-hub: give up waiting after so long.")
    ] = 600.0,
    judge_model: JudgeModelOption = None,
) -> None:
    """Compare two verifiers: agreement, the cases on which they differ, and how far their rewards are apart.

    \b
    Examples:
      verihub compare ./final-number lecture/math-answer
      verihub compare lecture/math-answer lecture/math-verify --on-hub
    """
    given = read_cases(cases) if cases is not None else None
    if on_hub and (given is not None or not probes):
        raise UsageError("--on-hub compares on what the hub has: leave out --cases and --no-probes")
    with open_context(judge_model=judge_model) as context:
        if on_hub:
            found = _compare_there(context, left, right, wait_seconds)
        else:
            first, second = context.hub.verifier(left), context.hub.verifier(right)
            for verifier in (first, second):
                refuse_without_model(context, verifier)
            found = compare_verifiers(first, second, context.hub.runner(), given, probes=probes)
        quiet = "" if found.agreement.value is None else f"{found.agreement.value:.4f}"
        context.output.result(found, human=comparison_text(found), quiet=quiet)


def _compare_there(context: CommandContext, left: str, right: str, wait_seconds: float) -> VerifierComparison:
    record = context.hub.send(comparisons.request_comparison(left, right))
    deadline = time.monotonic() + wait_seconds
    with context.output.progress(f"comparing {record.left} and {record.right}"):
        while record.state in ("queued", "running"):
            if time.monotonic() > deadline:
                raise HubUnreachableError(
                    f"comparison {record.id} is not finished: ask again later, the hub keeps it. "
                    "If it never ends, ask the operator whether a worker runs"
                )
            time.sleep(_POLL_SECONDS)
            record = context.hub.send(comparisons.get_comparison(record.id))
    if record.result is None:
        raise CheckFailedError(f"the hub could not compare them: {record.error}")
    return record.result


def comparison_text(found: VerifierComparison) -> str:
    """A comparison for people: each figure, and what it means."""
    cases = f"{counted(found.case_count, 'case')} ({found.probe_count} generated), {found.judged} judged by both"
    lines = [f"first   {found.first}", f"second  {found.second}", f"        {cases}", ""]
    lines += [*_agreement_lines(found), *_distance_lines(found), ""]
    lines += ["cases by verdict: the first's / the second's"]
    lines += [f"  {' / '.join(words_of_pair(pair)):<26} {count}" for pair, count in found.counts.items()]
    shown = found.disagreements[:_SHOWN]
    if shown:
        lines += ["", "cases on which they differ", *(_line(one) for one in shown)]
    if found.disagreement_count > len(shown):
        lines.append(f"  … and {found.disagreement_count - len(shown)} more: --format json lists them")
    return "\n".join(lines)


def _agreement_lines(found: VerifierComparison) -> list[str]:
    agreement = found.agreement
    if agreement.value is None:
        return ["same verdict      unknown: no case was judged by both"]
    ends = f"{agreement.low * 100:.1f}–{agreement.high * 100:.1f}"
    lines = [f"same verdict      {agreement.value * 100:.1f} % ({ends}) of the cases that both judged"]
    if found.kappa is not None:
        meaning = "Cohen's kappa: 1 = always the same, 0 = as often as by chance"
        lines.append(f"beyond chance     {found.kappa:.2f} ({meaning})")
    return lines


def _distance_lines(found: VerifierComparison) -> list[str]:
    distance = found.distance
    if distance is None:
        return ["reward distance   unknown: too few tasks have two responses that both judged"]
    ends = f"{distance.low:.3f}–{distance.high:.3f}"
    meaning = "0 = the same order of the responses to each task, 1 = the opposite order"
    return [f"reward distance   {distance.value:.3f} ({ends}; {meaning})"]


def _line(one: Disagreement) -> str:
    response = " ".join((one.response or "").split())[:60]
    sides = {"first": "the first", "second": "the second", "neither": "neither"}
    verdicts = f"{verdict_word(one.first)} / {verdict_word(one.second)}"
    return f"  {one.case}: {verdicts}; by the case's label {sides[one.sides_with]} is right: {response!r}"
