"""BoxNeeds the code of an imported game in this process, with the real library, and plays a few of its deals."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from hub_client.imports.draft import Draft

NOTHING = {"solved": 0.0, "score": 0.0, "moves": 0.0}


def load(draft: Draft) -> SimpleNamespace:
    """The names of the package's code."""
    names: dict[str, Any] = {"__name__": "imported_game"}
    exec(draft.code, names)
    return SimpleNamespace(**names)


def deals(game: SimpleNamespace, count: int) -> list[dict[str, Any]]:
    """Tasks of the test split, which must be the same when they are asked for again."""
    tasks = [game.generate("test", 0, index) for index in range(count)]
    assert [game.generate("test", 0, index) for index in range(count)] == tasks
    return tasks


def wins(game: SimpleNamespace, tasks: list[dict[str, Any]]) -> int:
    """How many deals have moves that win; each must win, and win nothing when the last is left out."""
    known = [task for task in tasks if task["answer"]]
    for task in known:
        assert game.verify(task, {"moves": task["answer"]})["solved"] == 1.0, task
        assert game.verify(task, {"moves": task["answer"][:-1]})["solved"] == 0.0, task
    for task in tasks:
        assert game.verify(task, {"moves": []}) == NOTHING
        assert game.verify(task, {"moves": ["I won.", "\x1b[", ""]})["solved"] == 0.0
    return len(known)


def talk(game: SimpleNamespace, task: dict[str, Any]) -> Callable[[str], str]:
    """One session; call it with a move for what is answered."""
    session = game.Session()
    session.reset(task, 0)
    return lambda move: session.step({"role": "assistant", "content": move})["messages"][0]["content"]
