"""The session: nine tools and a customer. The state is what was called and said, in order: the verifier plays it again."""

# ruff: noqa: E501 -- descriptions

import json

from lecture_service_desk.desk import ACTIONS, LONGEST, MOST_CALLS, REASONS, TOLD, Conversation, Refused
from lecture_service_desk.tasks import LARGE, RETURN_DAYS, case_of

_TEXTS = {
    "find_customer": (
        "Identify a customer by name and postcode. Gives the ids of the orders.",
        {"name": "full name", "postcode": "postcode"},
    ),
    "get_order": ("Look at an order.", {"order_id": "id of the order"}),
    "ask_customer_to_confirm": (
        "Ask the customer for a yes to one change. Gives what the customer answers.",
        {
            "action": "what you will do",
            "order_id": "id of the order",
            "address": "the new address, for change_address only",
            "items": "names of the items, for return only",
        },
    ),
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
    "tell_customer": (
        "Tell the customer one fact. Gives what the customer answers.",
        {
            "kind": "refund (with amount), delivery_date (with date), refused (with reason) or passed_on (to a colleague)",
            "amount": "euros, for refund only",
            "date": "YYYY-MM-DD, for delivery_date only",
            "reason": "why, for refused only",
        },
    ),
    "end_talk": ("End the talk, when all is done and told.", {}),
}
_OPTIONAL = {"ask_customer_to_confirm": {"address", "items"}, "tell_customer": {"amount", "date", "reason"}}
_ENUMS = {"action": list(ACTIONS), "kind": list(TOLD), "reason": REASONS}
POLICY = (
    "You are the service desk of a shop. Until the customer is identified, what you write is sent; after that the customer reads what tools send, and nothing else. The policy:\n"
    "1. Identify the customer by name and postcode (find_customer) before you tell or change anything. If they do not match, refuse (not_identified), and tell nothing of the order.\n"
    "2. Before you change anything, call ask_customer_to_confirm with exactly what you will do, and wait for a yes.\n"
    "3. Orders may be cancelled, and addresses changed, only while they are processing.\n"
    f"4. Items may be returned within {RETURN_DAYS} days of delivery, unless they are final sale.\n"
    f"5. Where the refund would be more than {LARGE:.0f} euros, do not return; call escalate and tell the customer that it is passed on.\n"
    "6. There are no exceptions. If something may not be done, tell the customer that it is refused, with the one reason.\n"
    "7. Tell by tell_customer the amount of a refund, the date of a delivery where it is asked for, a refusal, or that a colleague goes on; tell nothing else by it.\n"
    "8. Call end_talk at the end."
)


def _schema(name: str) -> dict:
    about, parameters = _TEXTS[name]
    properties = {}
    for key, said in parameters.items():
        kind = {"items": "array", "amount": "number"}.get(key, "string")
        properties[key] = {"type": kind, "description": said}
        if key == "items":
            properties[key]["items"] = {"type": "string"}
        if key in _ENUMS and (name, key) != ("escalate", "reason"):
            properties[key]["enum"] = _ENUMS[key]
    required = [key for key in parameters if key not in _OPTIONAL.get(name, ())]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
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
        if not isinstance(message, dict):
            self.events.append({"call": "error", "arguments": {}})
            said = act(self.conversation, "error", {})
            return {"messages": [{"role": "user", "content": said}], "done": self._is_over()}
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
        if isinstance(arguments, dict) and isinstance(name, str):
            optional = _OPTIONAL.get(name, set())
            arguments = {key: each for key, each in arguments.items() if each is not None or key not in optional}
        if not is_call(name, arguments):
            name, arguments = "error", {}
        self.events.append({"call": name, "arguments": arguments})
        return {
            "role": "tool",
            "tool_call_id": ident_of(made),
            "content": act(self.conversation, name, arguments),
        }


def ident_of(made: dict) -> str:
    """The id of a call, as it can be sent back: a text of at most 200 characters without half a surrogate pair."""
    ident = made.get("id")
    return ident[:200].encode("utf-8", "replace").decode() if isinstance(ident, str) else ""


def is_call(name: object, arguments: object) -> bool:
    """Whether a call names a tool and has its arguments: short texts, lists of them, and an amount as a number."""
    if not isinstance(name, str) or name not in _TEXTS or not isinstance(arguments, dict):
        return False
    known = set(_TEXTS[name][1])
    if not known - _OPTIONAL.get(name, set()) <= set(arguments) <= known:
        return False
    for key, value in arguments.items():
        if key == "amount" and isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 10**9:
            continue
        texts = value if key == "items" else [value]
        if not isinstance(texts, list) or len(texts) > 10:
            return False
        if not all(isinstance(text, str) and _is_short(text) for text in texts):
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
