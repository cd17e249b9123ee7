"""The session: a calculator, and a record of what it was asked and what was answered."""

import json

from lecture_calculator.arithmetic import CalculationError, calculate_exactly, write_number
from lecture_calculator.reading import numbers_in

MOST_CALLS, MOST_SILENT, LONGEST = 12, 2, 4000
"""Calls of an episode, messages with neither a call nor a number after which it ends, characters of an answer."""
SYSTEM = (
    "Solve the problem with the calculator: call calculate with an expression of the problem's numbers, read the "
    "result, then give the number by calling answer, or as a message that ends with it."
)


def _tool(name: str, description: str, **parameters: dict) -> dict:
    schema = {"type": "object", "properties": parameters, "required": list(parameters), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TOOLS = [
    _tool(
        "calculate",
        "Calculate an arithmetic expression exactly. Knows + - * / // % ^, brackets and functions such as ceil.",
        expression={"type": "string", "description": 'for example "(3 + 4) * 2 / 7"'},
    ),
    _tool("answer", "Give the answer and end.", value={"type": "string", "description": "the number alone"}),
]


class Session:
    """One problem. The state is what was asked of the calculator, turn by turn, and what was answered."""

    def reset(self, task: dict, seed: int) -> dict:
        self.turns: list[list] = []
        self.said: str | None = None
        self.silent = 0
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task["prompt"]}]
        return {"messages": messages, "tools": TOOLS}

    def step(self, message: dict) -> dict:
        if self._is_over():
            return {"messages": [{"role": "user", "content": "This problem is answered."}], "done": True}
        made = message.get("tool_calls")
        calls = [read_call(call) for call in made] if isinstance(made, list) else []
        answered = [value for _, name, value in calls if name == "answer" and value is not None]
        if answered:  # what stands beside an answer came too late for it
            self.said = answered[0]
            return {"messages": [_reply(ident, "Thank you.") for ident, _, _ in calls[:1]], "done": True}
        if calls:
            calls = calls[: MOST_CALLS - sum(map(len, self.turns))]
            self.turns.append([value if name == "calculate" else None for _, name, value in calls])
            said = [_reply(ident, say(name, value)) for ident, name, value in calls]
            return {"messages": said, "done": self._is_over()}
        text = text_of(message.get("content"))
        if numbers_in(text):
            self.said = text[-LONGEST:]
            return {"messages": [], "done": True}
        self.silent += 1
        hint = "Please call calculate, or give the number."
        return {"messages": [{"role": "user", "content": hint}], "done": self._is_over()}

    def state(self) -> dict:
        """For each turn the expressions in order, null for what was none; and the answer's text, null without one."""
        return {"turns": self.turns, "said": self.said}

    def _is_over(self) -> bool:
        is_spent = sum(map(len, self.turns)) >= MOST_CALLS or self.silent >= MOST_SILENT
        return self.said is not None or is_spent


def say(name: str, expression: str | None) -> str:
    """What the calculator says."""
    if name != "calculate" or expression is None:
        return "error: the tools are calculate(expression) and answer(value)"
    try:
        return write_number(calculate_exactly(expression))
    except CalculationError as error:
        return f"error: {error}"


def read_call(call: object) -> tuple[str, str, str | None]:
    """The id of a call, its tool, and its only argument as text. A model may send anything."""
    function = call.get("function") if isinstance(call, dict) else None
    function = function if isinstance(function, dict) else {}
    ident, name, arguments = (
        call.get("id") if isinstance(call, dict) else "",
        function.get("name"),
        function.get("arguments"),
    )
    try:
        arguments = json.loads(arguments) if isinstance(arguments, str) and len(arguments) < LONGEST else arguments
    except (ValueError, RecursionError):
        arguments = None
    wanted = {"calculate": "expression", "answer": "value"}.get(name) if isinstance(name, str) else None
    value = arguments.get(wanted) if isinstance(arguments, dict) and wanted else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = _written(value)
    return clean(ident)[:200], clean(name), clean(value)[:LONGEST] if isinstance(value, str) else None


def _written(value: float) -> str:
    """A number of JSON as text; nothing for one of more digits than Python writes."""
    try:
        return repr(value)
    except ValueError:
        return ""


def clean(text: object) -> str:
    """A text that JSON can hold: a lone half of a character pair is a question mark."""
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else ""


def text_of(content: object) -> str:
    """The text of a message: a string, or OpenAI's list of content parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str))
    return clean(content)


def _reply(ident: str, content: str) -> dict:
    return {"role": "tool", "tool_call_id": ident, "content": content}
