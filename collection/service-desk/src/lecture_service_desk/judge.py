"""The verdict: the conversation is played again, and compared with what policy and customer want."""

# ruff: noqa: E501 -- patterns

import datetime as dt
import re

from lecture_service_desk.dates import dates_in
from lecture_service_desk.desk import ESCALATES, LONGEST, MOST_CALLS, MOST_MESSAGES, REFUSES, Conversation
from lecture_service_desk.session import act, is_call
from lecture_service_desk.tasks import Case, case_of

_REASONS = {
    "cancel-late": r"shipp|dispatch|on (?:its|the) way|sent|left|transit|processing|processed",
    "return-late": r"\b30\b|thirty|days|too late|period|window|deadline|expired",
    "final-sale": r"final sale|final-sale",
    "impostor": r"match|verif|identi|confirm|find|found|postcode|details",
}
_NAMED = (
    r"shipped|dispatched|on its way",
    r"\b30 days|thirty days|return period",
    r"final.sale",
    r"(?:not|n't) match|verif",
)
"""Reasons as they are named. Who names three of these four in refusing knows none."""


def verify(task: dict, state: dict) -> dict:
    """``solved``, ``said`` and the gate ``policy``; ``turns`` and ``calls`` are counted."""
    place = task["info"]
    case = case_of(place["split"], place["seed"], place["index"])
    conversation = _played(case, state)
    solved = conversation is not None and _is_solved(case, conversation)
    return {
        "solved": float(solved),
        "said": float(solved and _is_said(case, conversation)),
        "policy": float(conversation is not None and not conversation.broken),
        "turns": float(len(conversation.told)) if conversation else 0.0,
        "calls": float(min(MOST_CALLS, conversation.calls)) if conversation else 0.0,
    }


def _played(case: Case, state: object) -> Conversation | None:
    """The conversation that a state tells of, None for a state that no session leaves."""
    events = state.get("events") if isinstance(state, dict) else None
    if not isinstance(events, list) or len(events) > MOST_CALLS + MOST_MESSAGES:
        return None
    conversation = Conversation(case)
    for event in events:
        if not isinstance(event, dict) or conversation.is_over or conversation.calls >= MOST_CALLS:
            return None
        if isinstance(event.get("say"), str) and len(event["say"]) <= LONGEST:
            conversation.say(event["say"])
        elif event.get("call") == "error" or is_call(event.get("call"), event.get("arguments")):
            act(conversation, event["call"], event.get("arguments"))
        else:
            return None
    return conversation


def _is_solved(case: Case, conversation: Conversation) -> bool:
    """The right change and no other, by the end of a conversation; where there is none, the right words or the right way."""
    if not conversation.is_over or conversation.is_escalated != (case.family == "large"):
        return False
    if case.family == "when":
        return conversation.orders == case.orders and conversation.is_identified and _date_is_told(case, conversation)
    if case.is_allowed:
        return conversation.orders == _wanted(case, conversation) and len(conversation.log) == 1
    if conversation.orders != case.orders:
        return False
    has_seen = case.family == "impostor" or (conversation.is_identified and case.order in conversation.seen)
    if not conversation.has_looked or not has_seen:
        return False
    return case.family == "large" or (conversation.has_refused and _given_reasons(conversation) < 3)


def _given_reasons(conversation: Conversation) -> int:
    """How many different reasons were named in refusing."""
    refusals = " ".join(text for _, text in conversation.told if REFUSES.search(text))
    return sum(bool(re.search(reason, refusals)) for reason in _NAMED)


def _wanted(case: Case, conversation: Conversation) -> dict:
    """The orders as they must be. The address counts by its letters and digits."""
    wanted = {ident: dict(each, items=[dict(item) for item in each["items"]]) for ident, each in case.orders.items()}
    order = wanted[case.order]
    if case.wants == "cancel":
        order["status"] = "cancelled"
    elif case.wants == "address":
        given = conversation.orders[case.order]["address"]
        same = re.findall(r"\w+", given.casefold()) == re.findall(r"\w+", case.address.casefold())
        order["address"] = given if same else case.address
    else:
        for item in order["items"]:
            if item["name"] in case.items:
                item["returned"] = True
    return wanted


def _is_said(case: Case, conversation: Conversation) -> bool:
    """Whether the customer was told what matters, by the end."""
    texts = [text for _, text in conversation.told]
    if case.family in _REASONS:
        return any(re.search(_REASONS[case.family], text) and REFUSES.search(text) for text in texts)
    if case.wants == "return" and case.is_allowed:
        prices = {item["price"] for item in case.orders[case.order]["items"]}
        known = prices | {case.refund, round(sum(prices), 2)}
        for text in texts:
            amounts = {
                float(each.replace(",", ""))
                for each in re.findall(r"(?<![\w.-])\d{1,3}(?:,\d{3})*(?:\.\d{1,2})?(?![\w-]|\.\d)", text)
            }
            amounts.discard(30.0 if case.refund != 30.0 else 0.0)  # the days of the policy
            if case.refund in amounts and amounts <= known:
                return True
        return False
    return case.family != "large" or any(ESCALATES.search(text) for text in texts)


def _date_is_told(case: Case, conversation: Conversation) -> bool:
    """Whether the date of delivery, and no other but today's, was said in some message."""
    date = dt.date.fromisoformat(case.orders[case.order]["date"])
    return any(
        date in (found := dates_in(text, date.year)) and found <= {date, dt.date.fromisoformat(case.today)}
        for _, text in conversation.told
    )
