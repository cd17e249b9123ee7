"""Reading an author's source without running it: whether it parses, and defines what verihub.toml names."""

import ast
from collections.abc import Iterator

from schemas.wheel import WheelContents

BOX_PYTHON = (3, 11)
_VERIFY_ARGUMENTS = {"task", "response", "messages", "state", "files", "info"}


def source_faults(contents: WheelContents) -> list[str]:
    """One sentence a fault. Imports that only exist at run time are not followed."""
    trees: dict[str, ast.Module] = {}
    faults = []
    for path, content in contents.files.items():
        if path.endswith(".py"):
            try:
                trees[path] = ast.parse(content, filename=path, feature_version=BOX_PYTHON)
            except (SyntaxError, ValueError) as error:
                line = getattr(error, "lineno", None)
                faults.append(f"{path}{f':{line}' if line else ''}: is not valid Python 3.11: {error}")
    for label, point in _entry_points(contents):
        faults += _entry_point_faults(label, point, trees)
    return faults


def _entry_points(contents: WheelContents) -> Iterator[tuple[str, str]]:
    manifest = contents.manifest
    named = {
        "verifier": manifest.verifier,
        "session": manifest.session,
        "harness": manifest.harness,
        "probes.register": manifest.probes.register_,
        **{f"tasks.{split}": source for split, source in manifest.tasks.items()},
        **{f"tools[{index}]": tool for index, tool in enumerate(manifest.tools)},
    }
    for label, point in named.items():
        if point and ":" in point and "/" not in point and "@" not in point:
            yield label, point


def _entry_point_faults(label: str, point: str, trees: dict[str, ast.Module]) -> Iterator[str]:
    module, _, name = point.partition(":")
    stem = module.replace(".", "/")
    tree = trees.get(f"{stem}.py") or trees.get(f"{stem}/__init__.py")
    if tree is None:
        return  # a missing module was reported by the wheel's reader, a broken one above
    found = _defined(tree).get(name)
    if found is None:
        yield f"verihub.toml: {label} = {point!r}, but {module} defines no {name}"
    elif label == "verifier" and isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        unknown = sorted(_required_arguments(found) - _VERIFY_ARGUMENTS)
        if unknown:
            known = ", ".join(sorted(_VERIFY_ARGUMENTS))
            yield f"{module}: {name} wants {', '.join(unknown)}; a verifier's arguments are bound by name from {known}"
    elif label == "session" and not isinstance(found, ast.ClassDef | ast.alias):
        yield f"verihub.toml: session = {point!r} must be a class with reset and step"


def _defined(tree: ast.Module) -> dict[str, ast.AST]:
    """Top-level names: functions, classes, imports and assignments (also inside ``if`` and ``try``)."""
    names: dict[str, ast.AST] = {}
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update({(alias.asname or alias.name).split(".")[0]: alias for alias in node.names})
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update({target.id: node for target in targets if isinstance(target, ast.Name)})
        for field in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With):
                pending += getattr(node, field, [])
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
