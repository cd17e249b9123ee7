"""Loads one file of a framework without the framework around it. Standard library only.

Importing ``trl.rewards`` runs ``trl/__init__.py``, which wants gigabytes that the reward does not touch. Here the named
packages are only folders: their files are the package's own, unchanged, and what a file itself imports is imported.
"""

import importlib
import importlib.util
import sys
import types
from pathlib import Path


def folders_only(*names):
    """Make each named package a folder without its ``__init__``, outermost first. One that is loaded stays."""
    for name in names:
        if name in sys.modules:
            continue
        parent, _, last = name.rpartition(".")
        if parent:
            places = [str(Path(place) / last) for place in sys.modules[parent].__path__]
        else:
            places = [str(Path(place) / last) for place in sys.path if (Path(place) / last).is_dir()]
        if not places:
            raise ModuleNotFoundError(name)
        module = types.ModuleType(name)
        module.__path__ = places
        sys.modules[name] = module
        if parent:
            setattr(sys.modules[parent], last, module)


def part(name, *folders):
    """The module ``name``, with ``folders`` as :func:`folders_only`."""
    folders_only(*folders)
    return importlib.import_module(name)


def stand_in(name, **members):
    """A module of that name with these members: for what a file imports and does not use here. One loaded stays."""
    if name in sys.modules:
        return
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
