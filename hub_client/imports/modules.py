"""The modules of a wheel as syntax trees, each parsed when it is first asked for."""

import ast
import re
from collections.abc import Iterator, Mapping

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class Modules(Mapping[str, ast.Module]):
    """Dotted name -> syntax tree. Modules that cannot be parsed are left out: those in a newer Python's syntax.

    A package is named without ``__init__``. Parsing all of a large library takes ten seconds and half a gigabyte, so
    look modules up by name, or by what they hold with :meth:`matching`, and do not go through all of them.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._sources = {_dotted(path): data for path, data in files.items() if path.endswith(".py")}
        self._parsed: dict[str, ast.Module | None] = {}

    def __getitem__(self, name: str) -> ast.Module:
        """The tree of module ``name``. Raises KeyError where there is none."""
        if name not in self._parsed:
            self._parsed[name] = _parse(self._sources[name])
        tree = self._parsed[name]
        if tree is None:
            raise KeyError(name)
        return tree

    def __iter__(self) -> Iterator[str]:
        """Every name. This parses all modules."""
        return (name for name in self._sources if name in self)

    def __len__(self) -> int:
        """The number of modules. This parses all of them."""
        return sum(1 for _ in self)

    def matching(self, pattern: re.Pattern[bytes]) -> Iterator[tuple[str, ast.Module]]:
        """The modules in whose source ``pattern`` is found; only those are parsed."""
        for name, source in self._sources.items():
            if pattern.search(source) and name in self:
                yield name, self[name]


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _parse(source: bytes) -> ast.Module | None:
    try:
        return ast.parse(source)
    except _UNREADABLE:
        return None
