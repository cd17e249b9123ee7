"""The session: the person speaks, the model calls tools, and a message without a call ends the turn."""

import copy
import datetime as dt
import json

from lecture_function_calls.household import WEEKDAYS
from lecture_function_calls.tasks import case_of
from lecture_function_calls.tools import ANSWERS, TOOLS, ToolError, call

MOST_CALLS, MOST_TEXT = 30, 4000
"""Calls of an episode, and characters of a message or of arguments that are kept."""
SYSTEM = (
    "You are an assistant with tools. Today is {day}, {date}. Do exactly what is asked, and nothing else. Look up what "
    "you need. If something is missing that only the user knows, call ask, and ask before you change anything. If no "
    "tool can do it, call decline. When you are done with what was asked, end your turn by a message without a call: "
    "the user is told what you did, asked and declined, and does not get to read that message."
)


NO_MESSAGE = "error: a message must be an object with content or tool_calls"


class Session:
    """One household. The state is what was called and said in each turn: the verifier plays it again."""

    def reset(self, task: dict, seed: int) -> dict:
        place = task["info"]
        self.case = case_of(place["split"], place["seed"], place["index"])
        self.world = copy.deepcopy(self.case.world)
        self.turns: list[dict] = [{"calls": [], "said": None}]
        date = dt.date.fromisoformat(self.world["today"])
        system = SYSTEM.format(day=WEEKDAYS[date.weekday()], date=self.world["today"])
        messages = [{"role": "system", "content": system}, {"role": "user", "content": task["prompt"]}]
        return {"messages": messages, "tools": [TOOLS[name].schema(name) for name in (*self.case.offered, *ANSWERS)]}

    def step(self, message: dict) -> dict:
        if self._is_over():
            return {"messages": [{"role": "user", "content": "The conversation is over."}], "done": True}
        if not isinstance(message, dict):
            self.turns[-1]["calls"].append({"name": "", "arguments": None})
            return {"messages": [{"role": "user", "content": NO_MESSAGE}], "done": self._is_over()}
        made = message.get("tool_calls")
        if isinstance(made, list) and made:
            replies = [self._reply(each) for each in made[:MOST_CALLS] if not self._is_over()]
            return {"messages": replies, "done": self._is_over()}
        self.turns[-1]["said"] = text_of(message.get("content"))[:MOST_TEXT]
        if self._is_over():
            return {"messages": [{"role": "user", "content": "Thank you."}], "done": True}
        words = self.case.turns[len(self.turns)].words
        self.turns.append({"calls": [], "said": None})
        return {"messages": [{"role": "user", "content": words}], "done": False}

    def state(self) -> dict:
        """For each turn what was called, in order, and what was said at its end (None: it did not end)."""
        return {"turns": self.turns}

    def _is_over(self) -> bool:
        is_last = len(self.turns) >= len(self.case.turns)
        is_said = self.turns[-1]["said"] is not None
        return (is_last and is_said) or sum(len(turn["calls"]) for turn in self.turns) >= MOST_CALLS

    def _reply(self, made: object) -> dict:
        made = made if isinstance(made, dict) else {}
        function = made.get("function") if isinstance(made.get("function"), dict) else {}
        name, arguments = read_call(function)
        self.turns[-1]["calls"].append({"name": name, "arguments": arguments})
        return {"role": "tool", "tool_call_id": ident_of(made), "content": self._act(name, arguments)}

    def _act(self, name: str, arguments: object) -> str:
        if name not in self.case.offered and name not in ANSWERS:
            return f"error: there is no tool {name[:40]!r}"
        try:
            return call(self.world, name, arguments)
        except ToolError as error:
            return f"error: {error}"


def ident_of(made: dict) -> str:
    """The id of a call, as it can be sent back: a text of at most 200 characters without half a surrogate pair."""
    ident = made.get("id")
    return ident[:200].encode("utf-8", "replace").decode() if isinstance(ident, str) else ""


def read_call(function: dict) -> tuple[str, dict | None]:
    """Name and arguments of a call, None for arguments that are no JSON object or too long."""
    name, arguments = function.get("name"), function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if len(arguments) <= MOST_TEXT else None
        except (ValueError, RecursionError):
            arguments = None
    return (name[:80].encode("utf-8", "replace").decode() if isinstance(name, str) else ""), (
        arguments if _is_plain(arguments) else None
    )


def _is_plain(arguments: object) -> bool:
    """Whether arguments can be kept in a state: an object of texts, finite numbers, and short lists of them."""
    if not isinstance(arguments, dict) or len(arguments) > 20:
        return False
    flat = [each for value in arguments.values() for each in (value if isinstance(value, list) else [value])]
    try:
        text = json.dumps(arguments, allow_nan=False, ensure_ascii=False)
        text.encode()  # half a surrogate pair cannot be kept
        return len(text) <= 2 * MOST_TEXT and not any(isinstance(each, (dict, list)) for each in flat)
    except (ValueError, RecursionError, TypeError):
        return False


def text_of(content: object) -> str:
    """The text of a message: a string, or OpenAI's list of content parts. What a model thinks is left out."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str))
    spoken = content.rsplit("</think>", 1)[-1] if isinstance(content, str) else ""
    return spoken.encode("utf-8", "replace").decode().strip()
