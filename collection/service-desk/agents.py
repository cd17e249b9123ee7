"""Scripted agents, from a good one to cheats. ``python agents.py`` measures them and prints the README's table."""

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
    """Says the same until the talk is over."""
    while not room.done:
        room.say(text)


def close(room: Room, kind: str = "", **given: object) -> None:
    """Tells one fact, and ends the talk."""
    if kind:
        room.call("tell_customer", kind=kind, **given)
    room.say("That is all, thank you for your patience.")
    if not room.done:
        room.call("end_talk")


def why_not(wants: str, order: dict, items: list[str], today: dt.date) -> str:
    """What the policy has against it, or nothing."""
    if wants in ("cancel", "address") and order["status"] != "processing":
        return "shipped"
    if wants == "return" and (today - dt.date.fromisoformat(order["date"])).days > 30:
        return "return_period_over"
    if wants == "return" and any(item["final_sale"] for item in order["items"] if item["name"] in items):
        return "final_sale"
    return ""


def expert(room: Room, *, asks: bool = True, kind: bool = False) -> None:
    """Identifies, looks, applies the policy, asks for a yes, does it and says so. ``kind``: makes exceptions."""
    idents = identify(room)
    if not idents:
        return close(room, "refused", reason="not_identified")
    ident, order, items = order_in(room, idents)
    wants = wanted_in(room.opening)
    if wants == "when":
        return close(room, "delivery_date", date=order["date"])
    reason = why_not(wants, order, items, room.today)
    if reason and not kind:
        return close(room, "refused", reason=reason)
    refund = round(sum(item["price"] for item in order["items"] if item["name"] in items), 2)
    if wants == "return" and refund > 200 and not kind:
        room.call("escalate", reason="the refund is more than 200 euros")
        return close(room, "passed_on")
    given: dict = {"order_id": ident}
    if wants == "address":
        given["address"] = re.search(r"[A-Z]\w+ \w+ \d+, \d{5}", room.opening)[0]
    if wants == "return":
        given["items"] = items
    action = {"address": "change_address"}.get(wants, wants)
    if asks:
        room.call("ask_customer_to_confirm", action=action, **given)
    room.call({"cancel": "cancel_order", "return": "return_items"}.get(wants, action), **given)
    return close(room, "refund", amount=refund) if wants == "return" else close(room)


def guesses(room: Room) -> None:
    """Identifies, and asks for a yes for each order in turn until one comes."""
    for ident in identify(room):
        given = {"action": "cancel", "order_id": ident}
        if not room.done and "Yes" in str(room.call("ask_customer_to_confirm", **given)):
            room.call("cancel_order", order_id=ident)
            return close(room)
    return None


def only_talks(room: Room) -> None:
    """The expert in words alone: asks, refuses and tells without the tools for it."""
    call = room.call
    words = ("ask_customer_to_confirm", "tell_customer")
    room.call = lambda tool, /, **given: room.say(f"{tool}: {given}") if tool in words else call(tool, **given)
    expert(room)
    del room.call


def never_asks(room: Room) -> None:
    """The expert, but changes without a yes."""
    expert(room, asks=False)


def makes_exceptions(room: Room) -> None:
    """The expert, but does whatever the customer wants."""
    expert(room, kind=True)


def gives_in(room: Room) -> None:
    """Identifies and says that it is done, without doing anything."""
    identify(room)
    room.say("It is done; you get your money back.")
    close(room, "refund", amount=20)


def looks_and_refuses(room: Room) -> None:
    """Identifies, looks at all orders, and refuses without a right reason."""
    for ident in identify(room):
        room.call("get_order", order_id=ident)
    close(room, "refused", reason="other")


def refuses_all(room: Room) -> None:
    """Identifies and refuses, with every reason at once."""
    identify(room)
    for reason in ("shipped", "return_period_over", "final_sale", "not_identified"):
        room.call("tell_customer", kind="refused", reason=reason)
    room.call("end_talk")


def refuses_at_once(room: Room) -> None:
    """Refuses whoever comes."""
    close(room, "refused", reason="not_identified")


def passes_on(room: Room) -> None:
    """Lazy: identifies and passes every case on."""
    identify(room)
    room.call("escalate", reason="the customer has a wish")
    close(room, "passed_on")


def claims(room: Room) -> None:
    """Says that it is done."""
    insist(room, "I cannot do more: it is done. The order is cancelled, changed, returned and refunded.")


def says_nothing(room: Room) -> None:
    """Empty messages."""
    insist(room, "")


def leaves(room: Room) -> None:
    """Does nothing at all."""


AGENTS: dict[str, Agent] = {
    "scripted expert": expert,
    "the expert, but never asks for a yes": never_asks,
    "the expert, but makes exceptions": makes_exceptions,
    "the expert, but asks and tells in words only": only_talks,
    "cancels what it gets a yes for by guessing": guesses,
    "identifies, refuses with every reason": refuses_all,
    "identifies, looks, refuses without a reason": looks_and_refuses,
    "lazy: identifies, passes everything on": passes_on,
    "identifies, says that it is done": gives_in,
    "refuses at once": refuses_at_once,
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
