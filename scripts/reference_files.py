"""The reference pages of files and metrics, and how docstrings become Markdown. For ``reference.py``."""

import ast
import inspect
import re
import textwrap
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from sandbox.host.metrics import COUNTERS, TIMES
from schemas.evidence.audit import AuditReport, Determinism, Failure, Latency
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Measurement, ProbeOutcome, Rate
from schemas.lock import Lock, LockedPackage
from schemas.run import MetricPoint, RolloutRow
from schemas.task import Task

WRITTEN = "*This page is written from the code by `scripts/reference.py`; a test compares the two.*"

_FILES_WRITTEN: tuple[tuple[str, str, tuple[type[BaseModel], ...]], ...] = (
    ("tasks.jsonl", "One task a line, UTF-8, without NaN or Infinity. Parquet files have the same columns.", (Task,)),
    (
        "audit.jsonl",
        "One labelled case a line. It has a task or the id of one, and one way of answering.",
        (AuditCase,),
    ),
    (
        "verihub.lock",
        "TOML, written by `verihub lock`: everything that rewards depend on. `verihub sync` fetches exactly this.",
        (Lock, LockedPackage),
    ),
    (
        "report.json",
        "An audit's report, from `verihub audit --report` or a hub. A hub's is signed over its exact bytes.",
        (AuditReport, Measurement, Rate, ProbeOutcome, Determinism, Latency, Failure),
    ),
    (
        "metrics.jsonl",
        "In the output folder of `verihub train`: one step a line. What is measured: [Train](../how_to/train.md).",
        (MetricPoint,),
    ),
    ("rollouts.jsonl", "In the same folder: one sample a line, of evaluations and of training.", (RolloutRow,)),
)
_MEANINGS = {
    "Task": {
        "id": "Unique in its split.",
        "prompt": "What the model sees: a text, or messages.",
        "answer": "For the verifier; the model never sees it.",
        "info": "More for the verifier; the model never sees it.",
        "tags": "Words to group tasks by. Audits and benchmarks report figures for each tag.",
        "split": "Empty: the split that its file belongs to.",
    },
    "AuditCase": {
        "id": "Unique in the package.",
        "task_id": "The id of a task of the package. A case has either this or `task`.",
        "task": "A task that only this case uses.",
        "response": "What the model did, as a text. A case has one of `response`, `messages`, `state`, `files`.",
        "messages": "What the model did, as a conversation.",
        "state": "What the model did, as the state that its session left.",
        "files": "What the model did, as files by their names.",
        "label": "`correct` (must be accepted) or `incorrect` (must be rejected).",
        "expect": "The right value of single rewards.",
        "origin": "Who made it; set by Verihub.",
        "tags": "Words to group cases by: each is a slice of the report.",
        "note": "Why the label is right.",
        "source": "Where the case comes from.",
        "licence": "The licence of the case's text.",
        "disputed": "Somebody says that its label is wrong; set by the hub.",
    },
    "Lock": {
        "lock_version": "The version of this format.",
        "references": "What `verihub lock` was asked for.",
        "package": "These packages and all that they depend on.",
    },
    "LockedPackage": {
        "id": "`owner/name`.",
        "version": "The exact release.",
        "size_bytes": "The size of the wheel.",
        "published_at": "When it was published, by the hub's clock.",
    },
    "AuditReport": {
        "format": "The version of this format.",
        "digest": "The digest of the wheel that was measured.",
        "suite_digest": "The digest of all cases together.",
        "image_digest": "The digest of the image that the wheel ran in.",
        "runner_version": "The version of Verihub that ran the audit.",
        "isolation": "The isolation level that calls ran at.",
        "grade": "A to F, or U: unrated.",
        "overall": "Rates of the verifier as a whole.",
        "rewards": "Rates of each reward, by its name.",
        "probes": "Each family of generated cases by its name. They are in no rate.",
        "determinism": "Whether repeated calls gave the same vector.",
        "latency_ms": "How long calls took.",
        "unscored_reasons": "How many cases could not be judged, by the kind of error.",
        "power_hint": "How many more answers to label for a better grade, in words.",
        "disputed": "Cases whose label is disputed.",
        "failures": "Cases with a wrong verdict, at most some hundred.",
        "case_count": "Labelled cases that were run.",
        "audited_at": "When the audit ended.",
        "signature": "The hub's signature, or null.",
    },
    "Measurement": {
        "tp": "Right answers accepted.",
        "fp": "Wrong answers accepted.",
        "tn": "Wrong answers rejected.",
        "fn": "Right answers rejected.",
        "unscored": "Not judged; in none of the four.",
        "fpr": "fp / (fp + tn).",
        "fnr": "fn / (fn + tp).",
    },
    "Rate": {"value": "The rate.", "low": "Lower end.", "high": "Upper end."},
    "ProbeOutcome": {
        "cases": "How many cases were run.",
        "failures": "How many verdicts were wrong.",
        "unscored": "How many cases were not judged.",
        "expects": "The label of its cases.",
        "rule": "Why the label is certain.",
    },
    "Determinism": {"repeats": "Runs of each case.", "flips": "Cases whose vector changed."},
    "Latency": {"p50": "Median.", "p95": "95th percentile.", "p99": "99th percentile."},
    "Failure": {
        "case": "The id of the case.",
        "expected": "The vector that was expected, or the label.",
        "got": "The vector that the verifier returned.",
        "origin": "Who made the case.",
        "kind": "Accepted wrongly, rejected wrongly, or not judged.",
        "tags": "The tags of the case.",
        "note": "The note of the case.",
        "task": "The task.",
        "response": "What was judged.",
        "error": "Why it could not be judged.",
    },
    "MetricPoint": {
        "step": "The training step; 0 is before training.",
        "at": "When, in UTC.",
        "values": "The metrics by name; null stands for what is not finite.",
    },
    "RolloutRow": {
        "step": "The training step.",
        "package": "The environment that the task is from.",
        "task_id": "The task's id.",
        "prompt": "What the model saw.",
        "response": "What the model wrote.",
        "rewards": "The rewards by name; null could not be judged.",
        "error": "Why it could not be judged.",
        "advantage": "What it was trained with; null outside training.",
        "tokens": "Tokens of the response.",
    },
}
"""What a field means, where its class does not say."""
_EVALUATION = """## The folder of an evaluation

`verihub eval --output FOLDER` keeps what it did there, so that the same command goes on after a stop.

| file | holds |
|---|---|
| `attempts.jsonl` | one attempt a line; its fields are below |
| `evaluation.json` | the settings that must not change: model, temperature, `--max-tokens` |
| `run.json`, `sent.txt` | the run on the hub, and which rollouts it has |

An attempt: `cell` (digests of environment and harness, and the seed), `task_id`, `sample`, `messages`, `state`,
`completions` and `tool_calls` (how many; with those of a session's own tools), `truncated`, `overflow`, `error`.

## A recipe package

A package of kind `recipe`: `verihub.toml` names a TOML file (`recipe = "recipe.toml"`) in the format of
[recipes](recipes.md). It holds no code. `verihub train … --recipe OWNER/NAME` uses it."""


def files_page() -> str:
    """The fields of every file that Verihub writes or reads."""
    blocks = [
        "# Files and their fields",
        f"The files that Verihub reads and writes, and what their fields mean.\n{WRITTEN}",
    ]
    for name, text, models in _FILES_WRITTEN:
        blocks += [f"## {name}", text]
        for model in models:
            if model is not models[0]:
                blocks.append(f"**{model.__name__}**: {first(model.__doc__)}")
            blocks.append(_model_table(model))
    return "\n\n".join([*blocks, _EVALUATION]) + "\n"


def _model_table(model: type[BaseModel]) -> str:
    docs = {**_MEANINGS.get(model.__name__, {}), **docstrings(model)}
    rows = []
    for name, field in model.model_fields.items():
        kind = re.sub(r"\b(?:\w+\.)+(?=\w)", "", _type_of(field.annotation))
        rows.append(f"| `{field.alias or name}` | `{cell(kind)}` | {cell(docs.get(name, ''))} |")
    return "\n".join(["| field | type | meaning |", "|---|---|---|", *rows])


def _type_of(annotation: Any) -> str:
    """A type as an author would write it, without what only validates it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_of(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join("None" if one is NoneType else _type_of(one) for one in arguments)
    if origin is Literal or not arguments:
        return str(annotation.__name__ if isinstance(annotation, type) else annotation)
    inner = ", ".join("..." if one is ... else _type_of(one) for one in arguments)
    return f"{origin.__name__}[{inner}]"


def metrics_page() -> str:
    """The sandbox's metrics, as Prometheus reads them."""
    rows = [
        f"| `verihub_sandbox_{name}_total` | {', '.join(labels) or '–'} | {said} |"
        for name, (labels, said) in COUNTERS.items()
    ]
    times = [f"| `verihub_sandbox_{name}_seconds` | package, quantile | {said} |" for name, said in TIMES.items()]
    head = ["| name | labels | meaning |", "|---|---|---|"]
    return f"""# Metrics of the sandbox

`Sandbox.render_metrics()` and a hub's `/metrics` have these. A hub has
[some of its own](../how_to/run_a_hub.md#watch-it).
{WRITTEN}

## Counters

{chr(10).join(head + rows)}

## Times

Quantiles 0.5, 0.95 and 0.99 of the latest 2,048; `_count` and `_sum` of all.

{chr(10).join(head + times)}

## Gauges

| name | labels | meaning |
|---|---|---|
| `verihub_sandbox_boxes` | state | boxes now |
| `verihub_sandbox_call_max_rss_bytes` | package | the largest memory of a call's own process |
| `verihub_sandbox_box_memory_bytes` | package | whole boxes now, from their cgroups |
| `verihub_sandbox_box_peak_memory_bytes` | package | the most that they had |
"""


def docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The text after each field, of the class and of those that it extends."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if not (issubclass(base, BaseModel) and base.__module__.split(".")[0] not in ("pydantic", "pydantic_settings")):
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]  # a class
        for field, text in pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                found[field.target.id] = prose(str(text.value.value))  # type: ignore[union-attr]  # a name
    return found


def first(text: str | None) -> str:
    return prose(inspect.cleandoc(text or "").split("\n\n")[0])


def prose(text: str) -> str:
    """A docstring as Markdown, on one line a paragraph."""
    text = re.sub(r":\w+:`~?([^`]*)`", lambda found: f"`{found[1].rsplit('.', 1)[-1]}`", text)
    paragraphs = inspect.cleandoc(text).replace("``", "`").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
