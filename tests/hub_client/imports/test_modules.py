import ast
import re

import pytest

from hub_client.imports import modules
from hub_client.imports.modules import Modules

FILES = {
    "game/__init__.py": b"",
    "game/maze.py": b"class Maze(Task):\n    pass\n",
    "game/newer.py": b"match = class Maze(Task)",
    "game/null.py": b"Maze = '\0'",
    "game/deep.py": b"Maze = " + b"(" * 5000,
    "game/data.json": b"Maze",
}


def test_what_cannot_be_parsed_is_no_module() -> None:
    found = Modules(FILES)
    assert sorted(found) == ["game", "game.maze"]
    assert len(found) == 2
    assert "game.newer" not in found
    with pytest.raises(KeyError):
        found["game.nowhere"]


def test_a_module_is_parsed_once_and_only_when_it_is_asked_for(monkeypatch) -> None:
    parsed = []
    monkeypatch.setattr(modules, "_parse", lambda source: parsed.append(source) or ast.parse(source))
    found = Modules({f"big/part_{number}.py": f"NUMBER = {number}".encode() for number in range(1000)})
    assert found["big.part_7"] is found["big.part_7"]
    assert [name for name, _ in found.matching(re.compile(rb"= 99\d"))] == [
        f"big.part_{number}" for number in range(990, 1000)
    ]
    assert len(parsed) == 11


def test_only_modules_that_match_and_can_be_read_are_found() -> None:
    assert [name for name, _ in Modules(FILES).matching(re.compile(b"Maze"))] == ["game.maze"]
