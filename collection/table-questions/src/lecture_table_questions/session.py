"""The session: tools over tables, and a record of what was called."""

import json

from lecture_table_questions import tools
from lecture_table_questions.tables import Table, make_question

MOST_CALLS, MOST_SILENT, LONGEST, MOST_ITEMS = 20, 3, 400, 8
"""Calls of an episode, messages without a call after which it ends, characters of a text, texts of a list."""
SYSTEM = (
    "You answer questions about tables. Look at the tables, calculate with the tools, then call answer. Give a number "
    "in the unit that is asked for, rounded as the question says and not before. Where several rows tie, name them all."
)


def _tool(name: str, description: str, required: list[str], /, **parameters: dict) -> dict:
    schema = {"type": "object", "properties": parameters, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _text(description: str) -> dict:
    return {"type": "string", "description": description}


def _texts(description: str) -> dict:
    return {"type": "array", "items": {"type": "string"}, "description": description}


_WHERE = _texts(
    "conditions that rows must meet, for example ['kind = oak', 'height > 300']; 'height =' finds missing ones"
)
TOOLS = [
    _tool("tables", "Show every table: columns, units, number of rows, first rows.", []),
    _tool(
        "rows", f"Show at most {tools.MOST_ROWS} rows.", ["table"], table=_text("the table's name"), where=_WHERE,
        sort=_text("a column; with a minus before it the largest first"),
        skip={"type": "integer", "description": "rows to skip"},
    ),
    _tool(
        "aggregate", "One number over rows; those without a value in the column are left out.",
        ["table", "function", "column"], table=_text("the table's name"),
        function={"type": "string", "enum": list(tools.FUNCTIONS)}, column=_text("a column"), where=_WHERE,
    ),
    _tool(
        "calculate", "Calculate an expression exactly.", ["expression"], expression=_text('for example "(3 + 4) / 7"')
    ),
    _tool(
        "answer", "Give the answer and end.", ["values"], values=_texts("the number alone, or each of the names"),
        unit=_text("the unit that was asked for, for example kg; nothing for names and counts"),
    ),
]  # fmt: skip


class Session:
    """One question. The state is the list of calls."""

    def reset(self, task: dict, seed: int) -> dict:
        place = task["info"]
        self.tables = make_question(place["split"], place["seed"], place["index"]).tables
        self.calls: list[dict] = []
        self.silent = 0
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task["prompt"]}]
        return {"messages": messages, "tools": TOOLS}

    def step(self, message: dict) -> dict:
        if self._is_over():
            return {"messages": [{"role": "user", "content": "This question is answered."}], "done": True}
        made = message.get("tool_calls")
        replies = [self._reply(call) for call in made if not self._is_over()] if isinstance(made, list) else []
        if not replies:
            self.silent += 1
            replies = [{"role": "user", "content": "Please call a tool; call answer when you know it."}]
        return {"messages": replies, "done": self._is_over()}

    def state(self) -> dict:
        """What was called, in order: name and arguments."""
        return {"calls": self.calls}

    def _is_over(self) -> bool:
        is_answered = bool(self.calls) and self.calls[-1]["name"] == "answer"
        return is_answered or len(self.calls) >= MOST_CALLS or self.silent >= MOST_SILENT

    def _reply(self, call: object) -> dict:
        ident, name, arguments = read_call(call)
        problem = problem_of(name, arguments)
        self.calls.append({"name": "error", "arguments": {}} if problem else {"name": name, "arguments": arguments})
        said = f"error: {problem}" if problem else answer_of(self.tables, name, arguments)
        return {"role": "tool", "tool_call_id": ident, "content": said}


def answer_of(tables: dict[str, Table], name: str, given: dict) -> str:
    """What a tool says to a good call."""
    try:
        if name == "tables":
            return tools.describe(tables)
        if name == "rows":
            return tools.rows(
                tables, given["table"], given.get("where", []), given.get("sort", ""), given.get("skip", 0)
            )
        if name == "aggregate":
            return tools.aggregate(tables, given["table"], given["function"], given["column"], given.get("where", []))
        return tools.calculate(given["expression"]) if name == "calculate" else "Thank you."
    except tools.Refused as refused:
        return f"error: {refused}"


def read_call(call: object) -> tuple[str, str, object]:
    """The id of a call, its tool's name and its arguments. A model may send anything."""
    call = call if isinstance(call, dict) else {}
    function = call.get("function") if isinstance(call.get("function"), dict) else {}
    ident, name, arguments = call.get("id"), function.get("name"), function.get("arguments")
    try:
        arguments = json.loads(arguments) if isinstance(arguments, str) and len(arguments) < 8 * LONGEST else arguments
    except (ValueError, RecursionError):
        arguments = None
    ident = ident[:200].encode("utf-8", "replace").decode() if isinstance(ident, str) else ""
    return ident, name if isinstance(name, str) else "", arguments


def problem_of(name: str, arguments: object) -> str | None:
    """What is wrong with a call, in words for the model; None for a good one."""
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    if name not in schemas:
        return f"the tools are {', '.join(schemas)}"
    known, required = schemas[name]["properties"], schemas[name]["required"]
    is_good = isinstance(arguments, dict) and set(required) <= set(arguments) <= set(known)
    if not is_good or not all(_fits(value, known[key]["type"]) for key, value in arguments.items()):
        takes = ", ".join(f"{key} ({value['type']})" for key, value in known.items()) or "nothing"
        return f"{name} takes {takes}, texts of at most {LONGEST} characters; needed: {', '.join(required) or 'none'}"
    return None


def _fits(value: object, kind: str) -> bool:
    if kind == "array":
        return isinstance(value, list) and len(value) <= MOST_ITEMS and all(_fits(each, "string") for each in value)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**6
    return isinstance(value, str) and len(value) <= LONGEST and value.isprintable()
