"""``verihub rescore``: the stored rollouts of a run, judged again by another verifier."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.audits.rescore import rescore_run
from hub_client.audits.stored_runs import RECEIPT, fetch_run, read_run
from hub_client.commands.command_context import open_context
from hub_client.commands.judge_model import JudgeModelOption, refuse_without_model
from hub_client.errors import UsageError
from schemas.rescore import Rescore, RescoredRollout, Shift
from schemas.verdict_pairs import verdict_word, words_of_pair
from schemas.wording import counted

_SHOWN = 10


def rescore(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or the --output folder of `verihub train`.")],
    verifier: Annotated[
        str, typer.Option(metavar="TARGET", help="Judges the rollouts again: a folder, or OWNER/NAME[@VERSION].")
    ],
    environment: Annotated[
        list[str] | None,
        typer.Option(metavar="FOLDER", help="A project that the run trained on, if no hub has it."),
    ] = None,
    judge_model: JudgeModelOption = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write every rollout whose verdict changed.")
    ] = None,
) -> None:
    """Judge a run's stored rollouts with another verifier: what changes, paired by task.

    \b
    Examples:
      verihub rescore 01J9Z3 --verifier alice/plain-style-strict
      verihub rescore verihub-runs/dapo-1 --verifier ./my-verifier --output changed.jsonl
    """
    with open_context(judge_model=judge_model) as context:
        folder = Path(run)
        is_folder = (folder / RECEIPT).is_file()
        if not is_folder and folder.is_dir():
            raise UsageError(
                f"{run} holds no {RECEIPT}: give a run's id, or a folder that `verihub train` wrote "
                "(`verihub eval` writes attempts, and no rollouts)"
            )
        with context.output.progress("judging rollouts"):
            stored = read_run(folder) if is_folder else fetch_run(context.hub, run)
            if not stored.rollouts:
                raise UsageError(f"{stored.name} has no rollouts to judge")
            judge = context.hub.verifier(verifier)
            refuse_without_model(context, judge)
            found = rescore_run(context.hub, stored, judge, environment or ())
        if output is not None:
            _write(output, found.changed)
        quiet = "" if found.accepted is None else f"{found.accepted.change.value:+.4f}"
        context.output.result(found, human=rescore_text(found), quiet=quiet)


def _write(file: Path, rows: list[RescoredRollout]) -> None:
    try:
        file.write_text("".join(f"{row.model_dump_json()}\n" for row in rows), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def rescore_text(found: Rescore) -> str:
    """The report for people: each figure, and what was left out."""
    lines = [
        f"run       {found.run}",
        f"verifier  {found.verifier}",
        f"          {counted(found.rollouts, 'rollout')}, {found.judged} judged by both",
    ]
    lines += _left_out(found)
    if found.accepted is None:
        return "\n".join([*lines, "", "nothing was judged by both, so nothing can be compared"])
    lines += ["", f"accepted  {_shift_text(found.accepted, percent=True)}"]
    lines += [f"  {' -> '.join(words_of_pair(pair)):<26} {count}" for pair, count in found.counts.items()]
    if len(found.steps) > 1:
        lines += ["", "by phase and steps"]
        for part in found.steps:
            name = f"{part.phase} {part.first}–{part.last}" if part.first != part.last else f"{part.phase} {part.first}"
            lines.append(f"  {name:<18} {_shift_text(part.accepted, percent=True)}")
    if found.rewards:
        lines += ["", "rewards that both give"]
        lines += [f"  {name:<18} {_shift_text(shift, percent=False)}" for name, shift in found.rewards.items()]
    lines += _changed_lines(found.changed)
    return "\n".join(lines)


def _left_out(found: Rescore) -> list[str]:
    parts = [
        (found.without_task, "left out: the task is in no split of the release that the run pinned"),
        (found.of_sessions, "left out: a run does not store the state of a session"),
        (found.not_judged, "could not be judged by the new verifier"),
    ]
    lines = [f"          {count} {why}" for count, why in parts if count]
    return [*lines, *(f"            {count} × {reason}" for reason, count in found.reasons.items() if reason)]


def _shift_text(shift: Shift, *, percent: bool) -> str:
    one, unit, sign = (100, " %", " points") if percent else (1, "", "")
    places = 1 if percent else 3
    change = shift.change
    return (
        f"{shift.before * one:.{places}f}{unit} -> {shift.after * one:.{places}f}{unit}   change "
        f"{change.value * one:+.{places}f}{sign} ({change.low * one:+.{places}f} to {change.high * one:+.{places}f}) "
        f"over {counted(shift.tasks, 'task')}"
    )


def _changed_lines(changed: list[RescoredRollout]) -> list[str]:
    if not changed:
        return ["", "no verdict changed"]
    lines = ["", "rollouts whose verdict changed"]
    for one in changed[:_SHOWN]:
        number = f"rollout {one.rollout}, " if one.rollout is not None else ""
        response = " ".join(one.response.split())[:60]
        said = f"{verdict_word(one.before)} -> {verdict_word(one.after)}"
        lines.append(f"  {number}step {one.step}, {one.task_id}: {said}: {response!r}")
    if len(changed) > _SHOWN:
        lines.append(f"  … and {len(changed) - _SHOWN} more: --output FILE.jsonl writes all")
    return lines
