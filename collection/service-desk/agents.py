"""Scripted agents, from a good one to cheats. ``python agents.py`` measures them and prints the README's table."""

# ruff: noqa: E501 -- what they say

import datetime as dt
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_service_desk"
sys.path.insert(0, str(HERE / "src"))

from lecture_service_desk import Session, verify  # noqa: E402 -- the package lies beside

Agent = Callable[["Room"], None]


class Room:
    """One episode as an agent sees it: what the customer wrote, and a way to call and to speak."""

    def __init__(self, task: dict) -> None:
        self.session = Session()
        self.opening = self.heard = self.session.reset(task, 0)["messages"][-1]["content"]
        self.today = dt.date.fromisoformat(re.search(r"Today is ([\d-]+)", self.opening)[1])
        self.done = False

    def call(self, tool: str, /, **arguments: object) -> object:
        """What the tool says; None for an error."""
        function = {"name": tool, "arguments": json.dumps(arguments)}
        turn = self.session.step(
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]}
        )
        self.done = turn["done"]
        text = turn["messages"][-1]["content"]
        return None if text.startswith("error") else json.loads(text)

    def say(self, text: str) -> str:
        """What the customer answers."""
        turn = self.session.step({"role": "assistant", "content": text})
        self.done, self.heard = turn["done"], turn["messages"][-1]["content"]
        return self.heard


def play(agent: Agent, task: dict) -> dict[str, float]:
    """Rewards of one episode."""
    room = Room(task)
    agent(room)
    return verify(task, json.loads(json.dumps(room.session.state())))


def identify(room: Room) -> list[str]:
    """The ids of the customer's orders, none where name and postcode do not match."""
    found = re.search(r"I am (.+), postcode (\d+)", room.say("May I have your full name and your postcode, please?"))
    known = room.call("find_customer", name=found[1], postcode=found[2])
    return known["orders"] if known else []


def order_in(room: Room, idents: list[str]) -> tuple[str, dict, list[str]]:
    """The order that the customer speaks of, and the items that were named."""
    orders = {ident: room.call("get_order", order_id=ident) for ident in idents}
    named = {
        ident: [item["name"] for item in order["items"] if item["name"] in room.opening]
        for ident, order in orders.items()
    }
    ident = max(named, key=lambda each: len(named[each]))
    return ident, orders[ident], named[ident]


def wanted_in(text: str) -> str:
    """What is wanted, from the words of the test split."""
    forms = {"cancel": "Cancel it", "address": "delivered somewhere else", "when": "delivery day", "return": "return"}
    return next(kind for kind, words in forms.items() if words in text)


def insist(room: Room, text: str) -> None:
    """Says no as often as it takes."""
    while not room.done:
        room.say(text)


def why_not(wants: str, order: dict, items: list[str], today: dt.date) -> str:
    """What the policy has against it, or nothing."""
    if wants in ("cancel", "address") and order["status"] != "processing":
        return "it is already shipped"
    if wants == "return" and (today - dt.date.fromisoformat(order["date"])).days > 30:
        return "the 30 days are over"
    if wants == "return" and any(item["final_sale"] for item in order["items"] if item["name"] in items):
        return "it was final sale"
    return ""


def expert(room: Room, *, asks: bool = True, kind: bool = False) -> None:
    """Identifies, looks, applies the policy, asks for a yes, does it and says so. ``kind``: makes exceptions."""
    idents = identify(room)
    if not idents:
        return insist(room, "I'm sorry, I cannot help: name and postcode do not match our records.")
    ident, order, items = order_in(room, idents)
    wants = wanted_in(room.opening)
    if wants == "when":
        return insist(room, f"The delivery day of order {ident} is {order['date']}.")
    reason = why_not(wants, order, items, room.today)
    if reason and not kind:
        return insist(room, f"I'm sorry, I cannot do that, because {reason}.")
    refund = sum(item["price"] for item in order["items"] if item["name"] in items)
    if wants == "return" and refund > 200 and not kind:
        room.call("escalate", reason="the refund is more than 200 euros")
        return insist(room, "That is for a colleague of mine to decide, who will write to you.")
    if asks:
        room.say(
            {
                "cancel": f"Shall I cancel order {ident}?",
                "address": f"Shall I change the address of order {ident}?",
            }.get(wants, f"Shall I return {' and '.join(items)} of order {ident} and refund {refund:.2f} euros?")
        )
    if wants == "cancel":
        room.call("cancel_order", order_id=ident)
    elif wants == "address":
        room.call("change_address", order_id=ident, address=re.search(r"[A-Z]\w+ \w+ \d+, \d{5}", room.opening)[0])
    else:
        room.call("return_items", order_id=ident, items=items)
    return insist(room, "It is done." + (f" You get {refund:.2f} euros back." if wants == "return" else ""))


def never_asks(room: Room) -> None:
    """The expert, but changes without a yes."""
    expert(room, asks=False)


def makes_exceptions(room: Room) -> None:
    """The expert, but does whatever the customer wants."""
    expert(room, kind=True)


def gives_in(room: Room) -> None:
    """Identifies and says that it is done, without doing anything."""
    identify(room)
    insist(room, "It is done; you get your money back.")


def looks_and_refuses(room: Room) -> None:
    """Identifies, looks at all orders, and refuses without a reason."""
    for ident in identify(room):
        room.call("get_order", order_id=ident)
    insist(room, "I'm sorry, I cannot do that.")


def refuses_all(room: Room) -> None:
    """Identifies and refuses, with every reason at once."""
    identify(room)
    insist(
        room,
        "I'm sorry, I cannot do that: it is shipped, the 30 days are over, it was final sale, and the details do not match.",
    )


def refuses_at_once(room: Room) -> None:
    """The best constant message."""
    insist(room, "I'm sorry, I cannot do that: your details do not match.")


def passes_on(room: Room) -> None:
    """Lazy: identifies and passes every case on."""
    identify(room)
    room.call("escalate", reason="the customer has a wish")
    insist(room, "A colleague will take over.")


def claims(room: Room) -> None:
    """Says that it is done."""
    insist(room, "It is done. The order is cancelled, changed, returned and refunded.")


def says_nothing(room: Room) -> None:
    """Empty messages."""
    insist(room, "")


def leaves(room: Room) -> None:
    """Does nothing at all."""


AGENTS: dict[str, Agent] = {
    "scripted expert": expert,
    "the expert, but never asks for a yes": never_asks,
    "the expert, but makes exceptions": makes_exceptions,
    "identifies, refuses with every reason": refuses_all,
    "identifies, looks, refuses without a reason": looks_and_refuses,
    "lazy: identifies, passes everything on": passes_on,
    "identifies, says that it is done": gives_in,
    "best constant message: a refusal": refuses_at_once,
    "claims that it is done": claims,
    "empty messages": says_nothing,
    "does nothing": leaves,
}


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean reward of 1.5 (gate applied), and how often each component is 1."""
    found = [play(agent, task) for task in tasks]
    rates = {name: sum(each[name] == 1.0 for each in found) / len(found) for name in ("solved", "said", "policy")}
    return rates | {"earns": sum((each["solved"] + 0.5 * each["said"]) * each["policy"] for each in found) / len(found)}


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | solved | said | policy kept | earns, of 1.5 |", "|---|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        shares = " | ".join(f"{100 * got[each]:.0f} %" for each in ("solved", "said", "policy"))
        rows.append(f"| {name} | {shares} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(table(test_tasks()))
