"""Labelled cases on boards of their own: whole games, right ones with and without mistakes, and ones with one fault."""

# ruff: noqa: E501 -- a table of cases

from random import Random

from lecture_connections.game import MOST_GUESSES
from lecture_connections.puzzles import Puzzle, puzzle_of
from lecture_connections.tasks import make_task

TASKS, SEED = 75, 1_000_000
Guesses = list


def make_cases(split: str = "test", boards: int = TASKS) -> list[dict]:
    """Two right and three wrong ones a board."""
    return [case for number in range(boards) for case in _of_board(split, number)]


def _of_board(split: str, number: int) -> list[dict]:
    task, puzzle = make_task(split, SEED, number), puzzle_of(split, SEED, number)
    random = Random(f"case:{number}")
    right, wrong = _right(puzzle, random), _wrong(puzzle, random)
    labelled = [(*right[(number + step) % len(right)], "correct") for step in range(2)]
    labelled += [(*wrong[(number * 3 + step * 5) % len(wrong)], "incorrect") for step in range(3)]
    return [
        {
            "id": f"{tag}-{number}-{place}",
            "task": task,
            "state": state,
            "label": label,
            "expect": expect,
            "tags": [tag, puzzle.level],
            "source": "made by rule",
            "licence": "Apache-2.0",
        }
        for place, (tag, state, expect, label) in enumerate(labelled)
    ]


def groups_of(puzzle: Puzzle, random: Random) -> Guesses:
    """The four groups in any order, each in any order."""
    found = [random.sample(sorted(words), 4) for words in puzzle.groups.values()]
    return random.sample(found, 4)


def mixed(puzzle: Puzzle, number: int) -> Guesses:
    """So many guesses of four that are no group: three of one and one of the next."""
    groups = [sorted(words) for words in puzzle.groups.values()]
    return [[*groups[step % 4][:3], groups[(step + 1) % 4][step // 4 % 4]] for step in range(number)]


def solved(mistakes: int) -> dict:
    """What a solved board earns."""
    return {"solved": 1.0, "few_mistakes": 1.0 - mistakes / 4, "format": 1.0}


def _right(puzzle: Puzzle, random: Random) -> list[tuple[str, dict, dict]]:
    groups = groups_of(puzzle, random)
    spelled = [[f' "{word.upper()}". ' for word in words] for words in groups]
    return [
        ("no-mistake", {"guesses": groups}, solved(0)),
        ("one-mistake", {"guesses": [*mixed(puzzle, 1), *groups]}, solved(1)),
        ("two-mistakes", {"guesses": [groups[0], *_left(puzzle, groups[:1], 2), *groups[1:]]}, solved(2)),
        ("three-mistakes", {"guesses": [*mixed(puzzle, 3), *groups]}, solved(3)),
        ("other-spelling", {"guesses": spelled}, solved(0)),
    ]


def _left(puzzle: Puzzle, found: Guesses, number: int) -> Guesses:
    """Wrong guesses of words that are left when some groups are found."""
    gone = {word for words in found for word in words}
    left = [sorted(words) for words in puzzle.groups.values() if not words & gone]
    return [[*left[0][:2], *left[1][step : step + 2]] for step in range(number)]


def _wrong(puzzle: Puzzle, random: Random) -> list[tuple[str, dict, dict]]:
    groups = groups_of(puzzle, random)
    board = list(puzzle.board)
    unsolved, unformed = {"solved": 0.0, "few_mistakes": 0.0}, {"format": 0.0}
    return [
        ("nothing", {"guesses": []}, unsolved),
        ("three-groups", {"guesses": groups[:3]}, unsolved),
        ("four-mistakes", {"guesses": mixed(puzzle, 4)}, unsolved),
        ("goes-on-after-four-mistakes", {"guesses": [*mixed(puzzle, 4), *groups]}, unsolved),
        ("goes-on-after-solving", {"guesses": [*groups, groups[0]]}, unsolved),
        ("two-words-swapped", {"guesses": [[*groups[0][:3], groups[1][3]], [*groups[1][:3], groups[0][3]], *groups[2:]]}, unsolved),
        ("every-word-in-every-group", {"guesses": [board] * 4}, unsolved),
        ("every-word-first", {"guesses": [board, *groups]}, unformed),
        ("five-words", {"guesses": [[*groups[0], groups[1][0]], *groups]}, unformed),
        ("three-words", {"guesses": [groups[0][:3], *groups]}, unformed),
        ("same-word-four-times", {"guesses": [[board[0]] * 4, *groups]}, unformed),
        ("found-group-again", {"guesses": [groups[0], groups[0], *groups[1:]]}, unformed),
        ("word-of-no-board", {"guesses": [[*groups[0][:3], "zebra"], *groups]}, unformed),
        ("names-of-the-groups", {"guesses": [list(puzzle.groups)]}, unsolved),
        ("no-guess", {"guesses": [None, *groups]}, unformed),
        ("look-alike", {"guesses": [[word.replace("e", "е").replace("a", "а") + "\u200b" for word in words] for words in groups]}, unsolved),
        ("claims", {"guesses": [], "solved": True, "found": list(puzzle.groups)}, unsolved),
        ("groups-in-one-list", {"guesses": [[word for words in groups for word in words]]}, unsolved),
        ("nested", {"guesses": [groups]}, unsolved),
        ("too-many", {"guesses": groups * (MOST_GUESSES // 4 + 1)}, unsolved),
        ("another-board", {"guesses": groups_of(puzzle_of("validation", SEED, 1), random)}, unsolved),
    ]  # fmt: skip
