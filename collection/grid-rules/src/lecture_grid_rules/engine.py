"""The game: what a press does under given rules. Nothing here is random."""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

Cell = tuple[int, int]
UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
FLOOR, AVATAR = ".", "@"


class Role(StrEnum):
    """What a sign does to whoever enters it."""

    WALL = "wall"
    GOAL = "goal"
    KEY = "key"
    SECOND_KEY = "second-key"
    LOCK = "lock"
    TRAP = "trap"
    PORTAL = "portal"
    MIRROR = "mirror"


@dataclass(frozen=True)
class Rules:
    """What must be found out."""

    buttons: dict[str, Cell | None]
    """Letter -> direction; None does nothing."""
    style: str
    """walk: one cell. leap: two cells, over whatever lies between. slide: on to the next sign or obstacle."""
    wraps: bool
    """Whether the left edge leads to the right one, and the top to the bottom."""
    signs: dict[str, Role]
    needs_goal: bool
    """Whether a level is won on the goal (with all keys), or by the last key."""


@dataclass(frozen=True)
class Level:
    """A grid of signs, and where the avatar begins."""

    cells: tuple[str, ...]
    start: Cell
    keys: frozenset[Cell] = frozenset()
    second_keys: frozenset[Cell] = frozenset()


@dataclass(frozen=True)
class Position:
    """Where a level stands."""

    at: Cell
    taken: frozenset[Cell] = frozenset()
    flipped: bool = False
    won: bool = False


def begin(level: Level) -> Position:
    """The first position of a level."""
    return Position(level.start)


def press(rules: Rules, level: Level, position: Position, button: str) -> Position:
    """The position after a press."""
    direction = rules.buttons.get(button)
    if direction is None or position.won:
        return position
    if position.flipped:
        direction = (-direction[0], -direction[1])
    at = _moved(rules, level, position, direction)
    return position if at == position.at else _entered(rules, level, position, at)


def _moved(rules: Rules, level: Level, position: Position, direction: Cell) -> Cell:
    at = position.at
    for _ in range(len(level.cells) * 2 if rules.style == "slide" else 1):
        target = _next(rules, level, at, direction, 2 if rules.style == "leap" else 1)
        if target is None or _blocks(rules, level, position, target) or target == position.at:
            break
        at = target
        if _sign(level, position, at) != FLOOR:
            break
    return at


def _next(rules: Rules, level: Level, at: Cell, direction: Cell, length: int) -> Cell | None:
    row, column = at[0] + length * direction[0], at[1] + length * direction[1]
    height, width = len(level.cells), len(level.cells[0])
    if rules.wraps:
        return row % height, column % width
    return (row, column) if 0 <= row < height and 0 <= column < width else None


def _sign(level: Level, position: Position, at: Cell) -> str:
    return FLOOR if at in position.taken else level.cells[at[0]][at[1]]


def _role(rules: Rules, level: Level, position: Position, at: Cell) -> Role | None:
    return rules.signs.get(_sign(level, position, at))


def _keys_left(level: Level, position: Position) -> bool:
    return not level.keys | level.second_keys <= position.taken


def _blocks(rules: Rules, level: Level, position: Position, at: Cell) -> bool:
    role = _role(rules, level, position, at)
    return role is Role.WALL or (role is Role.LOCK and _keys_left(level, position))


def _entered(rules: Rules, level: Level, position: Position, at: Cell) -> Position:
    role, taken, flipped = _role(rules, level, position, at), position.taken, position.flipped
    if role is Role.TRAP or (role is Role.SECOND_KEY and not level.keys <= position.taken):
        return begin(level)
    if role is Role.PORTAL:
        sign = level.cells[at[0]][at[1]]
        ends = [(row, place) for row, line in enumerate(level.cells) for place, each in enumerate(line) if each == sign]
        at = next(end for end in ends if end != at)
    if role in (Role.KEY, Role.SECOND_KEY):
        taken = taken | {at}
    after = Position(at, taken, flipped != (role is Role.MIRROR))
    keys_left = _keys_left(level, after)
    won = not keys_left and (role is Role.GOAL if rules.needs_goal else role in (Role.KEY, Role.SECOND_KEY))
    return Position(after.at, after.taken, after.flipped, won)


def shortest(rules: Rules, level: Level) -> list[str] | None:
    """The fewest presses that win a level, None where nothing does."""
    first = begin(level)
    came: dict[Position, tuple[Position, str] | None] = {first: None}
    waiting = deque([first])
    useful = [button for button, direction in rules.buttons.items() if direction]
    while waiting:
        position = waiting.popleft()
        if position.won:
            path = []
            while came[position]:
                position, button = came[position]
                path.append(button)
            return path[::-1]
        for button in useful:
            after = press(rules, level, position, button)
            if after not in came:
                came[after] = (position, button)
                waiting.append(after)
    return None


def drawn(level: Level, position: Position) -> str:
    """The grid as it is shown."""
    rows = [
        [_sign(level, position, (row, column)) for column in range(len(line))] for row, line in enumerate(level.cells)
    ]
    rows[position.at[0]][position.at[1]] = AVATAR
    return "\n".join(" ".join(row) for row in rows)
