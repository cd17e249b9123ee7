"""Environments of ``verifiers`` in a folder, and the code of their drafts in this process."""

import itertools
import json
import sys
from pathlib import Path

import pytest

from hub_client.imports.draft import Draft
from hub_client.imports.project import write_project
from hub_client.imports.registry import Request
from hub_client.imports.sources.verifiers import Verifiers

_numbers = itertools.count()


@pytest.fixture
def folder(tmp_path):
    """A folder with one module of that code, under a name of its own: modules stay in ``sys.modules``."""

    def make(code: str, rows: dict[str, str] | None = None, more: str = "") -> Path:
        place = tmp_path / f"small-{next(_numbers)}"
        place.mkdir()
        stated = f'[project]\nname = "{place.name}"\nversion = "0.2"\nlicense = "MIT"\n{more}'
        (place / "pyproject.toml").write_text(stated)
        (place / f"{place.name.replace('-', '_')}.py").write_text(code)
        for path, text in (rows or {}).items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text)
        return place

    return make


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The code of a draft as a module; what it puts in place of the libraries goes again."""
    stands_in = ("verifiers", "datasets")

    def is_stand_in(name: str) -> bool:
        return name.partition(".")[0] in stands_in or name.startswith("small_")

    kept = {name: module for name, module in sys.modules.items() if is_stand_in(name)}
    monkeypatch.setattr(sys, "path", list(sys.path))

    def load(draft: Draft) -> dict:
        for name in list(filter(is_stand_in, sys.modules)):
            del sys.modules[name]
        target = tmp_path / f"project-{next(_numbers)}"
        write_project(target, "alice/small", draft)
        path = target / "src" / "alice_small" / "__init__.py"
        names = {"__file__": str(path), "__name__": "alice_small"}
        exec(path.read_text(), names)
        return names

    yield load
    for name in list(filter(is_stand_in, sys.modules)):
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.fixture
def complete(cache, run, folder, monkeypatch):
    """A folder's draft after its code was asked, and that draft's code, all in this process."""
    monkeypatch.setattr("hub_client.imports.packages.lock_dependencies", lambda *_, **_options: [])

    def make(code: str, **options) -> tuple[Draft, dict]:
        place = str(folder(code, **options))
        first = Verifiers(Request(cache, place)).draft(place)
        told = json.loads(json.dumps(run(first)["generate"]("train", 0, 0)["info"]))
        assert first.then
        draft = first.then(told)
        return draft, run(draft)

    return make
