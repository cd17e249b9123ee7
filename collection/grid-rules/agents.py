"""Scripted agents, from a good one to cheats. ``python agents.py`` measures them and prints the README's table."""

import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_grid_rules"
sys.path.insert(0, str(HERE / "src"))

from lecture_grid_rules import Session, verify  # noqa: E402 -- the package lies beside
from lecture_grid_rules.engine import DOWN, LEFT, RIGHT, UP, Level, Position, Role, Rules, drawn, press, shortest  # noqa: E402
from lecture_grid_rules.tasks import game_in, level_of  # noqa: E402

Agent = Callable[["Board"], None]
DIRECTIONS = (UP, DOWN, LEFT, RIGHT, None)


class Board:
    """One episode as an agent sees it: the buttons, the grid, and a way to press."""

    def __init__(self, task: dict) -> None:
        self.session = Session()
        text = self.session.reset(task, 0)["messages"][0]["content"]
        self.task = task
        self.buttons = re.search(r"What the buttons ([A-F, ]+) do", text)[1].split(", ")
        self.grid = self._grid(text)
        self.won, self.done = False, False

    def _grid(self, text: str) -> tuple[str, ...]:
        return tuple(line.replace(" ", "") for line in text.splitlines() if re.fullmatch(r"\S( \S)+", line))

    def press(self, buttons: str) -> None:
        """Press; then ``won`` says whether that won a level, and ``grid`` is what is shown."""
        function = {"name": "press", "arguments": json.dumps({"buttons": buttons})}
        turn = self.session.step(
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]}
        )
        text = turn["messages"][-1]["content"]
        self.won, self.done, self.grid = text.startswith("Level won!"), turn["done"], self._grid(text)


def play(agent: Agent, task: dict) -> dict[str, float]:
    """Rewards of one episode."""
    board = Board(task)
    agent(board)
    return verify(task, json.loads(json.dumps(board.session.state())))


# -- an expert that finds out -----------------------------------------------------------------------------------------

COUNTS = {1: (Role.GOAL, Role.SECOND_KEY), 2: (Role.KEY, Role.LOCK, Role.PORTAL, Role.MIRROR), 3: (Role.TRAP,)}


class Guess:
    """One set of rules that all that was seen allows: what signs mean, how one moves, what each button may be."""

    def __init__(self, signs: dict[str, Role], style: str, wraps: bool, buttons: dict[str, set], at: Position) -> None:
        self.signs, self.style, self.wraps, self.buttons, self.at = signs, style, wraps, buttons, at

    def rules(self, more: dict | None = None) -> Rules:
        known = {button: next(iter(may)) for button, may in self.buttons.items() if len(may) == 1}
        return Rules(known | (more or {}), self.style, self.wraps, self.signs, Role.GOAL in self.signs.values())

    def level(self, cells: tuple[str, ...], start: tuple[int, int]) -> Level:
        return _level(tuple(self.signs.items()), cells, start)

    def after(self, level: Level, button: str, seen: str | None) -> Iterator["Guess"]:
        """What is left of the guess when ``button`` led to the grid ``seen`` (None: to another level)."""
        left: dict[Position, set] = {}
        for direction in self.buttons[button]:
            rules = Rules({button: direction}, self.style, self.wraps, self.signs, Role.GOAL in self.signs.values())
            position = press(rules, level, self.at, button)
            if position.won if seen is None else not position.won and drawn(level, position) == seen:
                left.setdefault(position, set()).add(direction)
        for position, may in left.items():
            buttons = {key: may if key == button else set(value) for key, value in self.buttons.items()}
            if _thin_out(buttons):
                yield Guess(self.signs, self.style, self.wraps, buttons, position)


@lru_cache(maxsize=4096)
def _level(signs: tuple, cells: tuple[str, ...], start: tuple[int, int]) -> Level:
    return level_of(Rules({}, "walk", False, dict(signs), False), cells, start)


def _thin_out(buttons: dict[str, set]) -> bool:
    """Each direction belongs to one button, and the rest do nothing; False where that cannot be."""
    for _ in buttons:
        sure = [next(iter(may)) for may in buttons.values() if len(may) == 1]
        for direction, count in Counter(sure).items():
            if count > (1 if direction else len(buttons) - 4):
                return False
            if direction or count == len(buttons) - 4:
                for may in buttons.values():
                    if len(may) > 1:
                        may.discard(direction)
        if not all(buttons.values()):
            return False
    return True


def first_guesses(cells: tuple[str, ...], start: tuple[int, int], buttons: list[str]) -> list[Guess]:
    """Every set of rules that the first grid allows: how often a sign is there says what it may be."""
    counts = Counter("".join(cells).replace(".", ""))
    wall = max(counts, key=counts.__getitem__)
    choices = [(Role.WALL,) if sign == wall else COUNTS[count] for sign, count in counts.items()]
    found = []
    for roles in itertools.product(*choices):
        if len(set(roles)) < len(roles) or (Role.GOAL not in roles and Role.KEY not in roles):
            continue
        if (Role.SECOND_KEY in roles and Role.KEY not in roles) or {Role.SECOND_KEY, Role.GOAL} <= set(roles):
            continue
        for style, wraps in itertools.product(("walk", "leap", "slide"), (False, True)):
            may = {button: set(DIRECTIONS) for button in buttons}
            found.append(Guess(dict(zip(counts, roles, strict=True)), style, wraps, may, Position(start)))
    return found


def expert(board: Board) -> None:
    """Knows the kinds of rules but not which: presses every button, keeps what fits, and plans by what is left."""
    guesses: list[Guess] = []
    random = Random(0)
    while not board.done:
        row = next(place for place, line in enumerate(board.grid) if "@" in line)
        start = (row, board.grid[row].index("@"))
        cells = tuple(line.replace("@", ".") for line in board.grid)
        guesses = guesses or first_guesses(cells, start, board.buttons)
        for guess in guesses:
            guess.at = Position(start)
        plan: list[str] = []
        while not board.done:
            guess = guesses[0]
            if not plan:
                plan = _plan(guess, guess.level(cells, start), random)
            button = plan.pop(0)
            board.press(button)
            seen = None if board.won or not board.grid else "\n".join(" ".join(line) for line in board.grid)
            kept = [left for each in guesses for left in each.after(each.level(cells, start), button, seen)]
            if not kept:
                return
            if not (kept[0].signs == guess.signs and (kept[0].style, kept[0].wraps) == (guess.style, guess.wraps)):
                plan = []
            guesses = kept
            if board.won:
                break


def _plan(guess: Guess, level: Level, random: Random) -> list[str]:
    """A button that is not known yet, or the shortest way to win if the guess is right."""
    unknown = [button for button, may in guess.buttons.items() if len(may) > 1]
    known = [button for button, may in guess.buttons.items() if len(may) == 1 and may != {None}]
    if unknown and (len(known) < 4):
        return [random.choice(unknown)] if random.random() < 0.8 or not known else [random.choice(known)]
    return _from_here(guess, level) or [random.choice(known)]


def _from_here(guess: Guess, level: Level) -> list[str] | None:
    """The fewest presses that win from where the guess stands."""
    rules, first = guess.rules(), guess.at
    came: dict[Position, tuple | None] = {first: None}
    line = [first]
    for position in line:
        for button in rules.buttons:
            after = press(rules, level, position, button)
            if after not in came:
                came[after] = (position, button)
                line.append(after)
            if after.won:
                path = []
                while came[after]:
                    after, pressed = came[after]
                    path.append(pressed)
                return path[::-1]
    return None


# -- others -----------------------------------------------------------------------------------------------------------


def told(board: Board) -> None:
    """Cannot be in play: is told the rules, and takes the shortest way."""
    game = game_in(board.task["info"])
    for level in game.levels:
        for button in shortest(game.rules, level):
            board.press(button)


def at_random(board: Board) -> None:
    """Lazy: any button, until the game is over."""
    random = Random(board.task["id"])
    while not board.done:
        board.press("".join(random.choices(board.buttons, k=10)))


def walks_far(board: Board) -> None:
    """Random, but presses a button several times before the next."""
    random = Random(board.task["id"])
    while not board.done:
        board.press(random.choice(board.buttons) * random.randint(1, 4))


def in_turn(board: Board) -> None:
    """All buttons in turn: a fixed sequence."""
    while not board.done:
        board.press("".join(board.buttons))


def longer_and_longer(board: Board) -> None:
    """A fixed sequence that sweeps: each button once, twice, three times …"""
    for length in itertools.count(1):
        for button in board.buttons:
            if board.done:
                return
            board.press(button * min(length, 20))


def nothing(board: Board) -> None:
    """Presses nothing."""


AGENTS: dict[str, Agent] = {
    "scripted expert: finds the rules out": expert,
    "told the rules, takes the shortest way": told,
    "lazy: any button, to the last press": at_random,
    "any button, several times each": walks_far,
    "fixed sequence: buttons in turn": in_turn,
    "fixed sequence: longer and longer": longer_and_longer,
    "presses nothing": nothing,
}


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean reward of 1.5, share of games solved, efficiency of those, and share of levels."""
    found = [play(agent, task) for task in tasks]
    solved = [each["efficiency"] for each in found if each["solved"] == 1.0]
    return {
        "solved": len(solved) / len(found),
        "efficiency": sum(solved) / len(solved) if solved else 0.0,
        "levels": sum(each["levels"] for each in found) / len(found),
        "earns": sum(each["solved"] + 0.5 * each["efficiency"] for each in found) / len(found),
    }


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | solved | efficiency of these | levels | earns, of 1.5 |", "|---|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        efficiency = f"{got['efficiency']:.2f}" if got["solved"] else "–"
        shares = [f"{100 * got[each]:.0f} %" for each in ("solved", "levels")]
        rows.append(f"| {name} | {shares[0]} | {efficiency} | {shares[1]} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(table(test_tasks()))
