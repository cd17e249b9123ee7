"""The session: one tool. The state is the presses; the verdict plays them again."""

# ruff: noqa: E501 -- long lines of tables

import json
import re

from lecture_grid_rules.engine import begin, drawn, press
from lecture_grid_rules.tasks import Game, game_in

MOST_AT_ONCE, MOST_SILENT = 20, 3
"""Presses of one call, and messages without a press after which the game is over."""
PRESS = {
    "type": "function",
    "function": {
        "name": "press",
        "description": f"Press buttons one after another, at most {MOST_AT_ONCE}. Shows the grid after the last one.",
        "parameters": {
            "type": "object",
            "properties": {"buttons": {"type": "string", "description": "letters, for example A or AAB"}},
            "required": ["buttons"],
            "additionalProperties": False,
        },
    },
}


class Play:
    """A game in progress: which level, where, and what was pressed."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.level = 0
        self.pressed: list[str] = []
        self.position = begin(game.levels[0])

    @property
    def is_won(self) -> bool:
        """Whether every level is won."""
        return self.level == len(self.game.levels)

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be pressed."""
        return self.is_won or len(self.pressed) >= self.game.most_presses

    def press(self, button: str) -> bool:
        """Press one button; whether that won a level."""
        if self.is_over or button not in self.game.rules.buttons:
            return False
        self.pressed.append(button)
        self.position = press(self.game.rules, self.game.levels[self.level], self.position, button)
        if not self.position.won:
            return False
        self.level += 1
        if not self.is_won:
            self.position = begin(self.game.levels[self.level])
        return True

    def shown(self) -> str:
        """What a player sees."""
        count = f"Presses: {len(self.pressed)} of {self.game.most_presses}."
        if self.is_won:
            return f"All levels are won. {count}"
        over = " The game is over." if self.is_over else ""
        return f"Level {self.level + 1} of {len(self.game.levels)}:\n{drawn(self.game.levels[self.level], self.position)}\n{count}{over}"


class Session:
    """One game."""

    def reset(self, task: dict, seed: int) -> dict:
        self.play = Play(game_in(task["info"]))
        self.silent = 0
        return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": [PRESS]}

    def step(self, message: dict) -> dict:
        if self._is_over():
            return {"messages": [{"role": "user", "content": "The game is over."}], "done": True}
        made = message.get("tool_calls") if isinstance(message, dict) else None
        replies = [self._reply(call) for call in made[:MOST_AT_ONCE]] if isinstance(made, list) else []
        if not replies:
            self.silent += 1
            replies = [{"role": "user", "content": "Please call press."}]
        return {"messages": replies, "done": self._is_over()}

    def state(self) -> dict:
        """The buttons in the order in which they were pressed."""
        return {"pressed": "".join(self.play.pressed)}

    def _is_over(self) -> bool:
        return self.play.is_over or self.silent >= MOST_SILENT

    def _reply(self, call: object) -> dict:
        call = call if isinstance(call, dict) else {}
        function = call.get("function") if isinstance(call.get("function"), dict) else {}
        buttons = read_buttons(function, self.play.game)
        if not buttons:
            self.silent += 1
            said = f'error: the tool is press, with arguments such as {{"buttons": "{next(iter(self.play.game.rules.buttons))}"}}'
        else:
            self.silent, level = 0, self.play.level
            for button in buttons:
                if self.play.press(button):
                    break  # the rest was meant for another grid
            said = ("Level won! " if self.play.level > level else "") + self.play.shown()
        return {"role": "tool", "tool_call_id": ident_of(call), "content": said}


def ident_of(call: dict) -> str:
    """The id of a call, as it can be sent back: a text of at most 200 characters without half a surrogate pair."""
    ident = call.get("id")
    return ident[:200].encode("utf-8", "replace").decode() if isinstance(ident, str) else ""


def read_buttons(function: dict, game: Game) -> str:
    """The buttons of a call, in capitals and without what lies between; empty for a call that is none."""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if len(arguments) < 1000 else None
        except (ValueError, RecursionError):
            arguments = None
    given = arguments.get("buttons") if isinstance(arguments, dict) else None
    if isinstance(given, list) and len(given) <= MOST_AT_ONCE and all(isinstance(each, str) for each in given):
        given = "".join(given)
    if function.get("name") != "press" or not isinstance(given, str) or len(given) > 200:
        return ""
    buttons = re.sub(r"""[\s,;"'\[\]+>-]""", "", given.upper())
    return buttons[:MOST_AT_ONCE] if set(buttons) <= set(game.rules.buttons) else ""


def verify(task: dict, state: dict) -> dict:
    """``solved``, ``efficiency``; ``levels`` and ``presses``. The presses are played again: a forged state gains nothing."""
    play = Play(game_in(task["info"]))
    pressed = state.get("pressed") if isinstance(state, dict) else None
    is_possible = isinstance(pressed, str) and len(pressed) <= play.game.most_presses
    is_possible = is_possible and set(pressed) <= set(play.game.rules.buttons)
    for button in pressed if is_possible else "":
        play.press(button)
    if is_possible and len(play.pressed) < len(pressed):  # pressed after the end
        return {"solved": 0.0, "efficiency": 0.0, "levels": 0.0, "presses": float(len(play.pressed))}
    solved = play.is_won
    return {
        "solved": float(solved),
        "efficiency": min(1.0, play.game.par / len(play.pressed)) if solved else 0.0,
        "levels": play.level / len(play.game.levels),
        "presses": float(len(play.pressed)),
    }
