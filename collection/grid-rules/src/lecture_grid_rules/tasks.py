"""Tasks: rules drawn from combinations that a split has for itself, and levels that are known to be won."""

# ruff: noqa: E501 -- long lines of tables

import itertools
from dataclasses import dataclass
from random import Random

from lecture_grid_rules.engine import DOWN, FLOOR, LEFT, RIGHT, UP, Cell, Level, Role, Rules, begin, drawn, shortest

LEVELS = ("easy", "medium", "hard")
SIZES, COUNTS, SHORTEST = (
    {"easy": 6, "medium": 6, "hard": 7},
    {"easy": 3, "medium": 3, "hard": 3},
    {"easy": 6, "medium": 6, "hard": 7},
)
"""By level: cells of a side, levels of a game, and fewest presses that a level must need."""
_WINS = {"goal": [], "key-then-goal": [Role.KEY], "all-keys": [Role.KEY], "keys-in-order": [Role.KEY, Role.SECOND_KEY]}
_GLYPHS = {"train": "#oxvw%&*+", "validation": "=$?zsn~^", "test": "kHTXNUYQ"}
_EXTRAS = (Role.TRAP, Role.PORTAL, Role.MIRROR, Role.LOCK)
ASK = """\
This is a game on a grid. You are the @. What the buttons {buttons} do, what the signs on the grid do, and how a level is won is for you to find out. The rules stay the same in
all {levels} levels, though the grids differ. Call press with one or more buttons. Win all levels with as few presses as you can; after {most} presses the game is over.

Level 1 of {levels}:
{grid}"""


@dataclass(frozen=True)
class Game:
    """Rules, levels, how many presses an expert may take, and after how many the game is over."""

    rules: Rules
    levels: list[Level]
    par: int
    most_presses: int


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. The rules are not in it."""
    game, level = game_of(split, seed, index), LEVELS[index % 3]
    return {
        "id": f"{level}-{split}-{seed}-{index}",
        "prompt": ASK.format(
            buttons=", ".join(game.rules.buttons),
            levels=len(game.levels),
            most=game.most_presses,
            grid=drawn(game.levels[0], begin(game.levels[0])),
        ),
        "info": told_by(game),
        "tags": [level, game.rules.style, *sorted(role.value for role in game.rules.signs.values())],
        "split": split,
    }


def told_by(game: Game) -> dict:
    """A game as it stands in ``info``, which no model sees."""
    return {
        "buttons": {button: list(way) if way else None for button, way in game.rules.buttons.items()},
        "style": game.rules.style,
        "wraps": game.rules.wraps,
        "signs": {sign: role.value for sign, role in game.rules.signs.items()},
        "levels": [{"cells": list(level.cells), "start": list(level.start)} for level in game.levels],
        "par": game.par,
        "most_presses": game.most_presses,
    }


def game_in(info: dict) -> Game:
    """The game of a task's ``info``."""
    buttons = {button: tuple(direction) if direction else None for button, direction in info["buttons"].items()}
    signs = {sign: Role(role) for sign, role in info["signs"].items()}
    rules = Rules(buttons, info["style"], info["wraps"], signs, Role.GOAL in signs.values())
    levels = [level_of(rules, tuple(each["cells"]), tuple(each["start"])) for each in info["levels"]]
    return Game(rules, levels, info["par"], info["most_presses"])


def level_of(rules: Rules, cells: tuple[str, ...], start: Cell) -> Level:
    """A level, with the places of its keys."""
    places = {
        role: frozenset(
            (row, column)
            for row, line in enumerate(cells)
            for column, sign in enumerate(line)
            if rules.signs.get(sign) is role
        )
        for role in (Role.KEY, Role.SECOND_KEY)
    }
    return Level(cells, start, places[Role.KEY], places[Role.SECOND_KEY])


def combinations(level: str) -> list[tuple]:
    """Every (style, way to win, edges wrap, extra signs) of a level, in a fixed order that mixes them."""
    styles = ("walk",) if level == "easy" else ("walk", "leap", "slide")
    extra = (
        [()] + [(each,) for each in (Role.TRAP, Role.PORTAL)]
        if level == "easy"
        else list(itertools.combinations(_EXTRAS, LEVELS.index(level)))
    )
    found = [
        (style, win, wraps, extras)
        for style, win, wraps in itertools.product(styles, _WINS, (False, True))
        for extras in extra
        if not (Role.LOCK in extras and win in ("goal", "all-keys"))
    ]
    Random(f"combinations:{level}").shuffle(found)
    return found


def combinations_of(split: str, level: str) -> list[tuple]:
    """Those of one split: five eighths for training, an eighth for validation, a quarter for testing."""
    places = {"train": (0, 1, 2, 4, 5), "validation": (3,), "test": (6, 7)}[split]
    return [each for place, each in enumerate(combinations(level)) if place % 8 in places]


def game_of(split: str, seed: int, index: int) -> Game:
    """Rules and levels by number. Every level can be won, and not by accident in a few presses."""
    random, level = Random(f"grid:{split}:{seed}:{index}"), LEVELS[index % 3]
    while True:
        combination = random.choice(combinations_of(split, level))
        rules = _rules(split, combination, level, random)
        drawn_levels = (_level(rules, level, random) for _ in range(40))
        levels = list(itertools.islice((each for each in drawn_levels if each), COUNTS[level]))
        if len(levels) == COUNTS[level]:
            presses = sum(len(shortest(rules, each) or []) for each in levels)
            return Game(
                rules,
                levels,
                presses + len(rules.buttons) + 2 * len(rules.signs),
                4 * (presses + len(rules.buttons) + len(rules.signs)),
            )


def _rules(split: str, combination: tuple, level: str, random: Random) -> Rules:
    style, win, wraps, extras = combination
    letters = "ABCDEF"[: 5 if level == "easy" else 6]
    directions: list[Cell | None] = [UP, DOWN, LEFT, RIGHT, *([None] * (len(letters) - 4))]
    random.shuffle(directions)
    roles = [Role.WALL, *_WINS[win], *extras, *([] if win in ("all-keys", "keys-in-order") else [Role.GOAL])]
    glyphs = random.sample(_GLYPHS[split], len(roles))
    return Rules(
        dict(zip(letters, directions, strict=True)),
        style,
        wraps,
        dict(zip(glyphs, roles, strict=True)),
        Role.GOAL in roles,
    )


def _level(rules: Rules, level: str, random: Random) -> Level | None:
    """A grid whose shortest solution is long enough, or None."""
    side = SIZES[level]
    cells = [(row, column) for row in range(side) for column in range(side)]
    random.shuffle(cells)
    counts = {
        Role.WALL: side,
        Role.GOAL: 1,
        Role.KEY: 2,
        Role.SECOND_KEY: 1,
        Role.LOCK: 2,
        Role.TRAP: 3,
        Role.PORTAL: 2,
        Role.MIRROR: 2,
    }
    grid = [[FLOOR] * side for _ in range(side)]
    start = cells.pop()
    for sign, role in rules.signs.items():
        for _ in range(counts[role]):
            row, column = cells.pop()
            grid[row][column] = sign
    made = level_of(rules, tuple("".join(row) for row in grid), start)
    path = shortest(rules, made)
    return made if path is not None and SHORTEST[level] <= len(path) <= 40 else None
