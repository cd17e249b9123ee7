"""The names of all components and of their parameters, without importing any.

A mistyped name is reported before anything slow begins. Importing the components would import torch, which takes about
five seconds of CPU time, so the names are read from their source files. ``make_component`` refuses the same names from
the classes.
"""

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from schemas.wording import nearest
from trainer_bridge.errors import RecipeError

Parameters = Mapping[str, tuple[str, ...]]
"""Component -> its parameters, of one kind."""


def refuse_unknown(kind: str, name: str, parameters: Iterable[str], known: Parameters) -> None:
    """Raise :class:`RecipeError` for an unknown component or parameter, with the nearest known name."""
    if name not in known:
        raise RecipeError(f"{kind}: there is no component {name!r}; {nearest(name, known)}")
    for parameter in parameters:
        if parameter not in known[name]:
            raise RecipeError(f"{kind} {name} has no parameter {parameter!r}; {nearest(parameter, known[name])}")


@cache
def component_parameters() -> Mapping[str, Parameters]:
    """Kind -> component -> parameters, as ``registry.COMPONENTS`` has them."""
    classes: dict[str, tuple[str, tuple[str, ...]]] = {}
    kinds: dict[str, list[str]] = {}
    for file in (files("trainer_bridge") / "components").iterdir():
        if file.name.endswith(".py"):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    classes |= _component(node)
                elif isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "_CLASSES":
                    kinds = _kinds(node)
    return {kind: dict(classes[name] for name in names) for kind, names in kinds.items()}


def _component(node: ast.ClassDef) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Class -> (name in recipes, parameters). Empty if recipes cannot name the class."""
    name, parameters = "", []
    for line in node.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            if not ast.unparse(line.annotation).startswith("ClassVar"):
                parameters.append(line.target.id)
            elif line.target.id == "name" and isinstance(line.value, ast.Constant):
                name = str(line.value.value)
    return {node.name: (name, tuple(parameters))} if name else {}


def _kinds(node: ast.AnnAssign) -> dict[str, list[str]]:
    """Kind -> classes, read from the table in the source of registry.py."""
    if not isinstance(node.value, ast.Dict):
        raise TypeError("registry._CLASSES is no dict display")
    pairs = zip(node.value.keys, node.value.values, strict=True)
    return {
        str(kind.value): [one.id for one in classes.elts if isinstance(one, ast.Name)]
        for kind, classes in pairs
        if isinstance(kind, ast.Constant) and isinstance(classes, ast.Tuple)
    }
