"""OpenSpiel: two-player games against a seeded player, who draws from the legal moves or searches for good ones."""

from collections.abc import Mapping
from typing import ClassVar

from hub_client.imports.draft import Draft
from hub_client.imports.games import Glue, Registration, game_draft
from hub_client.imports.source import LibrarySource

_SEARCHING = 50
"""Simulations of the searching player for each of its moves."""
_GAMES: dict[str, tuple[str, str, float]] = {
    "amazons": ("Amazons", "", 1),
    "antichess": ("Antichess, in which losing wins", "", 1),
    "backgammon": ("Backgammon", "", 1),
    "banqi": ("Banqi", "", 1),
    "battleship": ("Battleship", "", 5),
    "breakthrough": ("Breakthrough", "(rows=6,columns=6)", 1),
    "checkers": ("Checkers", "", 1),
    "chess": ("Chess", "", 1),
    "clobber": ("Clobber", "", 1),
    "connect_four": ("Connect Four", "", 1),
    "dark_hex": ("Hex without sight of the other's stones", "", 1),
    "dots_and_boxes": ("Dots and Boxes", "(num_rows=3,num_cols=3)", 1),
    "einstein_wurfelt_nicht": ("EinStein würfelt nicht", "", 1),
    "gin_rummy": ("Gin Rummy", "", 123),
    "go": ("Go on nine lines", "(board_size=9)", 1),
    "gomoku": ("Gomoku on nine lines", "(size=9)", 1),
    "havannah": ("Havannah", "(board_size=4)", 1),
    "hex": ("Hex on seven lines", "(board_size=7)", 1),
    "hive": ("Hive", "", 1),
    "kuhn_poker": ("Kuhn Poker", "", 2),
    "leduc_poker": ("Leduc Poker", "", 13),
    "liars_dice": ("Liar's Dice", "", 1),
    "lines_of_action": ("Lines of Action", "", 1),
    "mancala": ("Mancala", "", 1),
    "nim": ("Nim", "", 1),
    "nine_mens_morris": ("Nine Men's Morris", "", 1),
    "othello": ("Othello", "", 1),
    "oware": ("Oware", "", 1),
    "pentago": ("Pentago", "", 1),
    "phantom_ttt": ("Tic-tac-toe without sight of the other's marks", "", 1),
    "pig": ("Pig", "", 1),
    "quoridor": ("Quoridor on five lines", "(board_size=5)", 1),
    "shogi": ("Shogi", "", 1),
    "tic_tac_toe": ("Tic-tac-toe", "", 1),
    "twixt": ("TwixT", "", 1),
    "ultimate_tic_tac_toe": ("Ultimate Tic-tac-toe", "", 1),
    "xiangqi": ("Xiangqi", "", 1),
    "y": ("Y on seven lines", "(board_size=7)", 1),
}
"""Short name -> title, parameters, the highest return. The list of games is in native code, which no importer runs."""
_SEARCHED = [
    "breakthrough",
    "connect_four",
    "dots_and_boxes",
    "hex",
    "nim",
    "othello",
    "tic_tac_toe",
    "ultimate_tic_tac_toe",
    "y",
]
"""Games that also come against a player who searches: their moves and rollouts are quick."""


class OpenSpiel(LibrarySource):
    """Zero-sum games of the newest ``open-spiel``. Its games for one player, and those about talk, are not here."""

    name = "openspiel"
    distribution = "open-spiel"
    refusals: ClassVar = {}

    def offers(self) -> Mapping[str, str]:
        drawing = {name: f"{title}, against moves drawn at random" for name, (title, _, _) in _GAMES.items()}
        return drawing | {f"{name}-mcts": f"{_GAMES[name][0]}, against a player who searches" for name in _SEARCHED}

    def make(self, item: str) -> Draft:
        name = item.removesuffix("-mcts")
        title, parameters, highest = _GAMES[name]
        simulations = _SEARCHING if name != item else 0
        options = {"game": name + parameters, "title": title, "simulations": simulations}
        game = Registration(item, "open_spiel", "", options)
        who = (
            f"searches the game tree, {simulations} simulations a move" if simulations else "draws from the legal moves"
        )
        return game_draft(
            self,
            game,
            Glue("openspiel", score=(-highest, highest), distributions=frozenset()),
            summary=self.offers()[item],
            one_right_answer=False,  # against a poor player many moves win
            tags=["game", "board-game", "multi-turn", "two-player", name.replace("_", "-")],
            notes=[f"The other player {who}; what it does is seeded by the task, and so is who begins."],
        )
