"""The session: three tools, and a record of what was called."""

import json

from lecture_cited_search.library import MOST_HITS, library_of

MOST_CALLS, MOST_SILENT, LONGEST, MOST_QUOTES = 16, 3, 2000, 8
"""Calls of an episode, messages without a call after which it ends, characters of a text, quotes of an answer."""
SYSTEM = (
    "You answer questions from an encyclopedia. Search it, open articles, then call answer with the value and the "
    "sentences that show it, each quoted whole and word for word. Some sentences tell something near the question, "
    "or repeat what is said and not true. "
    "If no article tells the answer, call answer with found = false and without quotes."
)


def _tool(name: str, description: str, required: list[str], **parameters: dict) -> dict:
    schema = {"type": "object", "properties": parameters, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _text(description: str) -> dict:
    return {"type": "string", "description": description}


TOOLS = [
    _tool(
        "search", f"Find articles by words. Gives at most {MOST_HITS}, the best first.", ["words"], words=_text("words")
    ),
    _tool("open", "Read an article whole.", ["id"], id=_text("the article's id, for example a07")),
    _tool(
        "answer",
        "Give the answer and end. With found = false you say that no article tells it.",
        ["found"],
        found={"type": "boolean", "description": "whether the encyclopedia tells the answer"},
        answer=_text("the value alone: a year, a number or a name"),
        quotes={"type": "array", "items": {"type": "string"}, "description": "one whole sentence each, word for word"},
    ),
]


class Session:
    """One question. The state is the list of calls: the verifier looks the rest up itself."""

    def reset(self, task: dict, seed: int) -> dict:
        place = task["info"]
        self.library = library_of(place["split"], place["seed"], place["index"])
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
            replies = [{"role": "user", "content": "Please call search, open or answer."}]
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
        said = f"error: {problem}" if problem else self._act(name, arguments)
        return {"role": "tool", "tool_call_id": ident, "content": said}

    def _act(self, name: str, arguments: dict) -> str:
        if name == "search":
            return self.library.search(arguments["words"])
        return self.library.open(arguments["id"]) if name == "open" else "Thank you."


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
        takes = ", ".join(f"{key} ({value['type']})" for key, value in known.items())
        return f"{name} takes {takes}, of at most {LONGEST} characters; needed: {', '.join(required)}"
    return None


def _fits(value: object, kind: str) -> bool:
    if kind == "array":
        return isinstance(value, list) and len(value) <= MOST_QUOTES and all(_fits(each, "string") for each in value)
    if kind == "string":
        is_text = isinstance(value, str) and len(value) <= LONGEST
        return is_text and all(char.isprintable() or char.isspace() for char in value)
    return isinstance(value, bool)
