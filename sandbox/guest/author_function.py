"""Calls an author's function with those values that its parameters name."""

import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any


class BindingError(TypeError):
    """A parameter of an author's function has a name for which the sandbox has no value."""


class Bound:
    """A function, and which of the ``known`` names its parameters ask for. The signature is read once."""

    __slots__ = ("_names", "_pick", "_takes_all", "function")

    def __init__(self, function: Callable[..., Any], known: Iterable[str], title: str) -> None:
        self.function = function
        known = tuple(known)
        parameters = inspect.signature(function).parameters.values()
        self._takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
        named = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        for parameter in named:
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise BindingError(f"{title}: parameter {parameter.name!r} is positional-only; arguments go by name")
            if parameter.name not in known and parameter.default is parameter.empty:
                raise BindingError(f"{title} asks for {parameter.name!r}; what it can take: {', '.join(known)}")
        self._names = tuple(p.name for p in named if p.name in known)
        # Passed by position where the order allows it: a forked child then copies 30 pages fewer than by name.
        first = named[: len(self._names)]
        can_be_positional = not self._takes_all and len(first) > 1 and all(p.kind is not p.KEYWORD_ONLY for p in first)
        is_in_order = tuple(p.name for p in first) == self._names
        self._pick = operator.itemgetter(*self._names) if can_be_positional and is_in_order else None

    def wants(self, name: str) -> bool:
        """Whether the function has a parameter of this name."""
        return self._takes_all or name in self._names

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """Call the function with those of ``values`` that it asks for."""
        if self._pick is not None:
            return self.function(*self._pick(values))
        if self._takes_all:
            return self.function(**values)
        return self.function(**dict(zip(self._names, map(values.__getitem__, self._names), strict=True)))


def load_entry(point: str) -> Any:
    """Import ``package.module:name`` and return the object. Raises BindingError when the module has no such name."""
    module_name, _, name = point.partition(":")
    module = __import__(module_name, fromlist=["_"])
    try:
        return getattr(module, name)
    except AttributeError:
        raise BindingError(f"{module_name} has no {name!r}, which verihub.toml names as {point!r}") from None
