"""The verdict: the guesses are played again on the board, so a forged state gains nothing."""

from lecture_connections.game import MOST_GUESSES, MOST_MISTAKES, Game
from lecture_connections.puzzles import puzzle_of

NOTHING = {"solved": 0.0, "few_mistakes": 0.0, "format": 0.0, "groups": 0.0, "mistakes": 0.0}


def verify(task: dict, state: dict) -> dict:
    """``solved``, ``few_mistakes`` and the gate ``format``; ``groups`` found and ``mistakes`` are counted."""
    guesses = state.get("guesses") if isinstance(state, dict) else None
    if not isinstance(guesses, list) or len(guesses) > MOST_GUESSES:
        return dict(NOTHING)
    place = task["info"]
    game = Game(puzzle_of(place["split"], place["seed"], place["index"]))
    for words in guesses:
        if game.is_over:  # no session leaves this
            return dict(NOTHING)
        game.guess(words)
    return {
        "solved": float(game.is_solved),
        "few_mistakes": 1.0 - game.mistakes / MOST_MISTAKES if game.is_solved else 0.0,
        "format": float(game.is_well_formed),
        "groups": len(game.found) / 4,
        "mistakes": float(game.mistakes),
    }
