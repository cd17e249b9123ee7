import sys

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.games import Glue, Registration, bare_packages, game_draft, registrations
from hub_client.imports.registry import Request
from hub_client.imports.source import LibrarySource
from tests.making import library as making

FILES = {
    "toygames/__init__.py": "raise ImportError('the library is not imported as a whole')\n",
    "toygames/envs/__init__.py": (
        "from toygames.core import register\n"
        "register(id='Guess-v0', entry_point='toygames.envs.guess:Guess', top=9, made_by=unknown, odd={[]: 1})\n"
        "register('Gone-v0', 'toygames.envs.gone:Gone')\n"
        "register(id='New-v0', entry_point='toygames.envs.new:New')\n"
        "print('not a registration')\n"
    ),
    "toygames/envs/new.py": "x = f'{d['newer syntax']}'\n",
    "toygames/core.py": "def register(*a, **k): pass\n",
    "toygames/envs/guess.py": (
        "import random\n\n\n"
        "class Guess:\n"
        "    def __init__(self, top):\n        self.top = top\n\n"
        "    def reset(self, seed=None):\n        self.game_number = random.randint(1, self.top)\n        return 'Guess.', {}\n\n"
        "    def step(self, move):\n"
        "        if move == 'luck':\n            return str(random.random()), 0.25, False, False, {}\n"
        "        right = move == '\\\\boxed{%d}' % self.game_number\n"
        "        return 'right' if right else 'wrong', float(right), right, False, {}\n"
    ),
}


class ToySource(LibrarySource):
    name, distribution = "toy", "toygames"

    def offers(self):
        return {}

    def make(self, item):
        raise ImportRefusedError(item)


@pytest.fixture
def source(library, cache) -> LibrarySource:
    return ToySource(Request(cache))


@pytest.fixture
def library(cache, monkeypatch) -> libraries.Library:
    data = making.plain_wheel("toygames", "1.0", FILES)
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "toygames", "1.0", data))
    monkeypatch.setattr(libraries, "lock_what_can_be_built", lambda *_: ([], {}))
    return libraries.Library("toygames", cache)


@pytest.fixture
def game(source, library, tmp_path, monkeypatch) -> dict:
    """The names of the package's code, run with the library on the path."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = next(registrations(library, "toygames.envs", frozenset({"register"})))
    draft = game_draft(source, found, Glue("gem"), summary="Guess", tags=["game"])
    names: dict = {}
    exec(draft.code, names)
    yield names
    for name in [name for name in sys.modules if name.startswith("toygames")]:
        del sys.modules[name]


def test_registrations_are_read_and_what_is_no_literal_is_passed_over(library) -> None:
    found = list(registrations(library, "toygames.envs", frozenset({"register"})))
    assert [game.name for game in found] == ["Guess-v0", "Gone-v0", "New-v0"]
    assert (found[0].module, found[0].kind, found[0].options) == ("toygames.envs.guess", "Guess", {"top": 9})
    assert bare_packages(library, "toygames.envs.guess") == ("toygames", "toygames.envs")


@pytest.mark.parametrize(
    ("module", "why"), [("toygames.envs.gone", "not in the library's wheel"), ("toygames.envs.new", "newer Python")]
)
def test_a_module_that_cannot_be_had_is_refused_with_the_reason(source, module: str, why: str) -> None:
    with pytest.raises(ImportRefusedError, match=why):
        game_draft(source, Registration("X", module, "X"), Glue("gem"), summary="", tags=[])


def test_moves_are_played_again_and_a_state_that_claims_success_proves_nothing(game) -> None:
    task = game["generate"]("test", 0, 3)
    assert game["verify"](task, {"moves": task["answer"]}) == {"solved": 1.0, "score": 1.0, "moves": 1.0}
    for state in ({"moves": []}, {"solved": 1.0}, {"moves": "x"}, {"moves": [1]}, None, {"moves": ["I won."]}):
        assert game["verify"](task, state)["solved"] == 0.0, state


def test_what_is_said_after_the_end_does_not_count(game) -> None:
    task = game["generate"]("test", 0, 1)
    session = game["Session"]()
    assert session.reset(task, 0)["messages"][0]["content"] == "Guess."
    assert session.step({"content": task["answer"][0]})["done"]
    assert session.step({"content": "luck"}) == {"messages": [{"role": "user", "content": game["OVER"]}], "done": True}
    assert session.state() == {"moves": task["answer"]}


def test_two_games_in_one_process_do_not_draw_from_each_others_chances(game) -> None:
    task = game["generate"]("test", 0, 1)
    alone, first, second = (game["_Played"](task["info"]["seed"]) for _ in range(3))
    expected = [alone.play("luck") for _ in range(4)]
    mixed = [(first.play("luck"), second.play("luck")) for _ in range(4)]
    assert [one for one, _ in mixed] == expected == [other for _, other in mixed]


def test_a_game_without_an_end_ends(game) -> None:
    played = game["_Played"](1)
    for _ in range(game["MAX_MOVES"]):
        assert not played.done
        played.play("luck")
    assert played.done
    assert played.play("luck") == game["OVER"]
