"""Tasks: a board. What belongs together is not in the task; it is made anew wherever it is needed."""

from lecture_connections.game import MOST_MISTAKES
from lecture_connections.puzzles import puzzle_of

ASK = """\
Sixteen words, four hidden groups of four. Each word belongs to one group, though some seem to fit two. Find the
groups one after the other: call guess with four words. The {most}th mistake ends the game. A guess that is not four
different words that are left is a mistake too, and then nothing is earned.

{board}"""


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments."""
    puzzle = puzzle_of(split, seed, index)
    rows = [", ".join(puzzle.board[start : start + 4]) for start in range(0, 16, 4)]
    return {
        "id": f"{puzzle.level}-{split}-{seed}-{index}",
        "prompt": ASK.format(most=MOST_MISTAKES, board="\n".join(rows)),
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [puzzle.level],
        "split": split,
    }
