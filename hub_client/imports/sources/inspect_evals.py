"""inspect_evals: evaluations with one question and one answer, asked and judged by their own solvers and scorers."""

import ast
import functools
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hub_client.imports.draft import Draft, Needs
from hub_client.imports.given_rows import read_given_rows
from hub_client.imports.reported_rewards import asked_model, declared, form_words, read_report
from hub_client.imports.source import LibrarySource, code_of
from hub_client.releases.dependencies import lock_dependencies

_STANDS_IN = {
    "_stand_ins/not_carried.py": "not_carried",
    "_stand_ins/datasets/__init__.py": "datasets",
    "_stand_ins/asked_model.py": "asked_model",
}
_HINT = " of a folder, and give that with --rows"
_LEFT_OUT = ("datasets", "huggingface-hub", "hf-xet", "debugpy", "s3fs", "aiobotocore")
"""Dependencies that a box cannot use (they fetch data) or does not need (a debugger)."""
_DECORATED = re.compile(rb"^@task\b", re.MULTILINE)
_MOST = 5000
"""The most samples that are taken of one evaluation."""
_NOTES = (
    "The evaluation's own solver writes the prompt, and its own scorer judges, with inspect_ai, in the box.",
    "`datasets` and `huggingface_hub` are not installed: `_stand_ins` reads rows that came along.",
    "The first value of the scorer is the reward; others are metrics. A grade `C` is 1, `P` 0.5, `I` and `N` are 0.",
    "All tasks are for test: it is an evaluation and has no training split.",
)
_ASKED = (
    "Its scorer asks a model, by the prompts in `[model]`, through the hub that runs the verifier. It is made for the "
    "model that judged at the import, whichever one the evaluation names. Texts of the task and the response stand "
    "between marks, so the words around them differ a little from those that inspect_ai sends. Answers are read by "
    "the scorer's own code."
)
_ANSWER_TOKENS = 512


class InspectEvals(LibrarySource):
    """The functions of ``inspect-evals`` that are decorated as tasks."""

    name = "inspect-evals"
    distribution = "inspect-evals"

    @functools.cached_property
    def _tasks(self) -> dict[str, tuple[str, str]]:
        """Task -> its module, and the first line about it."""
        found = {
            node.name: (module, (ast.get_docstring(node) or "").partition("\n")[0].strip())
            for module, tree in self.library.modules.matching(_DECORATED)
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and any(map(_is_task, node.decorator_list))
        }
        return dict(sorted(found.items()))

    def offers(self) -> Mapping[str, str]:
        return {name: line or module for name, (module, line) in self._tasks.items()}

    @functools.cached_property
    def _needs(self) -> Needs:
        dependencies = [f"{self.library.name}=={self.library.version}"]
        lock = lock_dependencies(dependencies, self._request.cache, without=_LEFT_OUT)
        return Needs(dependencies, sorted(_LEFT_OUT), lock)

    def make(self, item: str) -> Draft:
        module, line = self._tasks[item]
        origin = replace(self.provenance(item), arguments=dict(self._request.arguments))
        words = {"MODULE": module, "TASK": item, "ARGUMENTS": repr(dict(origin.arguments))}
        stand_ins = {"HOST": "not_carried", "ROWS": "rows", "HINT": _HINT}
        first = Draft(
            origin,
            summary=line or f"The evaluation {item} of inspect_evals",
            code=_code(words, None, ["score"], []) + "\n\ngenerate = describe\n",
            rewards={"score": {}},
            needs=self._needs,
            generates=True,
            evaluation=1,
            files={
                **{path: code_of(template, stand_ins).encode() for path, template in _STANDS_IN.items()},
                **read_given_rows(self._request.rows),
            },
            tags=["evaluation", "single-turn"],
            memory_mb=1024,
            timeout_seconds=120.0,
        )
        return replace(first, then=functools.partial(_complete, first, words))


def _is_task(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(named, ast.Name) and named.id == "task"


def _code(words: Mapping[str, str], form: str | None, names: list[str], prompts: list[dict[str, str]]) -> str:
    own = {"FORM": repr(form), "NAMES": repr(names), "PROMPTS": repr(prompts)}
    return code_of("inspect_evals", {**words, **own})


def _complete(first: Draft, words: Mapping[str, str], told: Mapping[str, Any]) -> Draft:
    """``first`` with what the evaluation's code told of its scorers in a box."""
    found = read_report(told)
    taken = min(found.tasks, _MOST)
    some = () if taken == found.tasks else (f"{taken} of its {found.tasks} samples are here.",)
    return replace(
        first,
        code=_code(words, found.form, list(found.rewards), [prompt.model_dump() for prompt in found.prompts]),
        model=asked_model(found, _ANSWER_TOKENS),
        rewards=declared(found, "what a scorer of the evaluation says"),
        response=found.form or "{answer}",
        evaluation=taken,
        notes=[*_NOTES, *([_ASKED] if found.prompts else []), *some, form_words(found.form)],
        then=None,
    )
