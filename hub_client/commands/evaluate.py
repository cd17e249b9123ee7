"""``verihub eval``: a model on a benchmark (or one environment), under harnesses; results go to the hub."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.commands.session import Session, open_session
from hub_client.errors import UsageError
from hub_client.evaluating import AttemptLog, Cell, CellResult, judge_cell, pick_tasks, play_cell
from hub_client.harnesses import Harness
from hub_client.policies import Policy, open_policy
from hub_client.requests.benchmarks import submit_results
from hub_client.resolving import LoadedPackage
from schemas.benchmark import ResultsCreate
from schemas.kinds import PackageKind
from schemas.run import PinnedPackage, RunCreate, RunState, RunUpdate

DEFAULT_HARNESS = "lecture/single-turn"
_ROLLOUTS_TOGETHER = 100


def evaluate(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A benchmark or an environment; a folder works too.")],
    model: Annotated[str, typer.Option(help="The endpoint's model; or smollm2, tiny, a transformers folder.")],
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
        policy = open_policy(
            model, endpoint=endpoint, api_key=api_key or None, temperature=temperature, max_tokens=max_tokens
        )
        try:
            log = AttemptLog(output, model)
            results = [_run_cell(session, cell, policy, log, workers) for cell in cells]
        finally:
            policy.close()
        run_url = _send(session, package, model, results) if report else ""
        session.output.result(_as_json(results, run_url), human=_as_text(results, run_url))


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
    tools = [session.hub.load(reference) for reference in tool]
    harnesses = [Harness(session.hub.load(name), session.hub.runner(), tools) for name in names]
    cells = []
    for reference in targets:
        environment = session.hub.environment(reference) if reference else session.hub.environment_of(package)
        chosen = pick_tasks(environment, split or manifest.split or "test", count, seed)
        if not chosen:
            raise UsageError(f"{environment.package.reference} has no such tasks")
        cells += [Cell(environment, each, chosen, samples, seed) for each in harnesses]
    return cells


def _run_cell(session: Session, cell: Cell, policy: Policy, log: AttemptLog, workers: int) -> CellResult:
    title = f"{cell.environment.package.reference} under {cell.harness.name}"
    with session.output.progress(title) as advance:
        attempts = play_cell(cell, policy, log, workers=workers, say=advance)
    return judge_cell(cell, attempts)


def _send(session: Session, package: LoadedPackage, model: str, results: list[CellResult]) -> str:
    """One run with every rollout; and, for a published benchmark, one result a cell. Returns the run's page."""
    pinned = {
        (p.package, p.version): p.digest for r in results for p in (r.cell.environment.package, r.cell.harness.package)
    }
    run = session.hub.runs.create(
        RunCreate(
            name=f"eval-{package.contents.manifest.id.replace('/', '-')}-{model.rsplit('/', 1)[-1]}"[:120],
            kind="evaluation",
            model=model,
            packages=[PinnedPackage(package=name, version=v, digest=digest) for (name, v), digest in pinned.items()],
            rewards=results[0].cell.environment.rewards,
            config={
                "samples": results[0].cell.samples,
                "seed": results[0].cell.seed,
                "tasks": len(results[0].cell.tasks),
            },
        )
    )
    for result in results:
        for start in range(0, len(result.rollouts), _ROLLOUTS_TOGETHER):
            session.hub.runs.rollouts(run.id, result.rollouts[start : start + _ROLLOUTS_TOGETHER])
        is_published_benchmark = package.release and package.contents.manifest.kind is PackageKind.BENCHMARK
        if is_published_benchmark and result.outcomes:
            cell = result.cell
            body = ResultsCreate(
                environment=cell.environment.package.package,
                environment_version=cell.environment.version,
                model=model,
                harness=cell.harness.name,
                run_id=run.id,
                outcomes=result.outcomes,
            )
            session.hub.send(submit_results(package.package, package.version, body))
    session.hub.runs.update(run.id, RunUpdate(state=RunState.FINISHED))
    return f"{session.hub.url}/runs/{run.id}"


def _as_json(results: list[CellResult], run_url: str) -> dict[str, Any]:
    return {
        "run": run_url or None,
        "cells": [
            {
                "environment": result.cell.environment.package.reference,
                "harness": result.cell.harness.package.reference,
                "tasks": len(result.outcomes),
                "pass_rate": result.pass_rate,
                "failed": result.failed,
                "unjudged": result.unjudged,
            }
            for result in results
        ],
    }


def _as_text(results: list[CellResult], run_url: str) -> str:
    lines = []
    for result in results:
        rate = "no attempt was judged" if result.pass_rate is None else f"{100 * result.pass_rate:.1f} % solved"
        broken = f", {result.failed} broke in the harness" if result.failed else ""
        unjudged = f", {result.unjudged} not judged" if result.unjudged else ""
        lines.append(
            f"{result.cell.environment.package.reference} under {result.cell.harness.package.reference}: "
            f"{rate} of {len(result.outcomes)} tasks{broken}{unjudged}"
        )
    return "\n".join([*lines, f"  {run_url}"] if run_url else lines)
