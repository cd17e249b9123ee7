"""Checks an author's source without running it: whether it parses, and defines what verihub.toml names.

A fault is certain: `verihub publish` refuses it, because a release never changes. What only running can tell is none.
"""

import ast
import difflib
import sys
from collections.abc import Iterator

from schemas.sources import EntryPoint
from schemas.wheels.box_python import as_numbers
from schemas.wheels.wheel import WheelContents

_ARGUMENTS = {
    "verifier": {"task", "response", "messages", "state", "files", "info"},
    "harness": {"task", "messages", "tools", "session_tools", "interactive", "seed"},
}
_RUNTIME_NAMES = {"*", "__getattr__"}
"""A module that imports ``*``, or has this function, may have names that its text does not show."""

_CODE_RUNNERS = {
    "eval", "exec", "os.popen", "os.system", "runpy.run_path",
    *(f"subprocess.{name}" for name in ("Popen", "call", "check_call", "check_output", "run")),
}  # fmt: skip


def source_faults(contents: WheelContents) -> list[str]:
    """One sentence for each fault. Imports that exist only at run time are not followed.

    When the boxes' Python is newer than this one, a syntax error here may be valid there. The box then decides.
    """
    python = contents.metadata.box_python
    version = as_numbers(python)
    trees: dict[str, ast.Module] = {}
    faults = []
    for path, content in contents.files.items():
        if path.endswith(".py"):
            try:
                trees[path] = ast.parse(content, filename=path, feature_version=version)
            except (SyntaxError, ValueError) as error:
                if version > sys.version_info[:2]:
                    continue
                line = getattr(error, "lineno", None)
                faults.append(f"{path}{f':{line}' if line else ''}: is not valid Python {python}: {error}")
    for label, point in contents.manifest.entry_points.items():
        faults += _entry_point_faults(label, point, trees)
    return faults


def source_remarks(contents: WheelContents) -> list[str]:
    """Where a verifier runs code in its own box, which is often the model's: that code can change its own verdict."""
    knows_it = any(b"run_solution" in content for path, content in contents.files.items() if path.endswith(".py"))
    if contents.manifest.verifier is None or knows_it:
        return []
    found = []
    for path, content in sorted(contents.files.items()):
        if path.endswith(".py"):
            try:
                tree = ast.parse(content)
            except (SyntaxError, ValueError):  # a fault, or of a newer Python than this one
                continue
            calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
            found += [(path, call.lineno, how) for call in calls if (how := _runs_code(call.func))]
    if not found:
        return []
    path, line, how = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    remark = f"{path}:{line} calls {how}{more}. Where that runs what a model wrote, it can change its own verdict: "
    return [f"{remark}run it by `run_solution` of sandbox.guest, in another box (docs/explanation/sandbox.md)"]


def _runs_code(called: ast.expr) -> str:
    """The name of what is called where it runs code, or empty."""
    if isinstance(called, ast.Name):
        return called.id if called.id in _CODE_RUNNERS else ""
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        name = f"{called.value.id}.{called.attr}"
        return name if name in _CODE_RUNNERS else ""
    return ""


def _entry_point_faults(label: str, point: EntryPoint, trees: dict[str, ast.Module]) -> Iterator[str]:
    module, name = point.module, point.name
    stem = module.replace(".", "/")
    tree = trees.get(f"{stem}.py") or trees.get(f"{stem}/__init__.py")
    if tree is None:
        return  # a missing module was reported by the wheel's reader, a broken one above
    names = _defined(tree)
    found = names.get(name)
    if found is None:
        if _RUNTIME_NAMES.isdisjoint(names):
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield f"verihub.toml: {label} = {str(point)!r}, but {module} defines no {name}{hint}"
    elif label in _ARGUMENTS and isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        unknown = sorted(_required_arguments(found) - _ARGUMENTS[label])
        if unknown:
            known = ", ".join(sorted(_ARGUMENTS[label]))
            yield f"{module}: {name} wants {', '.join(unknown)}; a {label}'s arguments are bound by name from {known}"
        if label == "harness" and not found.decorator_list and not _yields(found):
            yield f'{module}: {name} must be a generator: it yields actions such as {{"complete": messages}}'
    elif label == "session":
        yield from _session_faults(point, found)


def _session_faults(point: str, found: ast.AST) -> Iterator[str]:
    if not isinstance(found, ast.ClassDef | ast.alias):
        yield f"verihub.toml: session = {str(point)!r} must be a class with reset and step"
    elif isinstance(found, ast.ClassDef) and not found.bases:
        missing = sorted({"reset", "step"} - {item.name for item in found.body if isinstance(item, ast.FunctionDef)})
        if missing:
            yield f"verihub.toml: session = {str(point)!r} lacks {' and '.join(missing)}"


def _yields(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the function itself (and not one that it defines) is a generator."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(node)
    return False


def _defined(tree: ast.Module) -> dict[str, ast.AST]:
    """Top-level names: functions, classes, imports and assignments (also inside ``if``, ``try``, ``for``, …)."""
    names: dict[str, ast.AST] = {}
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update({(alias.asname or alias.name).split(".")[0]: alias for alias in node.names})
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = (part for target in targets for part in ast.walk(target))
            names.update({part.id: node for part in parts if isinstance(part, ast.Name)})
        else:
            inside = ast.iter_child_nodes(node)
            pending += [part for part in inside if isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case)]
    return names


def _required_arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    plain = [*function.args.posonlyargs, *function.args.args]
    without_default = plain[: len(plain) - len(function.args.defaults)]
    keyword = [
        argument
        for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        if default is None
    ]
    return {argument.arg for argument in [*without_default, *keyword]}
