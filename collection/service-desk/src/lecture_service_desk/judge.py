"""The verdict: the conversation is played again, and compared with what policy and customer want."""

from lecture_service_desk.desk import LONGEST, MOST_CALLS, MOST_MESSAGES, Conversation, place
from lecture_service_desk.session import act, is_call
from lecture_service_desk.tasks import Case, case_of

REASONS = {
    "cancel-late": "shipped",
    "return-late": "return_period_over",
    "final-sale": "final_sale",
    "impostor": "not_identified",
}
"""Why a family is refused."""


def verify(task: dict, state: dict) -> dict:
    """``solved``, ``said`` and the gate ``policy``; ``turns`` and ``calls`` are counted."""
    number = task["info"]
    case = case_of(number["split"], number["seed"], number["index"])
    conversation = _played(case, state)
    solved = conversation is not None and _is_solved(case, conversation)
    return {
        "solved": float(solved),
        "said": float(solved and conversation.told == wanted_words(case)),
        "policy": float(conversation is not None and not conversation.broken),
        "turns": float(conversation.messages) if conversation else 0.0,
        "calls": float(min(MOST_CALLS, conversation.calls)) if conversation else 0.0,
    }


def wanted_words(case: Case) -> set[tuple]:
    """What the customer must be told by ``tell_customer``, and nothing else: kinds and values."""
    if case.family in REASONS:
        return {("refused", REASONS[case.family])}
    if case.family == "when":
        return {("delivery_date", case.orders[case.order]["date"])}
    if case.family == "large":
        return {("passed_on", None)}
    return {("refund", round(100 * case.refund))} if case.wants == "return" else set()


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
    """The right change and no other by the end; without one, the one right kind of statement."""
    if not conversation.is_over or conversation.is_escalated != (case.family == "large"):
        return False
    if case.family in REASONS:
        has_seen = case.family == "impostor" or (conversation.is_identified and case.order in conversation.seen)
        is_told = [kind for kind, _ in conversation.told] == ["refused"]
        return not conversation.log and conversation.has_looked and has_seen and is_told
    if not conversation.is_identified or any(kind == "refused" for kind, _ in conversation.told):
        return False
    if case.family == "when":
        return not conversation.log and conversation.told == wanted_words(case)
    if case.family == "large":
        return not conversation.log and case.order in conversation.seen
    return len(conversation.log) == 1 and conversation.orders == _wanted(case, conversation)


def _wanted(case: Case, conversation: Conversation) -> dict:
    """The orders as they must be. The address counts by its letters and digits."""
    wanted = {ident: dict(each, items=[dict(item) for item in each["items"]]) for ident, each in case.orders.items()}
    order = wanted[case.order]
    if case.wants == "cancel":
        order["status"] = "cancelled"
    elif case.wants == "address":
        given = conversation.orders[case.order]["address"]
        order["address"] = given if place(given) == place(case.address) else case.address
    else:
        for item in order["items"]:
            if item["name"] in case.items:
                item["returned"] = True
    return wanted
