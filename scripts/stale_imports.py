"""Names that the tests take from the source tree and that are not there: found by reading both, in seconds.

The types of the tests are not checked, so a name that moved was found only by running the test that imports it.
Three ways of naming are read: ``import`` statements, an attribute of an imported module (``actions.publish``),
and a dotted path in a string (``monkeypatch.setattr("hub_server.app.serve", ...)``).

    python scripts/stale_imports.py
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
READERS = ("tests", "scripts")
PACKAGES = frozenset(
    {"schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge", "migrations", "tests", "scripts"}
)
DOTTED = re.compile(r"[a-z_]\w*(\.\w+)+")
OF_EVERY_MODULE = frozenset({"__name__", "__doc__", "__file__", "__path__", "__dict__"})


def main() -> int:
    stale = [line for folder in READERS for path in sorted((ROOT / folder).rglob("*.py")) for line in stale_in(path)]
    print("\n".join(stale))
    return 1 if stale else 0


def stale_in(path: Path) -> Iterator[str]:
    """A line for each name in a file that nothing defines: where, and what."""
    tree = ast.parse(path.read_text())
    modules: dict[str, str] = {}
    for line, dotted, alias in _imported(tree):
        if not exists(dotted):
            yield f"{shown(path)}:{line}: {dotted}"
        elif alias and is_module(dotted):
            modules[alias] = dotted
    for name in _rebound(tree):
        modules.pop(name, None)
    for node in ast.walk(tree):
        named = _attribute(node, modules) or _patched(node)
        if named and not exists(named):
            yield f"{shown(path)}:{getattr(node, 'lineno', 0)}: {named}"


def shown(path: Path) -> str:
    """How a file is called in a line."""
    return str(path.relative_to(ROOT))


def exists(dotted: str) -> bool:
    """Whether it is a module of ours, a name in one, or none of our business. A member of a class is not looked up."""
    parts = dotted.split(".")
    if parts[0] not in PACKAGES:
        return True
    for end in range(len(parts), 0, -1):
        module = ".".join(parts[:end])
        if is_module(module):
            return end == len(parts) or parts[end] in OF_EVERY_MODULE or _defines(module, parts[end])
    return False


def is_module(dotted: str) -> bool:
    return dotted.split(".", maxsplit=1)[0] in PACKAGES and (
        _file_of(dotted) is not None or _folder_of(dotted).is_dir()
    )


def _folder_of(dotted: str) -> Path:
    return ROOT.joinpath(*dotted.split("."))


def _file_of(dotted: str) -> Path | None:
    folder = _folder_of(dotted)
    return next((file for file in (folder.with_suffix(".py"), folder / "__init__.py") if file.is_file()), None)


def _defines(module: str, name: str) -> bool:
    names = _names_in(module)
    return name in names or "__getattr__" in names or "*" in names


@cache
def _names_in(module: str) -> frozenset[str]:
    """What a module binds outside its functions and classes; ``*`` where it imports whatever another has."""
    file = _file_of(module)
    return frozenset(_bound(ast.parse(file.read_text()).body)) if file else frozenset()


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
        else:
            yield from _stored(node)
            for inner in (getattr(node, block, []) for block in ("body", "orelse", "finalbody")):
                yield from _bound(inner)
            for handler in getattr(node, "handlers", []):
                yield from _bound(handler.body)


def _stored(node: ast.AST) -> Iterator[str]:
    yield from (one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))


def _imported(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """The line, the dotted name, and what it is called in this file; that is empty for a dotted ``import``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if alias.name != "*":
                    yield node.lineno, f"{node.module}.{alias.name}", alias.asname or alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, alias.asname or ("" if "." in alias.name else alias.name)


def _rebound(tree: ast.AST) -> Iterator[str]:
    """Names that mean something else somewhere in the file: a parameter or a variable called like a module."""
    yield from _stored(tree)
    yield from (node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))


def _attribute(node: ast.AST, modules: dict[str, str]) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
        return f"{modules[node.value.id]}.{node.attr}"
    return None


def _patched(node: ast.AST) -> str | None:
    """The dotted path that ``setattr`` or ``patch`` is given."""
    if not (isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute | ast.Name)):
        return None
    called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    first = node.args[0]
    if called not in {"setattr", "patch", "import_module"} or not isinstance(first, ast.Constant):
        return None
    return first.value if isinstance(first.value, str) and DOTTED.fullmatch(first.value) else None


if __name__ == "__main__":
    sys.exit(main())
