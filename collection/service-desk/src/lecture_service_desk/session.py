"""The session: six tools and a customer. The state is what was called and said, in order: the verifier plays it again."""

# ruff: noqa: E501 -- descriptions

import json

from lecture_service_desk.desk import LONGEST, MOST_CALLS, Conversation, Refused
from lecture_service_desk.tasks import LARGE, RETURN_DAYS, case_of

_TEXTS = {
    "find_customer": (
        "Identify a customer by name and postcode. Gives the ids of the orders.",
        {"name": "full name", "postcode": "postcode"},
    ),
    "get_order": ("Look at an order.", {"order_id": "id of the order"}),
    "cancel_order": ("Cancel an order.", {"order_id": "id of the order"}),
    "change_address": (
        "Change where an order is delivered to.",
        {"order_id": "id of the order", "address": "street and number, postcode"},
    ),
    "return_items": (
        "Take items back and refund them.",
        {"order_id": "id of the order", "items": "names of the items"},
    ),
    "escalate": ("Pass the case on to a colleague.", {"reason": "why"}),
}
POLICY = (
    "You are the service desk of a shop. The policy:\n"
    "1. Identify the customer by name and postcode (find_customer) before you tell or change anything. If they do not match, say that you cannot help, and tell nothing of the order.\n"
    "2. Before you change anything, name the order or the item and what you will do, ask, and wait for a yes.\n"
    "3. Orders may be cancelled, and addresses changed, only while they are processing.\n"
    f"4. Items may be returned within {RETURN_DAYS} days of delivery, unless they are final sale.\n"
    f"5. Where the refund would be more than {LARGE:.0f} euros, do not return; call escalate and say that a colleague goes on.\n"
    "6. There are no exceptions. If something may not be done, say so and why.\n"
    "7. Say what the customer asked for: the amount of a refund, or the date of a delivery."
)


def _schema(name: str) -> dict:
    about, parameters = _TEXTS[name]
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    properties = {key: (texts if key == "items" else text) | {"description": said} for key, said in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


TOOLS = [_schema(name) for name in _TEXTS]


class Session:
    """One customer."""

    def reset(self, task: dict, seed: int) -> dict:
        place = task["info"]
        self.conversation = Conversation(case_of(place["split"], place["seed"], place["index"]))
        self.events: list[dict] = []
        messages = [{"role": "system", "content": POLICY}, {"role": "user", "content": task["prompt"]}]
        return {"messages": messages, "tools": TOOLS}

    def step(self, message: dict) -> dict:
        if self._is_over():
            return {"messages": [{"role": "user", "content": "The customer is gone."}], "done": True}
        made = message.get("tool_calls")
        if isinstance(made, list) and made:
            replies = [self._reply(each) for each in made[:MOST_CALLS] if not self._is_over()]
            return {"messages": replies, "done": self._is_over()}
        said = text_of(message.get("content"))[:LONGEST]
        self.events.append({"say": said})
        answer = self.conversation.say(said)
        return {"messages": [{"role": "user", "content": answer}], "done": self._is_over()}

    def state(self) -> dict:
        """Calls and words, in order."""
        return {"events": self.events}

    def _is_over(self) -> bool:
        return self.conversation.is_over or self.conversation.calls >= MOST_CALLS

    def _reply(self, made: object) -> dict:
        made = made if isinstance(made, dict) else {}
        function = made.get("function") if isinstance(made.get("function"), dict) else {}
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments) if len(arguments) <= LONGEST else None
            except (ValueError, RecursionError):
                arguments = None
        if not is_call(name, arguments):
            name, arguments = "error", {}
        self.events.append({"call": name, "arguments": arguments})
        return {
            "role": "tool",
            "tool_call_id": str(made.get("id", ""))[:200],
            "content": act(self.conversation, name, arguments),
        }


def is_call(name: object, arguments: object) -> bool:
    """Whether a call names a tool and has its arguments, all of them short texts."""
    if not isinstance(name, str) or name not in _TEXTS or not isinstance(arguments, dict):
        return False
    if set(arguments) != set(_TEXTS[name][1]):
        return False
    for key, value in arguments.items():
        texts = value if key == "items" else [value]
        if (
            not isinstance(texts, list)
            or len(texts) > 10
            or not all(isinstance(text, str) and _is_short(text) for text in texts)
        ):
            return False
    return True


def _is_short(text: str) -> bool:
    return 0 < len(text.strip()) <= 200 and not any("\ud800" <= char <= "\udfff" for char in text)


def act(conversation: Conversation, name: str, arguments: dict) -> str:
    """What a tool says."""
    if name == "error":
        conversation.calls += 1
        return "error: the tools are " + "; ".join(
            f"{tool}({', '.join(parameters)})" for tool, (_, parameters) in _TEXTS.items()
        )
    try:
        return json.dumps(conversation.call(name, arguments), ensure_ascii=False)
    except Refused as reason:
        return f"error: {reason}"


def text_of(content: object) -> str:
    """The text of a message: a string, or OpenAI's list of content parts. What a model thinks is left out."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str))
    spoken = content.rsplit("</think>", 1)[-1] if isinstance(content, str) else ""
    return spoken.encode("utf-8", "replace").decode().strip()
