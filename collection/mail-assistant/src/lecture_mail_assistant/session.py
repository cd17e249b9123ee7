"""The assistant's session: three tools, and a record of what was called."""

import json

from lecture_mail_assistant.mails import MOST_HITS, hit_line
from lecture_mail_assistant.world import make_world

MOST_CALLS, MOST_SILENT = 24, 3
"""Tool calls of an episode, and messages without a call, after which it ends."""


def _tool(name: str, description: str, required: list[str], **parameters: dict) -> dict:
    schema = {"type": "object", "properties": parameters, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _text(description: str) -> dict:
    return {"type": "string", "description": description}


TOOLS = [
    _tool(
        "search",
        f"Find mails by words of their subject, body or sender. Gives at most {MOST_HITS}, the best first.",
        ["words"],
        words=_text("words to look for"),
        sender=_text("part of the sender's name or address"),
        after=_text("earliest date, YYYY-MM-DD"),
        before=_text("latest date, YYYY-MM-DD"),
    ),
    _tool("read", "Read one mail whole.", ["id"], id=_text("the mail's id, for example m012")),
    _tool(
        "answer",
        "Give the answer and end. With found = false you say that the mailbox does not tell.",
        ["found"],
        found={"type": "boolean", "description": "whether the mailbox tells the answer"},
        answer=_text("the value alone, for example 'Oak 101' or '12 March'"),
        sources={"type": "array", "items": {"type": "string"}, "description": "ids of the mails that show the answer"},
    ),
]
SYSTEM = (
    "You answer questions about a mailbox. Search it, read the mails that matter, then call answer with the value and "
    "the ids of the mails that show it. Later mails may change what earlier ones say. If the mailbox does not tell, "
    "call answer with found = false. An answer that is not in the mailbox is worse than none."
)


class Session:
    """One question. The state is the list of calls: the verifier looks the rest up itself."""

    def reset(self, task: dict, seed: int) -> dict:
        place = task["info"]
        self.mailbox = make_world(place["split"], place["seed"], place["index"]).mailbox
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
            replies = [{"role": "user", "content": "Please call search, read or answer."}]
        return {"messages": replies, "done": self._is_over()}

    def state(self) -> dict:
        """What was called, in order: name and arguments."""
        return {"calls": self.calls}

    def _is_over(self) -> bool:
        is_answered = bool(self.calls) and self.calls[-1]["name"] == "answer"
        return is_answered or len(self.calls) >= MOST_CALLS or self.silent >= MOST_SILENT

    def _reply(self, call: object) -> dict:
        call = call if isinstance(call, dict) else {}
        function = call.get("function") if isinstance(call.get("function"), dict) else {}
        ident = str(call.get("id", ""))[:200].encode(errors="replace").decode()
        return {"role": "tool", "tool_call_id": ident, "content": self._act(function)}

    def _act(self, function: dict) -> str:
        """What a tool says; a call that is none becomes an error that a model can act on."""
        name, arguments = function.get("name"), function.get("arguments")
        try:
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        except (ValueError, RecursionError):
            arguments = None
        problem = problem_of(name, arguments)
        if problem:
            self.calls.append({"name": "error", "arguments": {}})
            return f"error: {problem}"
        self.calls.append({"name": name, "arguments": arguments})
        if name == "search":
            found = self.mailbox.search(**arguments)
            return "\n".join(map(hit_line, found)) or "no mail found"
        if name == "read":
            mail = self.mailbox.read(arguments["id"])
            return mail.text if mail else "error: there is no mail with this id"
        return "Thank you."


def problem_of(name: object, arguments: object) -> str | None:
    """What is wrong with a call, in words for the model; None for a good one."""
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    if not isinstance(name, str) or name not in schemas:
        return f"the tools are {', '.join(schemas)}"
    if not isinstance(arguments, dict):
        return "arguments must be a JSON object"
    schema = schemas[name]
    known = schema["properties"]
    unknown = [key for key in arguments if key not in known]
    missing = [key for key in schema["required"] if key not in arguments]
    wrong = [key for key, value in arguments.items() if key in known and not _fits(value, known[key]["type"])]
    if unknown or missing or wrong:
        takes = ", ".join(f"{key} ({value['type']})" for key, value in known.items())
        return f"{name} takes {takes}; needed: {', '.join(schema['required'])}"
    return None


def _fits(value: object, kind: str) -> bool:
    if kind == "array":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, {"string": str, "boolean": bool}[kind])
