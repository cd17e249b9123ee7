import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import Draft
from hub_client.imports.registry import Request
from hub_client.imports.sources.chuk_puzzles import ChukPuzzles
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

ENVIRONMENT = """
import random


class Puzzle:
    def __init__(self, seed):
        self.left = [(row, 1, random.Random(seed + row).randint(1, 9)) for row in range(3)]

    def get_rules(self):
        return "Rules"

    def get_commands(self):
        return "place ROW COLUMN VALUE"

    def render_grid(self):
        return str([row for row, _, _ in self.left]) + str(sum(value for _, _, value in self.left))

    async def get_hint(self):
        return (self.left[0], "try this") if self.left else None


class PuzzleEnv:
    def __init__(self, game_name, difficulty, seed):
        assert (game_name, difficulty) == ("star_battle", "hard")

    async def reset(self, seed=None):
        self._game = Puzzle(seed)

    async def step(self, action):
        words = action.split()
        move = tuple(map(int, words[1:]))
        if words[0] != "place" or move not in self._game.left:
            return {}, -0.5, False, False, {"message": "No."}
        self._game.left.remove(move)
        return {}, 1.0, not self._game.left, False, {"message": "Yes."}
"""
FILES = {
    "chuk_puzzles_gym/__init__.py": "",
    "chuk_puzzles_gym/games/__init__.py": "AVAILABLE_GAMES = {'star_battle': None, 'sudoku': None}\n",
    "chuk_puzzles_gym/gym_env.py": ENVIRONMENT,
}


@pytest.fixture
def draft(cache, monkeypatch) -> Draft:
    data = making.plain_wheel("chuk-puzzles-gym", "1.0", FILES)
    keep = making.keep
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: keep(cache, "chuk-puzzles-gym", "1.0", data))
    monkeypatch.setattr(libraries, "lock_what_can_be_built", lambda *_: ([], {}))
    source = ChukPuzzles(Request(cache))
    assert list(source.offers()) == [
        f"{name}-{level}" for name in ("star_battle", "sudoku") for level in ("easy", "medium", "hard")
    ]
    return source.draft("star_battle-hard")


def test_the_librarys_hints_are_winning_moves_and_none_is_given_to_a_player(draft, tmp_path) -> None:
    assert draft.summary == "Star battle, a logic puzzle (hard)"
    task, won, wrong, hinted, heard = told(
        draft,
        tmp_path,
        "(t := it.generate('test', 0, 0))",
        "it.verify(t, {'moves': t['answer']})",
        "it.verify(t, {'moves': ['place 9 9 9', 'nonsense']})",
        "it.verify(t, {'moves': ['hint', 'Hint please']})",
        "[(s := it.Session()).reset(t, 0), s.step({'content': 'hint'})][1]",
        library=FILES,
    )
    assert len(task["answer"]) == 3
    assert task["prompt"].startswith("Rules\n\nplace ROW COLUMN VALUE\n\n[0, 1, 2]")
    assert won == {"solved": 1.0, "score": 3.0, "moves": 3.0}
    assert wrong == {"solved": 0.0, "score": -1.0, "moves": 2.0}
    assert hinted == {"solved": 0.0, "score": 0.0, "moves": 2.0}
    assert heard["messages"][0]["content"] == "There are no hints."


def test_a_deal_that_the_grid_does_not_show_is_a_deal_of_its_own(draft, tmp_path) -> None:
    """Mastermind and Minesweeper were refused: all their games begin with the same grid."""
    hides = ENVIRONMENT.replace("self.left =", "self.secret_code = [seed]\n        self.left =").replace(
        "+ str(sum(value for _, _, value in self.left))", ""
    )
    first, second, again = told(
        draft,
        tmp_path,
        "it.generate('test', 0, 0)",
        "it.generate('test', 0, 1)",
        "it.generate('test', 0, 0)",
        library={**FILES, "chuk_puzzles_gym/gym_env.py": hides},
    )
    assert first["prompt"] == second["prompt"]
    assert first["info"]["deal"] != second["info"]["deal"]
    assert first == again
