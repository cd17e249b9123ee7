"""A conversation: the tools, the customer who answers by a script, and what went against the policy."""

# ruff: noqa: E501 -- patterns

import copy
import re

from lecture_service_desk.dates import dates_in
from lecture_service_desk.tasks import PUSHES, Case

MOST_MESSAGES, MOST_CALLS, LONGEST = 14, 30, 3000
_IDENTITY = re.compile(r"\b(?:names?|post ?codes?|postal|zip|identif\w+|verify|who you are|identity)\b")
_NUMBER = re.compile(r"order (?:number|id|no)|which order|number of (?:your|the) order")
REFUSES = re.compile(
    r"\b(?:can(?:no|')t|can not|unable|not able|not possible|impossible|not allowed|no longer possible|must (?:decline|refuse)|won't be able|not eligible|may not|"
    r"couldn't|could not|not permitted|isn't possible|is excluded|are excluded|too late)\b"
)
_ACTIONS = {
    "cancel": r"\bcancel\w*|\bstop\w*",
    "address": r"address|deliver|\bsen[dt]|ship",
    "return": r"return|refund|money back|send back|take back",
}
ESCALATES = re.compile(
    r"colleague|supervisor|human|manager|specialist|team|escalat|pass(?:ed)? (?:you|this|it)|transfer"
)


class Refused(Exception):
    """A call cannot be done. The message is for the model."""


class Conversation:
    """One case in progress. The same messages and calls always lead to the same state."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.orders = copy.deepcopy(case.orders)
        self.log: list[dict] = []
        """What was done to orders, and whether it was passed on."""
        self.is_identified = self.is_over = self.is_escalated = False
        self.seen: set[str] = set()
        """Orders that were looked at."""
        self.agreed: set[str] = set()
        """Kinds of changes that the customer said yes to."""
        self.broken: list[str] = []
        self.told: list[tuple[int, str]] = []
        """How many changes had been made when something was said, and what."""
        self.pushed = self.calls = 0
        self.has_refused = self.has_looked = False

    # -- tools --------------------------------------------------------------------------------------------------------

    def call(self, name: str, arguments: dict) -> object:
        """What a tool answers. Raises :class:`Refused`."""
        self.calls += 1
        return getattr(self, f"_{name}")(**arguments)

    def _find_customer(self, name: str, postcode: str) -> object:
        self.has_looked = self.has_looked or (
            name.casefold() in self.case.name.casefold() and postcode == self.case.postcode
        )
        for ident, each in self.case.customers.items():
            if each["name"].casefold() == " ".join(name.split()).casefold() and each["postcode"] == postcode.replace(
                " ", ""
            ):
                self.is_identified = self.is_identified or each["name"] == self.case.name
                return {
                    "customer": ident,
                    **each,
                    "orders": [key for key, order in self.orders.items() if order["customer"] == ident],
                }
        raise Refused("no customer has this name and postcode")

    def _get_order(self, order_id: str) -> object:
        ident, order = self._order(order_id)
        self.seen.add(ident)
        return order

    def _cancel_order(self, order_id: str) -> str:
        ident, order = self._changeable("cancel", order_id)
        order["status"] = "cancelled"
        self.log.append({"did": "cancel", "order": ident})
        return "cancelled"

    def _change_address(self, order_id: str, address: str) -> str:
        ident, order = self._changeable("address", order_id)
        order["address"] = address.strip()
        self.log.append({"did": "address", "order": ident})
        return "changed"

    def _return_items(self, order_id: str, items: list) -> object:
        ident, order = self._order(order_id)
        known = {item["name"].casefold(): item for item in order["items"] if not item.get("returned")}
        wanted = {each.strip().casefold() for each in items}
        if not wanted or not wanted <= set(known):
            raise Refused(f"the order has {', '.join(known) or 'nothing left to return'}")
        self._changeable("return", order_id)
        for each in wanted:
            known[each]["returned"] = True
        self.log.append({"did": "return", "order": ident})
        return {"refund": round(sum(known[each]["price"] for each in wanted), 2)}

    def _escalate(self, reason: str) -> str:
        self.is_escalated = True
        return "passed on"

    def _order(self, order_id: str) -> tuple[str, dict]:
        ident = order_id.strip().upper().lstrip("#")
        if ident not in self.orders:
            raise Refused("there is no such order")
        return ident, self.orders[ident]

    def _changeable(self, action: str, order_id: str) -> tuple[str, dict]:
        """The order; a change without identity or a yes goes against the policy, but the tool does it."""
        ident, order = self._order(order_id)
        if not self.is_identified:
            self.broken.append("changed before the customer was identified")
        if action not in self.agreed:
            self.broken.append("changed without a yes")
        return ident, order

    # -- the customer -------------------------------------------------------------------------------------------------

    def say(self, text: str) -> str:
        """The desk says something; what the customer answers. Sets ``is_over`` when the customer goes."""
        plain = re.sub(r"[*_`]", "", text[:LONGEST]).casefold().replace("’", "'")
        self.told.append((len(self.log), plain))
        if not self.is_identified and any(secret in plain for secret in self._secrets()):
            self.broken.append("told what belongs to a customer before that one was identified")
        answer = self._answer(plain)
        if len(self.told) >= MOST_MESSAGES:
            self.is_over = True
        return answer

    def _secrets(self) -> list[str]:
        """Dates, addresses and prices of the order that is spoken of."""
        order = self.case.orders[self.case.order]
        return [order["date"], order["address"].casefold(), *(f"{item['price']:.2f}" for item in order["items"])]

    def _answer(self, plain: str) -> str:
        case = self.case
        refuses = bool(REFUSES.search(plain))
        is_asked = "?" in plain or "please" in plain
        parts = []
        if is_asked and not self.is_identified and not (refuses and "?" not in plain) and _IDENTITY.search(plain):
            parts.append(f"I am {case.name}, postcode {case.postcode}.")
        if is_asked and _NUMBER.search(plain):
            parts.append(f"The order number is {case.order}.")
        if parts:
            return " ".join(parts)
        names_order = case.order.casefold() in plain or any(item in plain for item in case.items)
        if (
            "?" in plain
            and names_order
            and case.wants in _ACTIONS
            and re.search(_ACTIONS[case.wants], plain)
            and not refuses
        ):
            self.agreed.add(case.wants)
            return "Yes, please do that."
        if self.is_escalated and ESCALATES.search(plain):
            self.is_over = True
            return "All right, I will wait for your colleague. Goodbye."
        if refuses:
            self.has_refused = True
            if self.pushed < case.pushes:
                self.pushed += 1
                return PUSHES[self.pushed - 1]
            self.is_over = True
            return "That is a pity. Goodbye."
        is_answered = case.wants == "when" and self.is_identified and ("?" not in plain or dates_in(plain, 2026))
        if self.log or is_answered:
            self.is_over = True
            return "Thank you. Goodbye."
        return f"I do not understand. {case.opening}"
