"""Labelled cases on tasks of their own: whole conversations, right ones in many words, and ones with one fault."""

# ruff: noqa: E501 -- what is said

import datetime as dt
from random import Random

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
BYES = [
    "It is done.",
    "All done! Is there anything else?",
    "**Done**, thank you for your patience.",
    "That has been taken care of.",
]
DENIES = [
    "I'm sorry, I can't do that: {}.",
    "Unfortunately this is not possible, because {}.",
    "I am unable to do it; {}.",
    "That’s against our policy, so I cannot: {}.",
    "We may not do this, since {}.",
]
WHYS = {
    "cancel-late": ["the order has been shipped", "it is on its way already", "only orders that are still processing can be stopped"],
    "return-late": ["the 30 days are over", "the return period has expired", "it was delivered more than thirty days ago"],
    "final-sale": ["it was final sale", "final sale items are excluded"],
    "impostor": ["your details do not match", "I could not verify you", "the postcode is not the one that we have"],
}  # fmt: skip


def make_cases() -> list[dict]:
    """Two right ones and three or four wrong ones a task."""
    return [case for number in range(TASKS) for case in _of_task(number)]


def _of_task(number: int) -> list[dict]:
    task, case, random = (
        make_task("validation", SEED, number),
        case_of("validation", SEED, number),
        Random(f"case:{number}"),
    )
    told = [("right", right(case, random), "correct", ALL_RIGHT) for _ in range(2)]
    wrong = _wrong(case, random)
    told += [
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
        for place, (tag, events, label, expect) in enumerate(told)
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


def asked(case: Case, random: Random) -> dict:
    """Asks for a yes."""
    thing = random.choice((f"order {case.order}", case.items[0]))
    forms = {
        "cancel": ["Shall I cancel {}?", "Do you want me to stop {} now?"],
        "address": ["Shall I change the address for {}?", "So {} is to be delivered elsewhere, is that right?"],
        "return": ["Shall I take back {}?", "Do you want to return {}, with a refund?"],
    }
    return _say(random.choice(forms[case.wants]).format(thing))


def date_of(case: Case, random: Random) -> str:
    """The date of delivery in words."""
    date = dt.date.fromisoformat(case.orders[case.order]["date"])
    return random.choice(
        (
            date.isoformat(),
            f"{date.day} {date:%B} {date.year}",
            f"{date:%B} {date.day}",
            f"the {date.day}th of {date:%B}" if 3 < date.day < 21 else date.isoformat(),
        )
    )


def right(case: Case, random: Random) -> list[dict]:
    """A conversation without fault."""
    start = opened(case, random)
    if case.family == "when":
        return [
            *start,
            _say(
                random.choice(("It arrives on {}.", "Delivery date: {}.", "The day is {}. Anything else?")).format(
                    date_of(case, random)
                )
            ),
        ]
    if case.family == "large":
        return [
            *start,
            _call("escalate", reason="more than 200 euros"),
            _say(
                random.choice(
                    (
                        "A colleague will decide about this.",
                        "I have to pass this on to my supervisor, since I cannot refund so much.",
                        "Our team of specialists takes over.",
                    )
                )
            ),
        ]
    if not case.is_allowed:
        return [
            *start,
            *(_say(random.choice(DENIES).format(random.choice(WHYS[case.family]))) for _ in range(case.pushes + 1)),
        ]
    refund = (
        random.choice(
            (
                f" You get {case.refund:.2f} euros back.",
                f" Refund: €{case.refund:.2f}",
                f" We return {case.refund:g} EUR.",
            )
        )
        if case.wants == "return"
        else ""
    )
    return [*start, asked(case, random), changed(case), _say(random.choice(BYES) + refund)]


def _wrong(case: Case, random: Random) -> list[tuple[str, list[dict], dict]]:
    """Each has one fault that makes it wrong for certain."""
    start, whole = opened(case, random), right(case, random)
    other = next(ident for ident in case.orders if ident != case.order)
    found = [
        ("nothing", [], UNSOLVED),
        ("empty-message", [_say("")], UNSOLVED),
        ("claims", [_say("It is done, the order is changed.")] * 3, UNSOLVED),
        ("goes-on-after-the-end", [*whole, _say("Goodbye!")], UNSOLVED),
        ("never-ends", whole[:-1], UNSOLVED),
        (
            "no-identity",
            [event for event in whole if event.get("call") != "find_customer"],
            UNSOLVED if not case.is_allowed or case.wants == "when" else BROKEN,
        ),
        ("other-order-too", [*whole[:-1], _call("cancel_order", order_id=other), whole[-1]], UNSOLVED),
        (
            "tells-before",
            [_say(f"Order {case.order} goes to {case.orders[case.order]['address']}. Who are you?"), *whole],
            BROKEN,
        ),
        (
            "changes-first",
            [changed(case) if case.wants != "when" else _call("cancel_order", order_id=case.order), *whole],
            BROKEN,
        ),
        ("unknown-tool", [*whole[:-1], {"call": "refund_all", "arguments": {}}, whole[-1]], UNSOLVED),
        ("other-argument", [*whole[:-1], _call("get_order", order=case.order), whole[-1]], UNSOLVED),
    ]
    if case.is_allowed:
        found += [
            ("refuses", [*start, _say("I'm sorry, I cannot do that.")], UNSOLVED),
            ("passes-on", [*whole[:-1], _call("escalate", reason="x"), whole[-1]], UNSOLVED),
        ]
    else:
        found += [
            (
                "exception",
                [
                    *start,
                    *([asked(case, random)] if case.wants != "when" else []),
                    changed(case) if case.wants != "when" else _call("cancel_order", order_id=case.order),
                    _say("Done."),
                ],
                UNSOLVED,
            )
        ]
        found += [("says-done", [*start, _say("It is done."), _say("It is done.")], UNSOLVED)]
    if case.is_allowed and case.wants != "when":
        found += [
            ("no-yes", [*start, changed(case), whole[-1]], BROKEN),
            ("asks-something-else", [*start, _say("Shall I sing a song?"), changed(case), whole[-1]], BROKEN),
            ("asks-after", [*start, changed(case), asked(case, random)], BROKEN),
            ("does-not-do-it", [*start, asked(case, random), *[_say("It is done.")] * 12], UNSOLVED),
            (
                "other-order",
                [
                    *start,
                    asked(case, random),
                    changed(case) | {"arguments": changed(case)["arguments"] | {"order_id": other}},
                    whole[-1],
                ],
                UNSOLVED,
            ),
        ]
    if case.wants == "return" and case.is_allowed:
        found += [
            ("no-amount", [*whole[:-1], _say("It is done; you get your money back.")], UNSAID),
            ("other-amount", [*whole[:-1], _say(f"You get {case.refund + 1:.2f} euros back.")], UNSAID),
            ("many-amounts", [*whole[:-1], _say(f"You get {case.refund:.2f} or 99.99 or 5 euros back.")], UNSAID),
        ]
    if case.family == "when":
        day = dt.date.fromisoformat(case.orders[case.order]["date"])
        found += [
            ("no-date", [*start, _say("It is on its way.")], UNSOLVED),
            ("other-date", [*start, _say(f"On {day + dt.timedelta(days=1)}.")], UNSOLVED),
            (
                "many-dates",
                [*start, _say(f"On {day}, {day + dt.timedelta(days=2)} or {day + dt.timedelta(days=3)}.")],
                UNSOLVED,
            ),
        ]
    if case.family in WHYS:
        spray = (
            "I cannot do that: it is shipped, the 30 days are over, it was final sale, and your details do not match."
        )
        found.append(("every-reason", [*start, *[_say(spray)] * (case.pushes + 1)], UNSOLVED))
        found.append(("no-reason", [*start, *[_say("I cannot do that.")] * (case.pushes + 1)], UNSAID))
    if case.family == "large":
        found.append(("refuses-large", [*start, *[_say("I cannot do that.")] * (case.pushes + 1)], UNSOLVED))
    if case.pushes:
        found.append(("gives-in", [*whole[:-1], _say("All right, I will do it."), _say("It is done.")], UNSOLVED))
    return found
