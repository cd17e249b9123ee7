"""Labelled cases on tasks of their own: whole conversations, right ones in many words, and ones with one fault."""

# ruff: noqa: E501 -- what is said

import datetime as dt
from random import Random

from lecture_service_desk.desk import REASONS
from lecture_service_desk.judge import REASONS as REFUSED
from lecture_service_desk.judge import wanted_words
from lecture_service_desk.tasks import Case, case_of, make_task

TASKS, SEED = 80, 1_000_000
ALL_RIGHT = {"solved": 1.0, "said": 1.0, "policy": 1.0}
UNSOLVED, UNSAID, BROKEN = {"solved": 0.0}, {"said": 0.0}, {"policy": 0.0}
ASKS = [
    "May I have your name and postcode?",
    "Please tell me your full name and your post code.",
    "First I have to verify who you are: name and postcode, please.",
    "To identify you I need your name and postal code. Could you send them?",
]
WORDS = [
    "It is done.",
    "All done! Is there anything else?",
    "This cannot be undone.",
    "I can't say more than that.",
    "Unfortunately that is all I am able to do within 5 to 7 business days.",
    "**Done**, thank you for your patience.",
]


def make_cases() -> list[dict]:
    """Two right ones and three or four wrong ones a task."""
    return [case for number in range(TASKS) for case in _of_task(number)]


def _of_task(number: int) -> list[dict]:
    task, case, random = (
        make_task("validation", SEED, number),
        case_of("validation", SEED, number),
        Random(f"case:{number}"),
    )
    labelled = [("right", right(case, random), "correct", ALL_RIGHT) for _ in range(2)]
    wrong = _wrong(case, random)
    labelled += [
        (tag, events, "incorrect", expect)
        for tag, events, expect in (wrong[(number // 2 + step * 5) % len(wrong)] for step in range(4))
    ]
    made = [
        {
            "id": f"{tag}-{number}-{place}",
            "task": task,
            "state": {"events": events},
            "label": label,
            "expect": expect,
            "tags": [tag, case.family],
            "source": "made by rule",
            "licence": "Apache-2.0",
        }
        for place, (tag, events, label, expect) in enumerate(labelled)
    ]
    return list({repr(each["state"]): each for each in made}.values())


def _say(text: str) -> dict:
    return {"say": text}


def _call(tool: str, /, **arguments: object) -> dict:
    return {"call": tool, "arguments": arguments}


def opened(case: Case, random: Random) -> list[dict]:
    """Asks who it is, and looks."""
    name = random.choice((case.name, case.name.upper(), case.name.lower()))
    found = [_say(random.choice(ASKS)), _call("find_customer", name=name, postcode=case.postcode)]
    return (
        found
        if case.family == "impostor"
        else [*found, _call("get_order", order_id=random.choice((case.order, case.order.lower(), f"#{case.order}")))]
    )


def changed(case: Case) -> dict:
    """The call that does what is wanted."""
    if case.wants == "cancel":
        return _call("cancel_order", order_id=case.order)
    if case.wants == "address":
        return _call("change_address", order_id=case.order, address=case.address)
    return _call("return_items", order_id=case.order, items=case.items)


def asked(case: Case, **other: object) -> dict:
    """Asks for a yes; ``other`` arguments are put in place of the right ones."""
    given: dict = {"action": {"address": "change_address"}.get(case.wants, case.wants), "order_id": case.order}
    if case.wants == "address":
        given["address"] = case.address
    if case.wants == "return":
        given["items"] = case.items
    return _call("ask_customer_to_confirm", **(given | other))


def told(case: Case, random: Random) -> list[dict]:
    """What the customer must be told, in one of its spellings."""
    found = []
    for kind, value in wanted_words(case):
        given: dict = {}
        if kind == "refund":
            euros, cents = divmod(value, 100)
            given["amount"] = random.choice(
                (value / 100, f"{euros}.{cents:02d}", f"{euros},{cents:02d} €", f"€{euros}.{cents:02d}")
            )
        elif kind != "passed_on":
            given["date" if kind == "delivery_date" else "reason"] = value
        found.append(_call("tell_customer", kind=kind, **given))
    return found


END = _call("end_talk")


def right(case: Case, random: Random) -> list[dict]:
    """A conversation without fault."""
    start, tells = opened(case, random), told(case, random)
    if case.family == "large":
        start.append(_call("escalate", reason="more than 200 euros"))
    if case.is_allowed and case.family != "when":
        start += [asked(case), changed(case)]
    return [*start, *tells * random.choice((1, 1, 2)), *[_say(random.choice(WORDS))] * random.randrange(3), END]


def _wrong(case: Case, random: Random) -> list[tuple[str, list[dict], dict]]:
    """Each has one fault that makes it wrong for certain."""
    start, whole, tells = opened(case, random), right(case, random), told(case, random)
    other = next(ident for ident in case.orders if ident != case.order)
    order = case.orders[case.order]
    day = dt.date.fromisoformat(order["date"])
    refuses = [_call("tell_customer", kind="refused", reason=reason) for reason in REASONS[:4]]
    untold = [event for event in whole if event.get("call") != "tell_customer"]
    first = _call("cancel_order", order_id=case.order) if case.wants == "when" else changed(case)
    has_words = case.family in ("when", "cancel-late", "return-late", "final-sale", "impostor")
    found = [
        ("nothing", [], UNSOLVED),
        ("empty-message", [_say("")], UNSOLVED),
        ("claims", [_say("It is done, the order is changed.")] * 14, UNSOLVED),
        ("goes-on-after-the-end", [*whole, _say("Goodbye!")], UNSOLVED),
        ("never-ends", whole[:-1], UNSOLVED),
        ("other-order-too", [*whole[:-1], _call("cancel_order", order_id=other), END], UNSOLVED),
        ("tells-before", [_say(f"Order {case.order} comes on {day.day} {day:%B}. Who are you?"), *whole], BROKEN),
        ("tells-the-price-before", [_say(f"It cost {order['items'][0]['price']:.2f} euros."), *whole], BROKEN),
        ("changes-first", [first, *whole], BROKEN),
        ("unknown-tool", [*whole[:-1], {"call": "refund_all", "arguments": {}}, END], UNSOLVED),
        ("other-argument", [*whole[:-1], _call("get_order", order=case.order), END], UNSOLVED),
        ("every-reason", [*whole[:-1], *refuses, END], UNSOLVED),
        ("another-date-too", [*whole[:-1], _call("tell_customer", kind="delivery_date", date="2026-01-01"), END], UNSAID),
        ("another-amount-too", [*whole[:-1], _call("tell_customer", kind="refund", amount=case.refund + 1), END], UNSAID),
        ("passes-on" if case.family != "large" else "never-passes-on",
         [event for event in whole[:-1] if event.get("call") != "escalate"] + [_call("escalate", reason="x")] * (case.family != "large") + [END], UNSOLVED),
    ]  # fmt: skip
    if tells:
        found += [
            ("in-words-only", [*untold[:-1], _say(f"I tell you {tells}."), END], UNSOLVED if has_words else UNSAID)
        ]
    if not case.is_allowed:
        found += [
            (
                "exception",
                [*start, asked(case) if case.wants != "when" else _say("Sure."), first, *tells, END],
                UNSOLVED,
            ),
            ("says-done", [*start, _say("It is done."), END], UNSOLVED),
        ]
    else:
        found += [("refuses", [*start, refuses[0], END], UNSOLVED)]
    if case.is_allowed and case.wants != "when":
        yes = [event for event in whole if event.get("call") != "ask_customer_to_confirm"]
        found += [
            ("no-yes", yes, BROKEN),
            ("asks-in-words", [*start, _say(f"Shall I {case.wants} order {case.order}?"), changed(case), *tells, END], BROKEN),
            ("asks-after", [*start, changed(case), asked(case), *tells, END], BROKEN),
            ("asks-of-another-order", [*start, asked(case, order_id=other), changed(case), *tells, END], BROKEN),
            ("does-not-do-it", [*start, asked(case), *tells, END], UNSOLVED),
            ("other-order", [*start, asked(case), changed(case) | {"arguments": changed(case)["arguments"] | {"order_id": other}}, *tells, END], UNSOLVED),
        ]  # fmt: skip
    if case.wants == "address" and case.is_allowed:
        found += [
            ("asks-of-another-address", [*start, asked(case, address="Nowhere 1, 12345"), changed(case), END], BROKEN)
        ]
    if case.wants == "return" and case.is_allowed:
        spoken = [_call("tell_customer", kind="refund", amount=amount) for amount in (case.refund + 1, case.refund)]
        found += [
            ("other-amount", [*untold[:-1], spoken[0], END], UNSAID),
            ("many-amounts", [*untold[:-1], *spoken, END], UNSAID),
        ]
    if case.family == "when":
        days = [str(day + dt.timedelta(days=ahead)) for ahead in (1, 365)]
        found += [
            (
                f"other-date-{place}",
                [*untold[:-1], _call("tell_customer", kind="delivery_date", date=each), END],
                UNSOLVED,
            )
            for place, each in enumerate(days)
        ]
    if case.family in REFUSED:
        wrong = next(each for each in (*refuses[:3], refuses[3]) if each not in tells)
        found += [("wrong-reason", [*untold[:-1], wrong, END], UNSAID)]
    return found
