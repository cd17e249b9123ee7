"""``verihub run``: training and evaluation runs on the hub."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.commands.command_list import extensions
from hub_client.commands.group import subcommands
from hub_client.errors import CheckFailedError, UsageError
from hub_client.killed_runs import TOLD, ReadableRuns, send_rest
from hub_client.terminal.output import table
from hub_client.transport.requests import runs
from hub_client.unsent_reports import FILE, Sent, send_reports
from schemas.extras import how_to_install
from schemas.measures.intervals import Interval
from schemas.run import Run
from schemas.run_comparison import ComparedNumber, ComparedRow
from schemas.wording import counted

_SHOWN = 5
"""So many refusals are told with their reasons."""
app = subcommands("Training and evaluation runs on the hub.")


@app.command(name="list")
def list_runs() -> None:
    """List runs, newest first.

    \b
    Examples:
      verihub run list
    """
    with open_context() as context:
        found = context.hub.send(runs.list_runs()).items
        listing = table("id", "name", "kind", "state", "step", "model", "packages")
        for item in found:
            pinned = " ".join(f"{package.package}@{package.version}" for package in item.packages)
            step = "" if item.last_step is None else str(item.last_step)
            listing.add_row(item.id, item.name, item.kind, item.state, step, item.model, pinned)
        human = listing if found else "no runs yet: `verihub train` makes one"
        context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


@app.command()
def show(run_id: Annotated[str, typer.Argument(metavar="ID", help="As `verihub run list` shows it.")]) -> None:
    """Show a run: what was pinned, and each reward before and after.

    \b
    Examples:
      verihub run show ID
    """
    with open_context() as context:
        run = context.hub.send(runs.get_run(run_id))
        context.output.result(run, human=_text(run, context.settings.url), quiet=run.state)


@app.command()
def compare(
    run_ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Two to four, as `verihub run list` shows them.")],
) -> None:
    """Show runs side by side, with the differences from the first.

    \b
    Examples:
      verihub run compare ID ID
    """
    with open_context() as context:
        found = context.hub.send(runs.compare_runs(run_ids))
        listing = table("what", "run", "value", "difference")
        for row in found.rows:
            for number in row.sides:
                listing.add_row(row.name, number.letter, _interval(number.number), _difference(row, number))
        for letter, run in zip("ABCD", found.runs, strict=False):
            context.output.remark(f"{letter} is {run.name} ({run.id})")
        human = (
            listing if found.rows else "the runs share no pass rate on the same release and no reward after training"
        )
        context.output.result(found, human=human, quiet="\n".join(row.name for row in found.rows))


@app.command()
def replay(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The --output of a run, with its receipt.json.")],
    steps: Annotated[int, typer.Option(min=1, help="How many of its first steps.")] = 2,
) -> None:
    """Repeat the first steps of a run and compare every number exactly.

    \b
    Examples:
      verihub run replay verihub-runs/dapo-1
    """
    if "train" not in extensions().names:
        raise UsageError(f"`verihub run replay` needs the trainer: {how_to_install('trainer')}")
    import_module(extensions()["train"].module).replay(folder, steps)  # the plug-in that trains also replays


@app.command()
def send(
    file: Annotated[Path, typer.Argument(metavar="FOLDER", help=f"The folder of a run, or the {FILE} in it.")],
) -> None:
    """Send what a run could not send while it trained. What was sent before is not sent again.

    Of a run that was killed, its metrics.jsonl and rollouts.jsonl are compared with what the hub has.

    \b
    Examples:
      verihub run send verihub-runs/dapo-1
    """
    folder, path = (file, file / FILE) if file.is_dir() else (file.parent, file)
    if not path.is_file() and not (file.is_dir() and (folder / TOLD).is_file()):
        holds_none = f"{file} holds no {FILE} and no {TOLD}: no run was reported from it"
        raise UsageError(holds_none if file.is_dir() else f"no file {file}")
    with open_context() as context:
        with context.output.progress("sending reports") as advance:
            found = _send_all(folder, path, context.hub.runs, advance)
        context.output.result(found.as_json(), human=_sent_text(found, context.settings.url), quiet=found.run_id)
        if found.refused:
            raise CheckFailedError(
                f"the hub refused {counted(len(found.refused), 'report')}, which stay in {path}:\n"
                + "\n".join(f"  {reason}" for reason in found.refused[:_SHOWN])
            )


def _send_all(folder: Path, path: Path, runs: ReadableRuns, advance: Callable[[int, int], None]) -> Sent:
    """What waits in the file of reports, and then what only the files of metrics and rollouts have."""
    found = send_reports(path, runs, advance) if path.is_file() else None
    if found is not None and (found.refused or not (folder / TOLD).is_file()):
        return found  # the same rows would be refused again
    rest = send_rest(folder, runs, advance, found.run_id if found is not None else "")
    return rest if found is None else found.and_then(rest)


def _sent_text(found: Sent, url: str) -> str:
    held = f"{counted(found.points, 'metric point')} and {counted(found.rollouts, 'rollout')}"
    lines = [f"sent {counted(found.reports, 'report')}: {held}"] if found.reports or found.refused else []
    if found.before:
        lines.append(f"{counted(found.before, 'report')} had been sent before" + ("" if lines else ": nothing is left"))
    if found.broken:
        lines.append(f"left out: {counted(found.broken, 'incomplete line')}, as a full disk leaves them")
    return "\n".join(
        [
            *(lines or ["there was nothing to send: the hub has all of it"]),
            *([f"Run: {url}/runs/{found.run_id}"] if found.run_id else []),
        ]
    )


def _interval(number: Interval) -> str:
    return f"{number.value:.3f} ({number.low:.3f} to {number.high:.3f})"


def _difference(row: ComparedRow, number: ComparedNumber) -> str:
    """In words why there is none; nothing beside the first, from which the others differ."""
    if number is row.sides[0]:
        return ""
    return f"none: {row.why_not}" if number.difference is None else _interval(number.difference)


def _text(run: Run, url: str) -> str:
    lines = [f"{run.name}   {run.kind}   {run.state}   {url}/runs/{run.id}", f"  model   {run.model}"]
    if run.recipe:
        lines.append(f"  recipe  {run.recipe}")
    lines += [f"  pinned  {item.package}@{item.version}  {item.digest}" for item in run.packages]
    for name, change in run.summary.items():
        before = f"{change.before:.3f} ({change.before_low:.3f}–{change.before_high:.3f})"
        after = f"{change.after:.3f} ({change.after_low:.3f}–{change.after_high:.3f})"
        lines.append(f"  {name}  {before} -> {after} on {change.tasks} held-out tasks")
    return "\n".join(lines)
