"""Imports one package: draws its tasks and judges its answers in a box, then writes the project."""

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hub_client.client import Hub
from hub_client.environments import Environment
from hub_client.errors import CheckFailedError
from hub_client.imports.cases import labelled_cases, played_cases
from hub_client.imports.defects import defects_of
from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.own_changes import OwnChanges
from hub_client.imports.project import FIRST_VERSION, write_project
from hub_client.imports.readme import TRAIN_TASKS, ImportReport, readme_of
from hub_client.transport.chat_endpoint import LOCAL
from schemas.verdict import ScoreRequest, Verdict
from schemas.wording import counted

_DRAWN = {"test": 100, "train": TRAIN_TASKS}
_ASKED_AGAIN = 3
_STORED = ("id", "prompt", "answer", "info")
_JUDGED_WITHIN = 600.0
"""Seconds for all cases together: there are dozens, and the limit of one is up to two minutes."""


def import_draft(
    hub: Hub,
    draft: Draft,
    package_id: str,
    target: Path,
    *,
    version: str = FIRST_VERSION,
    over: Callable[[], OwnChanges] | None = None,
) -> ImportReport:
    """Try ``draft`` in a box, then write its project into ``target``. Code of the source runs only in boxes.

    ``over`` finds what its user changed in ``target``, which is a project already. It is asked after the trial, which
    may take minutes: what was changed meanwhile is kept too.

    Raises :class:`ImportRefusedError` when there are no tasks, or when no answer of the source can be judged.
    """
    with tempfile.TemporaryDirectory(prefix="verihub-import-") as scratch:
        draft, splits, repeated, judged = _tried(hub, draft, package_id, Path(scratch))
    tests = _first(splits)
    left_out = dict(draft.left_out)
    if draft.proved:
        failed = _unproved(judged)
        left_out |= failed
        splits, judged = _without(splits, failed), [each for each in judged if each[0]["task_id"] not in failed]
        tests = splits["test"]
    report = replace(_report_of(draft, package_id, judged), repeated=repeated, tests=len(tests), left_out=left_out)
    cases = [case for case, _, accepted in judged if accepted is not None]
    if not cases:
        why = next(iter(report.unjudged), "it has no answers")
        raise ImportRefusedError(f"none of its answers could be judged: {why}")
    stored = {"test": tests} if draft.generates else splits
    defects = defects_of([(case, accepted) for case, _, accepted in judged], draft.provenance)
    ids = {case["id"] for case in cases}
    changes = over() if over else None
    own = [case for case in changes.cases_for(stored) if case.get("id") not in ids] if changes else []
    lost = len(changes.cases) - len(own) if changes else 0
    report = replace(report, defects=len(defects), own_cases=len(own), lost_cases=lost)
    kept = write_project(
        target,
        package_id,
        draft,
        version=version,
        splits=stored,
        cases=[*cases, *own],
        defects=defects,
        readme=readme_of(draft, report, tests),
        over=over is not None,
        own=changes,
    )
    return replace(report, kept=kept)


def _tried(
    hub: Hub, draft: Draft, package_id: str, scratch: Path
) -> tuple[Draft, dict[str, list[dict[str, Any]]], int, list[tuple[Mapping[str, Any], Verdict, bool | None]]]:
    """The final draft, its tasks by split, how many test prompts repeat, and its cases with their verdicts."""
    if draft.then is not None:
        draft = draft.then(_told(hub, draft, package_id, scratch / "first"))
    if draft.model:
        draft = replace(draft, model={"name": _offered_model(hub), **draft.model})
    trial = scratch / "trial"
    write_project(trial, package_id, draft, splits=draft.splits)
    environment = hub.environment(trial)
    splits, repeated = _splits(environment, draft)
    tests = _first(splits)
    made = draft.cases or _made_cases(draft, tests)
    known = tests if draft.generates else [task for rows in splits.values() for task in rows]
    return draft, splits, repeated, _judged(environment, known, made)


def _first(splits: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The tasks that its cases are about: those of test, or of the only split there is."""
    return splits["test"] if "test" in splits else next(iter(splits.values()))


def _told(hub: Hub, draft: Draft, package_id: str, folder: Path) -> Mapping[str, Any]:
    """Run a first ``draft``: the ``info`` of its first task, from which the importer makes the final draft."""
    write_project(folder, package_id, draft)
    try:
        (first,) = hub.environment(folder).task_list("test" if draft.evaluation else "train", limit=1)
    except CheckFailedError as error:
        raise ImportRefusedError(f"its code fails: {_in_one_line(str(error))}") from None
    told = first.get("info")
    if not isinstance(told, Mapping):
        raise ImportRefusedError("its first task has no info, which the rest of it is made from")
    return told


def _offered_model(hub: Hub) -> str:
    """The name of the model that judges here, for which the verifier is then made."""
    model = hub.settings.judge_model
    if not model:
        raise ImportRefusedError(
            "it asks a model to judge, and none is offered: name one with --judge-model local:smollm2 or "
            "--judge-model http://localhost:8000/v1#NAME, and the verifier is made for that one"
        )
    return model.removeprefix(LOCAL) if model.startswith(LOCAL) else model.partition("#")[2]


def _made_cases(draft: Draft, tests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if draft.session:
        return played_cases(tests, one_right_answer=draft.one_right_answer)
    return labelled_cases(tests, draft.response, one_right_answer=draft.one_right_answer)


def _splits(environment: Environment, draft: Draft) -> tuple[dict[str, list[dict[str, Any]]], int]:
    """Split -> the tasks to store, and how many test prompts also occur among the first training tasks."""
    if not draft.generates:
        return {split: [dict(row) for row in rows] for split, rows in draft.splits.items()}, 0
    counts = {"test": draft.evaluation, "train": 0} if draft.evaluation else _DRAWN
    try:
        drawn = {split: environment.task_list(split, limit=count) if count else [] for split, count in counts.items()}
    except CheckFailedError as error:
        raise ImportRefusedError(f"its generator fails: {_in_one_line(str(error))}") from None
    if not drawn["test"]:
        raise ImportRefusedError("its generator makes no task")
    seen = set(map(_identity, drawn["train"]))
    fresh: dict[str, dict[str, Any]] = {}
    for task in drawn["test"]:
        fresh.setdefault(_identity(task), {key: task[key] for key in _STORED if key in task})
    if len(fresh) == 1:
        if len(seen | set(fresh)) > 1:
            raise ImportRefusedError("its test split has one task only: bring more rows, or test rows of their own")
        raise ImportRefusedError("all its tasks are the same, so training and test tasks would be the same")
    if environment.task_list("test", start=1, limit=_ASKED_AGAIN) != drawn["test"][1 : 1 + _ASKED_AGAIN]:
        raise ImportRefusedError("the same split, seed and index gave another task when it was asked for again")
    return {"test": list(fresh.values())}, sum(identity in seen for identity in fresh)


def _identity(task: Mapping[str, Any]) -> str:
    """Equal for two tasks that are the same one: the prompt and, in a game, the deal, which a prompt need not show."""
    return f"{task['prompt']}\0{(task.get('info') or {}).get('deal', '')}"


def _judged(
    environment: Environment, tasks: Sequence[Mapping[str, Any]], cases: Sequence[Mapping[str, Any]]
) -> list[tuple[Mapping[str, Any], Verdict, bool | None]]:
    """Each case with its verdict and whether the verdict accepts it (None: not judged)."""
    by_id = {task["id"]: dict(task) for task in tasks}
    for case in cases:
        if "task" not in case and case.get("task_id") not in by_id:
            raise ImportRefusedError(f"case {case.get('id')!r} is about no task that there is: {case.get('task_id')!r}")
    requests = [
        ScoreRequest(
            id=str(index),
            task=case["task"] if "task" in case else by_id[case["task_id"]],
            **{key: case[key] for key in ("response", "messages", "state") if case.get(key) is not None},
        )
        for index, case in enumerate(cases)
    ]
    try:
        verdicts = environment.score_requests(requests, within_seconds=_JUDGED_WITHIN)
    except TimeoutError:
        raise ImportRefusedError(
            f"judging {counted(len(requests), 'answer')} took longer than {_JUDGED_WITHIN:g} s "
            "and was ended: try again where less else runs"
        ) from None
    return [
        (case, verdict, verdict.accepts(environment.rewards)) for case, verdict in zip(cases, verdicts, strict=True)
    ]


def _unproved(judged: Sequence[tuple[Mapping[str, Any], Verdict, bool | None]]) -> dict[str, str]:
    """Task -> why its own right case was not accepted."""
    return {
        case["task_id"]: f"its own solution does not pass its tests in a box: {_told_by(verdict)}"
        for case, verdict, accepted in judged
        if case["label"] == "correct" and not accepted
    }


def _told_by(verdict: Verdict) -> str:
    if verdict.error:
        return _why(verdict)
    lines = [line.strip(" =\t") for line in str(verdict.info.get("tests") or "").splitlines() if line.strip(" =\t")]
    return (lines[-1] if lines else "its tests say nothing")[:200]


def _without(splits: Mapping[str, list[dict[str, Any]]], failed: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """``splits`` without those tasks. Where test would be empty, a task of train takes its place."""
    kept = {split: [task for task in rows if task["id"] not in failed] for split, rows in splits.items()}
    if not kept["test"] and kept.get("train"):
        kept["test"].append(kept["train"].pop())
    if not kept["test"]:
        name, why = next(iter(failed.items()))
        raise ImportRefusedError(f"none of its tasks works in a box; {name}: {why}")
    return {split: rows for split, rows in kept.items() if rows}


def _report_of(
    draft: Draft, package_id: str, judged: Sequence[tuple[Mapping[str, Any], Verdict, bool | None]]
) -> ImportReport:
    """Count how many right answers were accepted and how many wrong ones rejected."""
    tally = Counter((case["label"], accepted) for case, _, accepted in judged)
    unjudged = Counter(_why(verdict) for _, verdict, accepted in judged if accepted is None)
    right = (tally["correct", True], tally["correct", True] + tally["correct", False])
    wrong = (tally["incorrect", False], tally["incorrect", True] + tally["incorrect", False])
    return ImportReport(package_id, draft.provenance.source, draft.provenance.version, right, wrong, dict(unjudged))


def _why(verdict: Verdict) -> str:
    return _in_one_line(verdict.error.message if verdict.error else "")


def _in_one_line(said: str) -> str:
    """The last line before the frames of a traceback, which says what happened."""
    lines = [line.strip() for line in said.partition("\n  File ")[0].splitlines() if line.strip()]
    return (lines[-1] if lines else "no reason given")[:200]
