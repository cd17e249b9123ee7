"""How often a function is called, which still does what it does."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch


@contextmanager
def count_calls(module: ModuleType, name: str) -> Iterator[list[int]]:
    """The calls of ``module.name`` meanwhile, as a list of one number."""
    count, original = [0], getattr(module, name)

    def counted(*args: Any, **named: Any) -> Any:
        count[0] += 1
        return original(*args, **named)

    with patch.object(module, name, counted):
        yield count
