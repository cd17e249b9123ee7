"""The session: one tool, and a record of what was guessed."""

import json

from lecture_connections.game import LONGEST_WORD, MOST_MISTAKES, Game
from lecture_connections.puzzles import puzzle_of

MOST_SILENT = 3
TOOL = {
    "type": "function",
    "function": {
        "name": "guess",
        "description": f"Guess one group. Tells whether it is right, or three of its words are. {MOST_MISTAKES} mistakes end the game.",  # noqa: E501
        "parameters": {
            "type": "object",
            "properties": {"words": {"type": "array", "items": {"type": "string"}, "description": "four words that are left"}},  # noqa: E501
            "required": ["words"],
            "additionalProperties": False,
        },
    },
}  # fmt: skip


class Session:
    """One board. The state is the list of guesses: the verifier plays them again."""

    def reset(self, task: dict, seed: int) -> dict:
        place = task["info"]
        self.game = Game(puzzle_of(place["split"], place["seed"], place["index"]))
        self.guesses: list = []
        self.silent = 0
        return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": [TOOL]}

    def step(self, message: dict) -> dict:
        if self._is_over():
            return {"messages": [{"role": "user", "content": "The game is over."}], "done": True}
        made = message.get("tool_calls") if isinstance(message, dict) else None
        replies = [self._reply(call) for call in made if not self._is_over()] if isinstance(made, list) else []
        if not replies:
            self.silent += 1
            replies = [{"role": "user", "content": "Please call guess with four words."}]
        return {"messages": replies, "done": self._is_over()}

    def state(self) -> dict:
        """The guesses in order: four words each, or null for what was none."""
        return {"guesses": self.guesses}

    def _is_over(self) -> bool:
        return self.game.is_over or self.silent >= MOST_SILENT

    def _reply(self, call: object) -> dict:
        call = call if isinstance(call, dict) else {}
        ident = call["id"][:200].encode("utf-8", "replace").decode() if isinstance(call.get("id"), str) else ""
        words = words_of(call.get("function"))
        self.guesses.append(words)
        return {"role": "tool", "tool_call_id": ident, "content": self.game.guess(words)}


def words_of(function: object) -> list[str] | None:
    """The words of a call, cut to what a guess may hold; None where it is no call of ``guess``."""
    if not isinstance(function, dict) or function.get("name") != "guess":
        return None
    arguments = function.get("arguments")
    try:
        arguments = json.loads(arguments) if isinstance(arguments, str) and len(arguments) < 4000 else arguments
    except (ValueError, RecursionError):
        return None
    words = arguments.get("words") if isinstance(arguments, dict) else None
    parts = words.split(",") if isinstance(words, str) else words
    if not isinstance(parts, list) or len(parts) > 16 or not all(isinstance(word, str) for word in parts):
        return None
    if any(len(word) > LONGEST_WORD for word in parts):
        return None
    return [word.encode("utf-8", "replace").decode() for word in parts]
