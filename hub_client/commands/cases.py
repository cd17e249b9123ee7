"""``verihub cases``: counter-examples against a verifier."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import typer
from pydantic import ValidationError

from hub_client.client import parse_reference
from hub_client.commands import case_disputes, case_labels
from hub_client.commands.case_file import read_cases
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.confirmation import require_yes
from hub_client.commands.group import subcommands
from hub_client.commands.score import load_with_task, read_json, read_text
from hub_client.errors import ConflictError, HubUnreachableError, UsageError
from hub_client.terminal.output import table
from hub_client.transport.pages import all_items
from hub_client.transport.requests import audits, runs
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.counter_examples import CaseState, CounterExample
from schemas.names import Reference
from schemas.package import Release
from schemas.problem import ProblemCode
from schemas.run import RolloutRow
from schemas.verdict import Verdict
from schemas.wording import counted

_POLL_SECONDS = 0.5  # chosen, not measured

app = subcommands(
    "Counter-examples and wrong labels of suites: submit, report, list, show, label, second, dispute, withdraw, settle."
)


@app.command()
def add(  # noqa: PLR0913, PLR0917 -- a command's options, always given by name
    reference: Annotated[
        str, typer.Argument(metavar="OWNER/NAME[@VERSION]", help="The package whose verifier is wrong.")
    ],
    task: Annotated[
        str | None, typer.Option(metavar="JSON|@FILE|ID", help="The task, or the id of one of the package's.")
    ] = None,
    label: Annotated[
        Label | None, typer.Option(help="The right verdict. With --run it may be left out on a terminal, which asks.")
    ] = None,
    response: Annotated[str | None, typer.Option(help="What the model said; - reads it from stdin.")] = None,
    messages: Annotated[
        str | None, typer.Option(metavar="JSON|@FILE", help="A conversation, in place of --response.")
    ] = None,
    expect: Annotated[str | None, typer.Option(metavar="JSON", help='Single rewards: {"correct": 0}.')] = None,
    note: Annotated[str, typer.Option(help="Why, for whoever reads it.")] = "",
    run: Annotated[str | None, typer.Option(metavar="ID", help="Task and response come from its rollout.")] = None,
    rollout: Annotated[int | None, typer.Option(help="The rollout's number, as the run's page gives it.")] = None,
) -> None:
    """Submit a response that a verifier judges wrongly. The hub runs it at once, and against every later release.

    \b
    Examples:
      verihub cases add lecture/gsm8k --task test-0 --response '18 or 19' --label incorrect
      verihub cases add lecture/gsm8k --run ID --rollout 7 --label incorrect
    """
    if (run is None) != (rollout is None):
        raise UsageError("--run and --rollout belong together")
    if run is None and (task is None or label is None):
        raise UsageError("give --task and --label, or --run and --rollout")
    with open_context() as context:
        release = context.hub.resolver.resolve(parse_reference(reference), any_age=True)
        source, tags = "", []
        if run is not None and rollout is not None:
            found_row = context.hub.send(runs.get_rollout(run, rollout))
            task, response = task or found_row.task_id, found_row.response if response is None else response
            label = label or _ask_opposite(found_row, release)
            source, tags = f"run {run}, rollout {rollout}, step {found_row.step}", ["rollout"]
        _, row = load_with_task(context, f"{release.package}@{release.version}", task or "")
        try:
            case = AuditCase(
                id=f"case-{uuid4().hex[:12]}",
                task=row,
                source=source,
                tags=tags,
                response=read_text(response),
                messages=read_json(messages, "--messages", list),
                label=label or Label.INCORRECT,
                expect=read_json(expect, "--expect", dict),
                origin=Origin.COMMUNITY,
                note=note,
            )
        except ValidationError as error:
            raise UsageError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
        found = context.hub.send(audits.submit_case(release.package, release.version, case))
        context.output.result(found, human=_text(found), quiet=found.id)


def _ask_opposite(rollout: RolloutRow, release: Release) -> Label:
    """The opposite of the rollout's verdict, once somebody at a terminal says that it is meant."""
    accepted = Verdict(rewards=rollout.rewards).accepts(release.manifest.rewards)
    if accepted is None or not release.manifest.rewards:
        raise UsageError("the run does not say how this rollout was judged: give --label")
    label = Label.INCORRECT if accepted else Label.CORRECT
    judged = f"the run's verifier {'accepted' if accepted else 'rejected'} this response ({_rewards(rollout.rewards)})"
    if not sys.stdin.isatty():
        raise UsageError(f"{judged}. If that is wrong, say so: --label {label}")
    require_yes(f"{judged[0].upper()}{judged[1:]}. Submit it as {label}, because that is wrong?", yes=False)
    return label


@app.command()
def submit(
    reference: Annotated[
        str, typer.Argument(metavar="OWNER/NAME[@VERSION]", help="The package whose verifier is wrong.")
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Audit cases, one a line.")],
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the hub has judged all of them.")] = False,
    wait_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="With --wait: give up after so long. The hub judges them anyway.")
    ] = 900.0,
) -> None:
    """Submit many cases from a file. All are read before the first is sent; known ones are skipped.

    A busy hub takes a case and judges it later: until then it is open.

    \b
    Examples:
      verihub cases submit lecture/gsm8k cases.jsonl
      verihub cases submit lecture/gsm8k cases.jsonl --wait
    """
    cases = read_cases(file)
    with open_context() as context:
        release = context.hub.resolver.resolve(parse_reference(reference), any_age=True)
        tasks = {row["id"]: row for row in _stored_tasks(context, release)}
        found, known = [], 0
        with context.output.progress("submitting") as advance:
            for index, case in enumerate(cases):
                advance(index, len(cases))
                try:
                    whole = case.model_copy(update={"task": case.task or tasks.get(case.task_id or "")})
                    found.append(context.hub.send(audits.submit_case(release.package, release.version, whole)))
                except ConflictError as error:
                    if error.problem is not None and error.problem.code == ProblemCode.CASE_LIMIT:
                        raise ConflictError(
                            f"{counted(len(found), 'case')} of {len(cases)} submitted, then the hub refused: {error}",
                            problem=error.problem,
                        ) from None
                    known += 1
        if wait:
            found = _wait(context, found, time.monotonic() + wait_seconds)
        counts = Counter(item.state.value for item in found)
        told = ", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "nothing new"
        human = f"{told}{f', {known} were there already' if known else ''}"
        context.output.result({"items": found, "known": known}, human=human)


def _wait(context: CommandContext, found: list[CounterExample], deadline: float) -> list[CounterExample]:
    """The same cases once the hub has judged them: one is asked for after the other, until it is no longer open."""
    judged: list[CounterExample] = []
    with context.output.progress("being judged") as advance:
        for item in found:
            advance(len(judged), len(found))
            now = item
            while now.state is CaseState.OPEN:
                if time.monotonic() > deadline:
                    raise HubUnreachableError(
                        f"{len(found)} cases are submitted, and {item.id} is not judged yet: is a worker running? Look "
                        f"again with `verihub cases list {item.package}`"
                    )
                time.sleep(_POLL_SECONDS)
                now = context.hub.send(audits.get_case(item.package, item.id))
            judged.append(now)
    return judged


def _stored_tasks(context: CommandContext, release: Release) -> Iterator[dict[str, Any]]:
    reference = Reference(package=release.package, version=release.version)
    contents = context.hub.resolver.load(reference, any_age=True).contents  # read, and never run
    for split in contents.manifest.stored_splits:
        yield from (task.model_dump(mode="json") for task in contents.tasks(split))


@app.command(name="list")
def list_cases(
    reference: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The package.")],
    state: Annotated[
        str | None,
        typer.Option(metavar="open|reproduced|refuted|disputed|fixed|agreed", help="Only those in this state."),
    ] = None,
) -> None:
    """List the counter-examples against a package, newest first.

    \b
    Examples:
      verihub cases list lecture/gsm8k --state reproduced
    """
    with open_context() as context:
        package = parse_reference(reference).package
        found = all_items(lambda cursor: context.hub.send(audits.list_cases(package, state=state, cursor=cursor)))
        listing = table("case", "state", "label", "counts", "against", "by", "response")
        for item in found:
            shown = (item.case.response or "")[:60].replace("\n", " ")
            counts = "waits" if item.waits else "repeats" if item.repeats else f"by {item.counted_by}"
            counts = counts if item.counted_by else "not yet"
            listing.add_row(item.id, item.state, item.case.label, counts, item.against, item.submitted_by, shown)
        human = listing if found else f"nobody has submitted a counter-example against {package}"
        context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


@app.command()
def show(
    reference: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The package.")],
    case: Annotated[str, typer.Argument(metavar="CASE", help="Its id, as `verihub cases list` gives it.")],
) -> None:
    """Show one counter-example and what other verifiers said of it.

    \b
    Examples:
      verihub cases show lecture/gsm8k 01jd…
    """
    with open_context() as context:
        found = context.hub.send(audits.get_case(parse_reference(reference).package, case))
        said = [("answered", found.case.response or ""), ("note", found.case.note)]
        lines = [_text(found), *(f"  {what}: {_in_one_line(text)}" for what, text in said if text.strip())]
        context.output.result(found, human="\n".join([*lines, *_others(found)]), quiet=found.id)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())[:500]


def _others(found: CounterExample) -> Iterator[str]:
    if not found.other_verdicts:
        return
    judged = counted(found.others_agree + found.others_disagree, "other verifier")
    yield f"  {judged} judged this response, {found.others_agree} as the label says:"
    for other in found.other_verdicts:
        case = f" (case {other.case})" if other.case else ""
        yield f"    {other.package} {other.version} {'agrees' if other.agrees else 'disagrees'} with the label{case}"
    left = found.others_agree + found.others_disagree - len(found.other_verdicts)
    if left > 0:
        yield f"    and {left} more"


def _rewards(vector: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {'not judged' if value is None else f'{value:g}'}" for name, value in vector.items())


def _text(found: CounterExample) -> str:
    vector = found.verdicts.get(found.against, {})
    rewards = _rewards(vector)
    lines = [f"{found.id} against {found.package} {found.against}: {found.state}"]
    if rewards:
        lines.append(f"  labelled {found.case.label}; the verifier gives {rewards}")
    if found.state is CaseState.OPEN:
        lines.append(f"  not judged yet, the hub will do it: verihub cases list {found.package} --state open")
    if found.state is CaseState.REPRODUCED and not found.counted_by:
        lines.append("  it counts in the rates once others second it: the package's owner, or two accounts of standing")
    if found.waits:
        lines.append(
            "  it waits: too many like it count by accounts of standing alone; a moderator or other people's verifiers "
            "can confirm it, and the package's owner where the verifier is wrong on it"
        )
    return "\n".join(lines)


for command in (
    case_labels.label,
    case_disputes.report,
    case_disputes.second,
    case_disputes.dispute,
    case_disputes.withdraw,
    case_disputes.settle,
):
    app.command()(command)
