"""``verihub eval``: a model on a benchmark (or one environment), under harnesses; results go to the hub."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.judge_model import JudgeModelOption, refuse_without_model
from hub_client.environments import Environment
from hub_client.errors import (
    CheckFailedError,
    HubClientError,
    HubUnreachableError,
    NotFoundError,
    NotLoggedInError,
    UsageError,
)
from hub_client.evaluation.attempt_log import AttemptLog
from hub_client.evaluation.built_in_loop import MAX_TURNS
from hub_client.evaluation.evaluate import Cell, CellResult, judge_cell, pick_tasks, play_cell
from hub_client.evaluation.harness import Harness
from hub_client.evaluation.harness_loader import open_harness, open_tool
from hub_client.evaluation.hub_run import EvaluationRun
from hub_client.releases.resolve import LoadedPackage
from hub_client.terminal.rates import interval_text
from hub_client.transport.chat_endpoint import Policy, open_policy
from hub_client.transport.requests import accounts
from schemas.kinds import PackageKind
from schemas.measures.corrected import TrustLevel, observed_interval
from schemas.run import RunState
from schemas.wording import counted, noun

DEFAULT_HARNESS = "lecture/single-turn"
_REASONS = 5  # chosen, not measured


# What is evaluated

_Target = Annotated[str, typer.Argument(metavar="FOLDER|OWNER/NAME[@VERSION]", help="A benchmark or an environment.")]
_Harnesses = Annotated[
    list[str] | None, typer.Option(metavar="OWNER/NAME", help="A package that drives the model; may be repeated.")
]
_Tools = Annotated[
    list[str] | None,
    typer.Option(metavar="OWNER/NAME", help="Tools besides the environment's own; may be repeated."),
]

# How the model is asked, and where its attempts are kept

_Model = Annotated[
    str,
    typer.Option(
        metavar="NAME|local:NAME|local:FOLDER", help="The model's name at the endpoint, or local: and a model here."
    ),
]
_Temperature = Annotated[
    float, typer.Option(min=0, help="How freely the model samples; 0: always the likeliest token.")
]
_Output = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The folder for attempts; the same command continues there.  [default: verihub-eval/TARGET-MODEL]",
    ),
]


def evaluate(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    target: _Target,
    model: _Model,
    endpoint: Annotated[str, typer.Option(metavar="URL", help="An OpenAI-compatible server, up to /v1.")] = "",
    api_key: Annotated[str, typer.Option(envvar="VERIHUB_MODEL_KEY", help="The endpoint's key.")] = "",
    harness: _Harnesses = None,
    tool: _Tools = None,
    split: Annotated[
        str, typer.Option(metavar="NAME", help="The split of the tasks.  [default: the benchmark's, else test]")
    ] = "",
    tasks: Annotated[int | None, typer.Option(min=1, help="How many tasks of each split.  [default: all]")] = None,
    samples: Annotated[int, typer.Option(min=1, help="Attempts at each task.")] = 1,
    temperature: _Temperature = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer, in tokens.")] = 512,
    workers: Annotated[int, typer.Option(min=1, help="Attempts at once.")] = 4,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tasks of a generated split.")] = 0,
    output: _Output = None,
    report: Annotated[bool, typer.Option("--hub/--no-hub", help="Send run and results to the hub.")] = True,
    judge_model: JudgeModelOption = None,
) -> None:
    """Evaluate a model. After a stop, the same command goes on; attempts that could not be judged are not counted.

    \b
    Examples:
      verihub eval lecture/starter-bench --model local:smollm2 --tasks 20
      verihub eval alice/maze --model NAME --endpoint http://localhost:8000/v1 --samples 4
    """
    with open_context(judge_model=judge_model) as context:
        package = context.hub.load(target)
        output = output or _default_folder(package, model)
        cells = _cells(context, package, harness or [], tool or [], split, tasks, samples, seed)
        for cell in cells:
            refuse_without_model(context, cell.environment)
        settings = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        config = {**settings, "samples": samples, "seed": seed, "tasks": tasks or "all"}
        run = EvaluationRun(context.hub, output, package, model, cells, config) if report else None
        log = AttemptLog(output, settings, run.open if run is not None else _no_run)
        if run is not None:
            _require_login(context)
        policy = open_policy(
            model,
            endpoint=endpoint,
            api_key=api_key or None,
            temperature=temperature,
            max_tokens=max_tokens,
            offline=context.settings.offline,
            cache_dir=context.settings.cache_dir,
        )
        results = _all_results(context, cells, policy, log, run, workers)
        run_url = run.url if run is not None else ""
        context.output.result(_as_json(results, run_url), human=_as_text(results, run_url, max_tokens))
        _require_verdicts(results)


def _all_results(
    context: CommandContext, cells: list[Cell], policy: Policy, log: AttemptLog, run: EvaluationRun | None, workers: int
) -> list[CellResult]:
    """Play and judge every cell, and report it to the hub. The policy is closed."""
    try:
        results = [_run_cell(context, cell, policy, log, run, workers) for cell in cells]
        if run is not None:
            run.finish(results)
    except (HubClientError, KeyboardInterrupt) as error:
        if log.folder.exists():
            context.output.remark(f"What ended is kept in {log.folder}: the same command goes on there.")
        if run is not None and run.is_open:
            by_owner = isinstance(error, KeyboardInterrupt)
            reason = "by its owner. The same command goes on." if by_owner else str(error)
            run.note_stop(reason, RunState.STOPPED if by_owner else None)
        raise
    finally:
        policy.close()
    return results


def _no_run() -> None:
    """Without a run on the hub nothing precedes the first attempt."""


def _require_login(context: CommandContext) -> None:
    """Refuse an account that may not report to the hub, before the model is asked."""
    try:
        context.hub.send(accounts.whoami())
    except NotLoggedInError as error:
        raise NotLoggedInError(
            f"{error}\n  --no-hub evaluates without an account: results stay on this machine", problem=error.problem
        ) from None


def _default_folder(package: LoadedPackage, model: str) -> Path:
    """One folder for each target and model, so that evaluations of different models do not mix."""
    name = f"{package.package}-{model}".lower()
    return Path("verihub-eval", "".join(one if one.isalnum() or one in "._" else "-" for one in name)[:120])


def _require_verdicts(results: list[CellResult]) -> None:
    """Fail when no attempt was judged, whatever was printed before."""
    for result in results:
        if not result.counts:
            what = f"{result.cell.environment.package.reference} under {result.cell.harness.name}"
            reason = next(iter(result.reasons), "there were none")
            raise CheckFailedError(f"no attempt of {what} was judged. {reason}")


def _cells(  # noqa: PLR0913, PLR0917 -- the options of one evaluation
    context: CommandContext,
    package: LoadedPackage,
    harness: list[str],
    tool: list[str],
    split: str,
    count: int | None,
    samples: int,
    seed: int,
) -> list[Cell]:
    manifest = package.contents.manifest
    is_benchmark = manifest.kind is PackageKind.BENCHMARK
    targets: list[Any] = [*manifest.environments] if is_benchmark else [package.reference if package.release else ""]
    names = harness or (manifest.harnesses if is_benchmark else [])
    tools = [open_tool(context.hub, reference) for reference in tool]
    named = [open_harness(context.hub, name, tools) for name in names]
    splits = [split] if split else list(manifest.evaluated_splits)
    picked = []
    for reference in targets:
        environment = context.hub.environment(reference) if reference else context.hub.environment_of(package)
        chosen = pick_tasks(environment, splits, count, seed)
        if not chosen:
            raise UsageError(f"{environment.package.reference} has no such tasks")
        picked.append((environment, chosen))
    harnesses = named or [_default_harness(context, tools)]
    cells = []
    for environment, chosen in picked:
        if not names and environment.manifest.session is not None:
            context.output.remark(_about_turns(environment))
        cells += [Cell(environment, each, chosen, samples, seed) for each in harnesses]
    return cells


def _about_turns(environment: Environment) -> str:
    """Explains the default harness in an environment with several turns, because its name says single-turn."""
    return (
        f"{environment.package.reference} is played in turns: the model answers once a turn until the episode is done "
        f"(at most {MAX_TURNS} times). The session's own tools are offered; others need --harness lecture/tool-loop."
    )


def _default_harness(context: CommandContext, tools: list[LoadedPackage]) -> Harness:
    """The hub's plain harness, so that results can be compared.

    If the hub has none, the built-in one, which does the same.
    """
    try:
        return open_harness(context.hub, DEFAULT_HARNESS, tools)
    except (NotFoundError, HubUnreachableError) as error:
        lacks = "has no" if isinstance(error, NotFoundError) else "could not be asked for"
        context.output.remark(
            f"{context.settings.url} {lacks} harness {DEFAULT_HARNESS}: the built-in one is used, which does the same."
        )
        return open_harness(context.hub, "", tools)


def _run_cell(
    context: CommandContext, cell: Cell, policy: Policy, log: AttemptLog, run: EvaluationRun | None, workers: int
) -> CellResult:
    title = f"{cell.environment.package.reference} under {cell.harness.name}"
    with context.output.progress(title) as advance:
        attempts = play_cell(cell, policy, log, workers=workers, say=advance)
    result = judge_cell(cell, attempts)
    if run is not None:
        run.send(result)
    return result


def _as_json(results: list[CellResult], run_url: str) -> dict[str, Any]:
    return {"run": run_url or None, "cells": [_cell_json(result) for result in results]}


def _cell_json(result: CellResult) -> dict[str, Any]:
    observed, corrected, audit = result.observed, result.corrected, result.audit
    return {
        "environment": result.cell.environment.package.reference,
        "harness": result.cell.harness.name,
        "harness_version": result.cell.harness.loop.version,
        "tasks": len(result.counts),
        "pass_rate": observed.rate if observed else None,
        "observed": observed_interval(observed).model_dump() if observed else None,
        "corrected": corrected.estimate.model_dump() if corrected.estimate else None,
        "not_corrected": corrected.reason,
        "corrected_by": audit.evidence_words if audit and corrected.estimate else None,
        "verifier": result.trust_level.value,
        "grade": audit.grade.value if audit else None,
        "audited": result.audited or None,
        "failed": result.failed,
        "unjudged": result.unjudged,
        "played_again": result.played_again,
        "overflowed": result.overflowed,
        "truncated": result.truncated,
        "reasons": [{"reason": reason, "attempts": count} for reason, count in result.reasons.items()],
    }


def _as_text(results: list[CellResult], run_url: str, max_tokens: int) -> str:
    lines = [line for result in results for line in _cell_lines(result, max_tokens)]
    return "\n".join([*lines, f"  {run_url}"] if run_url else lines)


def _cell_lines(result: CellResult, max_tokens: int) -> list[str]:
    observed, corrected, audit = result.observed, result.corrected, result.audit
    lines = [f"{result.cell.environment.package.reference} under {result.cell.harness.name}"]
    if observed is None:
        lines.append("  observed   no attempt was judged")
    else:
        lines.append(
            f"  observed   {interval_text(observed_interval(observed))} of {counted(len(result.counts), 'task')}"
        )
    said = interval_text(corrected.estimate) if corrected.estimate else f"cannot be said: {corrected.reason}"
    lines.append(f"  corrected  {said}")
    if corrected.estimate and audit is not None:
        lines.append(f"             if its answers are like the audit's: {audit.evidence_words}")
    if audit is None:
        lines.append("  verifier   UNAUDITED: nobody knows what a pass is worth")
    elif result.trust_level is TrustLevel.UNAUDITED:
        few = f"the audit of {result.audited} has too few independent cases ({audit.case_count}) for a grade"
        lines.append(f"  verifier   UNRATED: {few}, so nobody knows what a pass is worth")
    else:
        weak = ", BELOW C: passes may be wrong" if result.trust_level is TrustLevel.WEAK else ""
        cases = counted(audit.case_count, "case")
        lines.append(f"  verifier   grade {audit.grade.value}{weak} (audit of {result.audited}, {cases})")
    notes = [
        (result.failed, "broke in the harness and count for nothing"),
        (result.unjudged, "could not be judged and count for nothing"),
        (result.played_again, "lost a box, the engine or the hub on the way, and were played again"),
        (result.overflowed, "no longer fitted into the model's context and were judged as they were"),
        (result.truncated, f"have an answer that was cut off (--max-tokens {max_tokens})"),
    ]
    lines += [f"  {count} of {len(result.rollouts)} attempts {what}" for count, what in notes if count]
    shown = list(result.reasons.items())[:_REASONS]
    lines += [f"    {count} × {reason}" for reason, count in shown]
    rest = len(result.reasons) - len(shown)
    return lines + ([f"    and {rest} more {noun(rest, 'reason')}, in attempts.jsonl"] if rest else [])
