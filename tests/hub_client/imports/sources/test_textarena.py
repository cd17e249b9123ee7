"""A small library in the shape of TextArena: a guessing game for one, a game of taking for two."""

import sys

import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources.textarena import TextArena
from tests.making import library as making

_STATE = """
import random
import textarena as ta


class _State(ta.Env):
    def __init__(self, num_players, seed=None):
        random.seed(seed)
        self.current_player_id, self.rewards, self.made_invalid_move = 0, None, False
        self.observations = {0: [(-1, "Play.", None)], 1: []}
        self.game_info = {0: {"invalid_move": False}, 1: {"invalid_move": False}}
        self.game_state = {}


class SinglePlayerState(_State):
    pass


class TwoPlayerState(_State):
    pass
"""
_GUESS = """
import random
import textarena as ta


class GuessEnv(ta.Env):
    def reset(self, num_players, seed=None):
        self.state = ta.SinglePlayerState(num_players, seed)
        self.state.game_state["game_number"] = random.randint(1, 1000)

    def step(self, action):
        right = action == f"[{self.state.game_state['game_number']}]"
        self.state.observations[0] += [(0, action, None), (-1, 7, None)]
        if right or action == "[close]":
            self.state.rewards = {0: 1 if right else 0.9}
        return self.state.rewards is not None, {}
"""
_NIM = """
import textarena as ta


class NimEnv(ta.Env):
    def __init__(self, stones):
        self.stones = stones

    def reset(self, num_players, seed=None):
        assert num_players == 2
        self.state = ta.TwoPlayerState(num_players, seed)

    def step(self, action):
        who, state = self.state.current_player_id, self.state
        state.made_invalid_move = action not in ("[0 1]", "[0 2]") or int(action[3]) > self.stones
        if state.made_invalid_move:
            state.rewards = {who: -1, 1 - who: 1}
            state.game_info[who]["invalid_move"] = True
            return True, {}
        self.stones -= int(action[3])
        state.observations[0].append((who, f"{who} took {action[3]}", None))
        if not self.stones:
            state.rewards = {who: 1, 1 - who: -1}
        state.current_player_id = 1 - who
        return not self.stones, {}
"""
_SECRETARY = """
import random
import textarena as ta


class SecretaryEnv(ta.Env):
    def reset(self, num_players, seed=None):
        self.state = ta.SinglePlayerState(num_players, seed)
        self.state.game_state.update(draws=[random.random() for _ in range(4)], current_idx=1)

    def step(self, action):
        state = self.state.game_state
        if action == "[accept]" or state["current_idx"] == 4:
            self.state.rewards = {0: float(state["draws"][state["current_idx"] - 1] == max(state["draws"]))}
        state["current_idx"] += 1
        return self.state.rewards is not None, {}
"""
_TRADE = """
import random
import textarena as ta


class SimpleNegotiationEnv(ta.Env):
    def __init__(self, max_turns):
        self.max_turns = max_turns

    def reset(self, num_players, seed=None):
        self.state = ta.TwoPlayerState(num_players, seed)
        goods = {player: {name: random.randint(5, 9) for name in ("Wood", "Ore")} for player in (0, 1)}
        values = {0: {"Wood": 5, "Ore": 12}, 1: {"Wood": 12, "Ore": 5}}
        self.state.game_state.update(player_resources=goods, player_values=values, current_offer=None, turn=0)

    def step(self, action):
        state, table = self.state, self.state.game_state
        who, offer = state.current_player_id, table["current_offer"]
        if offer and "[Accept]" in action:
            for gives, gets, part in ((offer["from_player"], who, "offered"), (who, offer["from_player"], "requested")):
                for name, count in offer[part + "_resources"].items():
                    table["player_resources"][gives][name] -= count
                    table["player_resources"][gets][name] += count
            table["current_offer"] = None
            state.rewards = {0: 1, 1: -1}
        elif "[Offer: " in action:
            sides = [part.split() for part in action.partition("[Offer: ")[2].strip("]").split(" -> ")]
            given, asked = ({name: int(count)} for count, name in sides)
            table["current_offer"] = {"from_player": who, "offered_resources": given, "requested_resources": asked}
        state.observations[0].append((who, action, None))
        table["turn"] += 1
        state.current_player_id = 1 - who
        return table["turn"] == self.max_turns, {}
"""
_ENVS = """
from textarena.envs.registration import register_with_versions
register_with_versions(id="Guess-v0", entry_point="textarena.envs.Guess.env:GuessEnv", wrappers={"default": [ActionFormattingWrapper]})
register_with_versions(id="Nim-v0", entry_point="textarena.envs.Nim.env:NimEnv", wrappers={"default": []}, stones=7)
register_with_versions(id="Talk-v0", entry_point="textarena.envs.Talk.env:TalkEnv", wrappers={"default": []})
register_with_versions(id="Chess-v0", entry_point="textarena.envs.Chess.env:ChessEnv", wrappers={"default": []})
register_with_versions(id="Secretary-v0", entry_point="textarena.envs.Secretary.env:SecretaryEnv", wrappers={"default": []})
register_with_versions(id="Words-v0", entry_point="textarena.envs.Words.env:WordsEnv", wrappers={"default": []})
register_with_versions(id="SimpleNegotiation-v0", entry_point="textarena.envs.SimpleNegotiation.env:SimpleNegotiationEnv", wrappers={"default": []}, max_turns=4)
register(id="Guess-v0-raw", entry_point="textarena.envs.Guess.env:GuessEnv")
"""
FILES = {
    "textarena/__init__.py": "raise ImportError('every client')\n",
    "textarena/core.py": "class Env:\n    pass\n",
    "textarena/state.py": _STATE,
    "textarena/envs/__init__.py": _ENVS,
    "textarena/envs/Guess/__init__.py": "",
    "textarena/envs/Guess/env.py": _GUESS,
    "textarena/envs/Nim/__init__.py": "",
    "textarena/envs/Nim/env.py": _NIM,
    "textarena/envs/Talk/__init__.py": "",
    "textarena/envs/Talk/env.py": "import textarena as ta\nkind = ta.TwoPlayerState\n",
    "textarena/envs/Secretary/__init__.py": "",
    "textarena/envs/Secretary/env.py": _SECRETARY,
    "textarena/envs/SimpleNegotiation/__init__.py": "",
    "textarena/envs/SimpleNegotiation/env.py": _TRADE,
    "textarena/envs/Words/__init__.py": "",
    "textarena/envs/Words/env.py": "import nltk\nimport textarena as ta\nkind = ta.SinglePlayerState\n",
}


@pytest.fixture
def arena(cache, monkeypatch) -> TextArena:
    data = making.plain_wheel("textarena", "1.0", FILES)
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "textarena", "1.0", data))
    monkeypatch.setattr(libraries, "lock_what_can_be_built", lambda *_: ([], {}))
    return TextArena(Request(cache))


@pytest.fixture
def load(arena, tmp_path, monkeypatch):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(item: str) -> dict:
        names: dict = {}
        exec(arena.draft(item).code, names)
        return names

    yield run
    for name in [name for name in sys.modules if name.split(".")[0] == "textarena"]:
        del sys.modules[name]


def test_what_is_offered_and_what_is_refused_with_its_reason(arena) -> None:
    refused = {item.name: item.refused for item in arena.items()}
    assert list(refused) == [
        "Guess-v0",
        "Nim-v0",
        "Talk-v0",
        "Chess-v0",
        "Secretary-v0",
        "Words-v0",
        "SimpleNegotiation-v0",
    ]
    assert [name for name, why in refused.items() if not why] == [
        *("Guess-v0", "Nim-v0", "Secretary-v0", "SimpleNegotiation-v0"),
    ]
    assert "other players" in refused["Talk-v0"]
    assert "GPL-3.0" in refused["Chess-v0"]
    assert "NLTK" in refused["Words-v0"]
    assert "one-player" in arena.draft("Guess-v0").tags
    assert "two-player" in arena.draft("Nim-v0").tags
    with pytest.raises(NotFoundError, match="Nim-v0"):
        arena.draft("Nmi-v0")
    with pytest.raises(ImportRefusedError):
        arena.draft("Talk-v0")


def test_a_win_is_a_whole_win_and_near_it_is_only_the_librarys_score(load) -> None:
    game = load("Guess-v0")
    task = game["generate"]("test", 0, 0)
    assert game["verify"](task, {"moves": task["answer"]}) == {"solved": 1.0, "score": 1.0, "moves": 1.0}
    assert game["verify"](task, {"moves": ["close"]}) == {"solved": 0.0, "score": 0.9, "moves": 1.0}
    other = game["generate"]("test", 0, 1)
    assert game["verify"](task, {"moves": other["answer"]})["solved"] == 0.0
    assert task["info"]["deal"] != other["info"]["deal"]
    assert task["answer"][0] not in task["prompt"]


def test_the_highest_value_is_known_and_a_lower_one_is_no_win(load) -> None:
    game = load("Secretary-v0")
    answers = set()
    for index in range(12):
        task = game["generate"]("test", 0, index)
        answers.add(len(task["answer"]))
        assert game["verify"](task, {"moves": task["answer"]})["solved"] == 1.0
        early = ["[accept]"] if len(task["answer"]) > 1 else ["[continue]", "[accept]"]
        assert game["verify"](task, {"moves": early})["solved"] == 0.0
    assert {1, 4} <= answers, "the first value may be the highest, and the last"


def test_the_other_player_answers_each_move_with_a_legal_one(load) -> None:
    game = load("Nim-v0")
    outcomes = set()
    for index in range(30):
        task = game["generate"]("test", 0, index)
        session = game["Session"]()
        session.reset(task, 0)
        while not (said := session.step({"content": "[0 1]"}))["done"]:
            assert "1 took" in said["messages"][0]["content"], "its turn has been played before we are asked again"
            assert "0 took" not in said["messages"][0]["content"], "our own words are not repeated to us"
        verdict = game["verify"](task, session.state())
        assert verdict == game["verify"](task, session.state())
        outcomes.add(verdict["score"])
    assert outcomes == {1.0, -1.0}, "it neither always loses nor always wins"


def test_an_illegal_move_loses(load) -> None:
    game = load("Nim-v0")
    verdict = game["verify"](game["generate"]("test", 0, 0), {"moves": ["[0 9]"]})
    assert (verdict["solved"], verdict["score"]) == (0.0, -1.0)


def test_a_trader_accepts_what_is_worth_more_than_it_costs_and_offers_nothing_else(load) -> None:
    names = load("SimpleNegotiation-v0")
    task = names["generate"]("test", 0, 0)
    assert task["answer"][0].startswith("[Offer: ")
    assert names["verify"](task, {"moves": task["answer"]})["solved"] == 1.0
    for worth_less in ("[Offer: 1 Ore -> 1 Wood]", "[Offer: 1 Wood -> 99 Ore]", "[Deny]"):
        assert names["verify"](task, {"moves": [worth_less, "[Deny]"]})["solved"] == 0.0
    offered = set()
    for number in range(20):
        session = names["Session"]()
        session.reset(names["generate"]("test", 0, number), 0)
        offered.add(session.step({"content": "hello"})["messages"][0]["content"] or "")
        table = session.played.game.env.state.game_state
        offer = table["current_offer"]
        if offer:
            values = table["player_values"][1]
            gains, costs = (
                names["_worth"](values, offer[part]) for part in ("requested_resources", "offered_resources")
            )
            assert gains > costs
            assert names["_has"](table["player_resources"][1], offer["offered_resources"])
    assert len(offered) > 2
