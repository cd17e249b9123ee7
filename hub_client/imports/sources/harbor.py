"""Harbor: folders of tasks, played command by command in solution boxes and judged by the tasks' own tests."""

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hub_client.errors import UsageError
from hub_client.imports.draft import Draft, ImportRefusedError, Item, Needs, Provenance
from hub_client.imports.harbor_folder import TaskFolder, read_tasks
from hub_client.imports.harbor_recipe import HarborTask, make_recipe
from hub_client.imports.registry import Request
from hub_client.imports.source import code_of
from hub_client.releases.dependencies import lock_dependencies

_PYTEST = "pytest>=8.3,<8.4"
"""Later ones need a library for colours, which would travel into a box with each verdict."""
_SECONDS, _TEST_SECONDS = 20, 45
_LARGEST = 48 << 20  # of all tasks: a hub takes wheels of 64 MB unless its operator says otherwise
_TEST_SHARE = 10  # chosen: one task in so many is for tests
_CHEATS = 8
_PLANTED = (
    "mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; echo '{\"reward\": 1}' > /logs/verifier/reward.json"
)
_ASK = (
    "\n\n---\n\nYou work in the folder {workdir}. Call bash, or write one fenced block of bash, to run a command "
    "there. Files stay from command to command; processes and variables of the shell do not. There is no network, and "
    "Python has its own library only. Run a file of yours as `bash FILE` or `python3 FILE`. A command takes at "
    "most {seconds} s, and there are 50 of them. When you have finished, answer without a command."
)
_BOXES = (
    "A command runs in a solution box that holds the task's folder and nothing else; the tests run in another one, "
    "with pytest, after the last command. No container of the task's own is built."
)
_PATHS = (
    "Absolute paths of the task, such as `/app`, lie below a folder of the box. They are exchanged in commands, "
    "scripts and output, so a program that puts such a path together from parts does not find it. Files cannot be "
    "executed directly."
)
_STATE = (
    "The state of an episode is its list of commands; the verifier runs them again. Tests that end without a reward "
    "file count as 0."
)
_NOTES = (
    _BOXES,
    _PATHS,
    "Where the tests start the model's programs, those run beside the tests and could write the reward, as in Harbor.",
    _STATE,
)


class Harbor:
    """One folder: ``where`` is a task, or a folder of tasks."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def _tasks(self) -> list[TaskFolder]:
        if not self._request.where:
            raise UsageError("name a folder of tasks: `verihub import harbor:FOLDER OWNER/NAME`")
        return read_tasks(Path(self._request.where))

    @functools.cached_property
    def _sorted(self) -> tuple[list[HarborTask], dict[str, str]]:
        """The tasks that a box can hold; name -> why another one cannot be held."""
        kept: list[HarborTask] = []
        refused: dict[str, str] = {}
        for task in self._tasks:
            try:
                kept.append(make_recipe(task))
            except ImportRefusedError as error:
                refused[task.name] = str(error)
        return kept, refused

    def items(self) -> list[Item]:
        """Every task of the folder, with the reason where a box cannot hold it."""
        kept, refused = self._sorted
        lines = {recipe.name: recipe.instruction.partition("\n")[0][:100] for recipe in kept}
        return [Item(task.name, lines.get(task.name, ""), refused.get(task.name, "")) for task in self._tasks]

    def draft(self, item: str) -> Draft:
        """One package with all tasks that fit. Raises :class:`ImportRefusedError` where none does."""
        kept, refused = self._sorted
        if not self._request.licence:
            raise UsageError("give the tasks' licence, since all on a hub is public: for example --licence Apache-2.0")
        if not kept:
            name, reason = next(iter(refused.items()))
            raise ImportRefusedError(f"none of its tasks fits a box; {name}: {reason}")
        names = _ids(kept)
        files = {f"tasks/{names[recipe.name]}.json": json.dumps(recipe.told).encode() for recipe in kept}
        if sum(map(len, files.values())) > _LARGEST:
            raise ImportRefusedError(f"its tasks hold over {_LARGEST >> 20} MB: import parts of it")
        words = {"TEST_SECONDS": str(_TEST_SECONDS), "SECONDS": str(_SECONDS)}
        return Draft(
            Provenance(f"harbor:{item}", self._version, self._request.licence),
            summary=f"Tasks of Harbor with a shell: {Path(item).resolve().name}",
            code=code_of("harbor", words),
            rewards={
                "reward": {"description": "what the task's own tests gave", "threshold": 1.0},
                "commands": {"description": "commands that were run", "role": "metric", "range": [0.0, 50.0]},
            },
            needs=self._needs(),
            splits=_splits(kept, names),
            session=True,
            proved=True,
            cases=[case for number, recipe in enumerate(kept) for case in _cases(recipe, names[recipe.name], number)],
            tags=["multi-turn", "tools", "shell"],
            notes=[*_NOTES, *_left_out(kept), _without_solution(kept)],
            files={"in_the_box.py": code_of("harbor_box").encode(), **files},
            left_out=refused,
            memory_mb=1024,
            timeout_seconds=120.0,
        )

    def _needs(self) -> Needs:
        dependencies = [_PYTEST]
        return Needs(dependencies, (), lock_dependencies(dependencies, self._request.cache))

    @property
    def _version(self) -> str:
        whole = hashlib.sha256()
        for task in self._tasks:
            for path, file in task.files.items():
                whole.update(f"{task.name}\0{path}\0{len(file.data)}\0".encode() + file.data)
        return f"sha256-{whole.hexdigest()[:12]}"


def _ids(recipes: Sequence[HarborTask]) -> dict[str, str]:
    """Task -> an id of its own: its folder's name, with those above it where two have the same."""
    last = [recipe.name.rpartition("/")[2] for recipe in recipes]
    return {
        recipe.name: short
        if last.count(short) == 1
        else f"{short}-{hashlib.sha256(recipe.name.encode()).hexdigest()[:8]}"
        for recipe, short in zip(recipes, last, strict=True)
    }


def _splits(recipes: Sequence[HarborTask], names: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """One task in ten is for test; so is every one that a canary keeps out of training, and all where there are few."""
    splits: dict[str, list[dict[str, Any]]] = {"test": []}
    for recipe in recipes:
        name = names[recipe.name]
        drawn = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % _TEST_SHARE
        kept_out = recipe.has_canary or len(recipes) <= _TEST_SHARE
        task = {
            "id": name,
            "prompt": recipe.instruction + _ASK.format(workdir=recipe.told["workdir"], seconds=_SECONDS),
            "answer": None if recipe.solution is None else [recipe.solution],
            "info": {"task": name},
        }
        splits.setdefault("test" if kept_out or not drawn else "train", []).append(task)
    if not splits["test"]:
        splits["test"].append(splits["train"].pop())
    return splits


def _cases(recipe: HarborTask, name: str, number: int) -> list[dict[str, Any]]:
    """The task's own solution is right; doing nothing, and writing the reward oneself, are wrong."""
    forms: list[tuple[str, list[str], str]] = [("nothing-done", [], "incorrect")]
    if recipe.solution is not None:
        forms.insert(0, ("own-solution", [recipe.solution], "correct"))
    if number < _CHEATS:
        forms.append(("planted-reward", [_PLANTED], "incorrect"))
    return [
        {
            "id": f"{name}-{form}",
            "task_id": name,
            "state": {"moves": moves},
            "label": label,
            "tags": [form],
            **({"cluster": form} if form == "planted-reward" else {}),
            "source": "made at the import",
        }
        for form, moves, label in forms
    ]


def _left_out(recipes: Sequence[HarborTask]) -> list[str]:
    found = sorted({package for recipe in recipes for package in recipe.left_out})
    said = f"Images install these too, which no file of their tasks names, and boxes do not have: {', '.join(found)}."
    return [said] if found else []


def _without_solution(recipes: Sequence[HarborTask]) -> str:
    bare = sum(recipe.solution is None for recipe in recipes)
    if not bare:
        return "Every task's own solution passes its tests in a box: a task whose solution does not is left out."
    return (
        f"{bare} of {len(recipes)} tasks come without a solution, so nothing shows that their tests can be passed in a "
        "box. Of the others, those whose solution passes are here."
    )
