"""``verihub eval``: a model on a benchmark (or one environment), under harnesses; results go to the hub."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.commands.session import Session, open_session
from hub_client.errors import HubClientError, UsageError
from hub_client.evaluating import AttemptLog, Cell, CellResult, judge_cell, pick_tasks, play_cell
from hub_client.evaluation_run import EvaluationRun
from hub_client.harnesses import Harness
from hub_client.policies import Policy, open_policy
from hub_client.resolving import LoadedPackage
from schemas.kinds import PackageKind
from schemas.rates import Interval, Standing, observed_interval

DEFAULT_HARNESS = "lecture/single-turn"


def evaluate(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A benchmark or an environment; a folder works too.")],
    model: Annotated[str, typer.Option(help="The endpoint's model; or local:smollm2, local:FOLDER (transformers).")],
    endpoint: Annotated[str, typer.Option(help="An OpenAI-compatible URL, up to /v1.")] = "",
    api_key: Annotated[str, typer.Option(envvar="VERIHUB_MODEL_KEY", help="The endpoint's key.")] = "",
    harness: Annotated[list[str] | None, typer.Option(help="How the model is driven; may be repeated.")] = None,
    tool: Annotated[list[str] | None, typer.Option(help="A tool package beyond the environment's own.")] = None,
    split: Annotated[str, typer.Option(help="Which tasks.  [default: the benchmark's, else test]")] = "",
    tasks: Annotated[int | None, typer.Option(min=1, help="How many a split.  [default: all]")] = None,
    samples: Annotated[int, typer.Option(min=1, help="Attempts a task.")] = 1,
    temperature: Annotated[float, typer.Option(min=0)] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1)] = 512,
    workers: Annotated[int, typer.Option(min=1, help="Attempts at once.")] = 4,
    seed: Annotated[int, typer.Option()] = 0,
    output: Annotated[Path, typer.Option(help="Attempts, so that the same command goes on.")] = Path("verihub-eval"),
    report: Annotated[bool, typer.Option("--hub/--no-hub", help="Send run and results to the hub.")] = True,
) -> None:
    """Evaluate a model. Stopped, it goes on where it was; attempts that could not be judged count for nothing."""
    with open_session() as session:
        package = session.hub.load(target)
        cells = _cells(session, package, harness or [], tool or [], split, tasks, samples, seed)
        settings = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        log = AttemptLog(output, settings)
        policy = open_policy(
            model, endpoint=endpoint, api_key=api_key or None, temperature=temperature, max_tokens=max_tokens
        )
        run = EvaluationRun(session.hub, output, package) if report else None
        try:
            if run is not None:
                run.open(model, cells, {**settings, "samples": samples, "seed": seed, "tasks": tasks or "all"})
            results = [_run_cell(session, cell, policy, log, run, workers) for cell in cells]
            if run is not None:
                run.finish(model, results)
        except HubClientError as error:
            session.output.remark(f"What ended is kept in {output}: the same command goes on there.")
            if run is not None and run.is_open:
                run.note_stop(str(error))
            raise
        finally:
            policy.close()
        run_url = run.url if run is not None else ""
        session.output.result(_as_json(results, run_url), human=_as_text(results, run_url, max_tokens))


def _cells(  # noqa: PLR0913, PLR0917 -- the options of one evaluation
    session: Session,
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
    names = harness or (manifest.harnesses if is_benchmark else []) or [DEFAULT_HARNESS]
    tools = [_tool(session, reference) for reference in tool]
    harnesses = [_harness(session, name, tools) for name in names]
    splits = [split] if split else list(manifest.evaluated_splits)
    cells = []
    for reference in targets:
        environment = session.hub.environment(reference) if reference else session.hub.environment_of(package)
        chosen = pick_tasks(environment, splits, count, seed)
        if not chosen:
            raise UsageError(f"{environment.package.reference} has no such tasks")
        cells += [Cell(environment, each, chosen, samples, seed) for each in harnesses]
    return cells


def _harness(session: Session, name: str, extra_tools: list[LoadedPackage]) -> Harness:
    """A harness with the tools that it names itself, and those that were asked for besides."""
    package = session.hub.load(name)
    manifest = package.contents.manifest
    if manifest.kind is not PackageKind.HARNESS:
        raise UsageError(f"{package.reference} is a {manifest.kind}, no harness: --harness takes lecture/single-turn …")
    own = [_tool(session, reference) for reference in manifest.tools if "/" in reference]
    return Harness(package, session.hub.runner(), extra_tools, own)


def _tool(session: Session, reference: str) -> LoadedPackage:
    package = session.hub.load(reference)
    if not any("/" not in point for point in package.contents.manifest.tools):
        raise UsageError(f"{package.reference} is a {package.contents.manifest.kind} without tools of its own")
    return package


def _run_cell(
    session: Session, cell: Cell, policy: Policy, log: AttemptLog, run: EvaluationRun | None, workers: int
) -> CellResult:
    title = f"{cell.environment.package.reference} under {cell.harness.name}"
    with session.output.progress(title) as advance:
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
        "harness_version": result.cell.harness.package.version,
        "tasks": len(result.counts),
        "pass_rate": observed.rate if observed else None,
        "observed": observed_interval(observed).model_dump() if observed else None,
        "corrected": corrected.estimate.model_dump() if corrected.estimate else None,
        "not_corrected": corrected.reason,
        "verifier": result.standing.value,
        "grade": audit.grade.value if audit else None,
        "audited": result.audited or None,
        "failed": result.failed,
        "unjudged": result.unjudged,
        "overflowed": result.overflowed,
        "truncated": result.truncated,
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
        lines.append(f"  observed   {_percent(observed_interval(observed))} of {len(result.counts)} tasks")
    said = _percent(corrected.estimate) if corrected.estimate else f"cannot be said: {corrected.reason}"
    lines.append(f"  corrected  {said}")
    if audit is None or result.standing is Standing.UNAUDITED:
        lines.append("  verifier   UNAUDITED: nobody knows what a pass is worth")
    else:
        weak = ", BELOW C: passes may be wrong" if result.standing is Standing.WEAK else ""
        lines.append(
            f"  verifier   grade {audit.grade.value}{weak} (audit of {result.audited}, {audit.case_count} cases)"
        )
    notes = [
        (result.failed, "broke in the harness and count for nothing"),
        (result.unjudged, "could not be judged and count for nothing"),
        (result.overflowed, "no longer fitted into the model's context and were judged as they stood"),
        (result.truncated, f"have an answer that was cut off (--max-tokens {max_tokens})"),
    ]
    return lines + [f"  {count} of {len(result.rollouts)} attempts {what}" for count, what in notes if count]


def _percent(share: Interval) -> str:
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"
