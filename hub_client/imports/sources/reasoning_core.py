"""reasoning-core: symbolic tasks generated without end, each with the library's own scorer."""

import ast
import functools
import re
from collections.abc import Iterable, Mapping

from hub_client.imports.draft import Draft
from hub_client.imports.source import LibrarySource, code_of

_TASKS = "reasoning_core.tasks."
_BASES = ("Task", "DevTask")
_NOT_NEEDED = {"tiktoken", "litlm", "nfsdict", "reasoning_gym"}
"""What it imports inside functions only: for counting tokens, asking models and other collections of tasks."""


class ReasoningCore(LibrarySource):
    """The tasks that the newest ``reasoning-core`` lists on its data set's card, by area."""

    name = "reasoning-core"
    distribution = "reasoning-core"
    licence = "MIT"

    @functools.cached_property
    def _listed(self) -> dict[str, str]:
        """Task -> its area, from the library's table of areas."""
        for node in self.library.modules["reasoning_core.registry"].body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "AREAS":
                areas: dict[str, tuple[str, ...]] = ast.literal_eval(node.value)
                return {task: area for area, tasks in areas.items() for task in tasks}
        return {}

    @functools.cached_property
    def _classes(self) -> dict[str, tuple[str, str, str]]:
        """Task -> module, class and one line about it."""
        found = {}
        for module, tree in self.library.modules.matching(_mention(self._listed)):
            for node in tree.body if module.startswith(_TASKS) and ".deprecated" not in module else []:
                if isinstance(node, ast.ClassDef) and any(ast.unparse(base) in _BASES for base in node.bases):
                    said = {
                        ast.unparse(each.targets[0]): each.value for each in node.body if isinstance(each, ast.Assign)
                    }
                    name, line = (_text(said.get(key)) for key in ("task_name", "summary"))
                    found[name or _underscored(node.name)] = (module, node.name, line)
        return {task: found[task] for task in self._listed if task in found}

    def offers(self) -> Mapping[str, str]:
        return {task: line or task.replace("_", " ") for task, (_, _, line) in self._classes.items()}

    def make(self, item: str) -> Draft:
        module, kind, _ = self._classes[item]
        return Draft(
            self.provenance(item),
            summary=self.offers()[item][:200],
            code=code_of("reasoning_core", {"MODULE": module, "KIND": kind}),
            rewards={"score": {"description": "what the library's score_answer says; 1 is right", "threshold": 1.0}},
            needs=self.library.needs(self.library.imports(module) - _NOT_NEEDED),
            generates=True,
            response="<answer>{answer}</answer>",
            tags=[self._listed[item].partition(" ")[0].lower().strip(",&"), "procedural", "single-turn"],
            memory_mb=1024,
            timeout_seconds=120.0,
            notes=[
                "Tasks are of the library's first level of difficulty. Lengths are counted in words, not in tokens.",
                *_warnings(self.library.modules[module]),
            ],
        )


_RUN_TEXT = {"eval", "exec", "sympify", "parse_expr"}


def _warnings(module: ast.Module) -> list[str]:
    """What a reader should know of code that runs texts as Python. Whether it does so with answers is not decided."""
    called = [node.func for node in ast.walk(module) if isinstance(node, ast.Call)]
    names = {func.id for func in called if isinstance(func, ast.Name)}
    names |= {func.attr for func in called if isinstance(func, ast.Attribute) and func.attr not in ("eval", "exec")}
    found = ", ".join(f"`{name}`" for name in sorted(names & _RUN_TEXT))
    warning = (
        f"The library's code for this task runs texts as Python ({found}). Where it does so with an answer, a response "
        "can change its own verdict: read the scorer before you train on it."
    )
    return [warning] if found else []


def _text(value: ast.expr | None) -> str:
    return str(value.value) if isinstance(value, ast.Constant) else ""


def _mention(tasks: Iterable[str]) -> re.Pattern[bytes]:
    """Finds the modules that may hold one of ``tasks``: its name as a text, or the class that is called after it.

    The library has over two thousand modules of experiments.
    """
    named = "|".join(map(re.escape, tasks))
    return re.compile(rf"[\"'](?:{named})[\"']|class (?:{named.replace('_', '')})\(".encode(), re.IGNORECASE)


def _underscored(name: str) -> str:
    """``GraphPathfinding`` as ``graph_pathfinding`` and ``TableQA`` as ``table_qa``, as the library calls them."""
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
