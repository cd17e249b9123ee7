"""The adapters' own parts, without the packages that they call."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "scripts" / "field_study"


@pytest.fixture
def extract(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module("adapters.extract")
    for name in [name for name in sys.modules if name.split(".")[0] == "adapters"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so \\boxed{1} and \\boxed{\\frac{1}{2}}.", "\\frac{1}{2}"),
        ("\\boxed {3}", "3"),
        ("\\boxed{1}, then \\boxed{2", "1"),
        ("no box", None),
    ],
)
def test_the_last_box_that_closes(extract, text: str, found: str | None) -> None:
    assert extract.last_boxed(text) == found


def test_dollars_are_taken_off_and_put_on(extract) -> None:
    assert extract.without_dollars("$$x$$") == "x"
    assert extract.in_dollars("x") == "$x$"
    assert extract.in_dollars("\\boxed{x}") == "\\boxed{x}"


@pytest.mark.parametrize("path", sorted((FOLDER / "adapters").glob("*.py")), ids=lambda path: path.stem)
def test_an_adapter_loads_without_its_package(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package is imported when it is called: the worker says which adapter cannot be loaded, not which import failed."""
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module(f"adapters.{path.stem}")
    assert (module.__doc__ or "").strip()
    for name in [name for name in sys.modules if name.split(".")[0] == "adapters"]:
        monkeypatch.delitem(sys.modules, name)


def test_reasoning_gym_loads_where_pycosat_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package made of it runs in a box without a C compiler."""
    (tmp_path / "reasoning_gym.py").write_text("import pycosat\ncreate_dataset = 'loaded'\n")
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        assert importlib.import_module("adapters.reasoning_gym_package")._library().create_dataset == "loaded"
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] in ("adapters", "reasoning_gym", "pycosat")]:
            monkeypatch.delitem(sys.modules, name)
