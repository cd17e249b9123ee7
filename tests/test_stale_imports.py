"""A name that moved is found in the tests that still take it from where it was, without running one."""

from pathlib import Path

import pytest

from scripts import stale_imports
from scripts.stale_imports import exists, stale_in

STALE = [
    "from hub_server.audits import no_such_module",
    "from hub_server.audits.actions import no_such_name",
    "import schemas.no_such_module",
    "from scripts.field_study.no_such_module import anything",
    "def test() -> None:\n    from sandbox.no_such_module import anything",
    "from hub_server.audits import actions\n\nactions.no_such_name",
    'monkeypatch.setattr("hub_server.app.no_such_name", 1)',
    'patch("hub_server.no_such_module.serve")',
]
RIGHT = [
    "from hub_server.audits import actions\n\nactions.keep_minhash",
    "from tests.making.wheel import MANIFEST",
    "from schemas.verdict import *",
    "import pytest\n\npytest.no_such_name",
    "from hub_server.audits import actions\n\n\ndef test(actions):\n    actions.no_such_name",
    'monkeypatch.setattr("time.sleep", 1)',
    'print("hub_server.no_such_module")',
]


@pytest.fixture
def stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The lines about a file of the given text, in a folder beside the real packages."""

    def found(text: str) -> list[str]:
        file = tmp_path / "test_it.py"
        file.write_text(text)
        return list(stale_in(file))

    monkeypatch.setattr(stale_imports, "shown", lambda path: path.name)
    return found


@pytest.mark.parametrize("text", STALE)
def test_a_name_that_nothing_defines_is_found(stale, text: str) -> None:
    (line,) = stale(text)
    assert "no_such" in line
    assert line.startswith("test_it.py:")


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_there_or_is_none_of_ours_is_not(stale, text: str) -> None:
    assert stale(text) == []


def test_names_are_found_however_a_module_binds_them() -> None:
    assert exists("hub_server.kernel.services.Services"), "a class"
    assert exists("hub_server.audits.actions.evidence.sample_cases.__name__"), "what is behind a name is not looked up"
    assert exists("hub_server.audits"), "a package"
    assert not exists("hub_server.audits.actions.evidence.drawn")
