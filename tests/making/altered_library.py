"""A library that differs for one module: ``os.kill`` is every thread's, and threads of finished tests live on."""

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def alter_library(patch: pytest.MonkeyPatch, module: ModuleType, library: str, **parts: Any) -> None:
    """Have ``module`` find these parts in the library that it imports under that name; all others find the usual ones.

    ``monkeypatch.setattr(module.time, "sleep", fake)`` would change it for the whole process: a thread of another test
    would be counted, or handed the fake.
    """
    patch.setattr(module, library, SimpleNamespace(**{**vars(getattr(module, library)), **parts}))
