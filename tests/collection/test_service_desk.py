"""Service desk: an expert solves all, no fixed way of talking pays, and the policy cannot be talked around."""

import importlib
import importlib.util
import json
from typing import Any

import pytest

from sandbox.interface import Call

PROJECT = "service-desk"


def part(name: str) -> Any:
    return importlib.import_module(f"lecture_service_desk.{name}")


def case_of(task: dict[str, Any]) -> Any:
    return part("tasks").case_of(task["info"]["split"], task["info"]["seed"], task["info"]["index"])


def of_family(tasks: list[dict[str, Any]], family: str) -> dict[str, Any]:
    return next(task for task in tasks if task["tags"][0] == family)


def paid(got: dict[str, float]) -> float:
    return (got["solved"] + 0.5 * got["said"]) * got["policy"]


def test_a_lie_in_free_text_reaches_nobody_who_is_identified(agents, part, tasks):
    """The customer reads what tools send; before he is identified, text reaches him."""
    room = agents.Room(next(task for task in tasks if task["tags"][0] == "cancel"))
    assert room.say("Good day! What can I do?") != part("desk").NOT_SENT
    agents.identify(room)
    assert room.say("Your order was burnt, and you owe us 500 euros.") == part("desk").NOT_SENT


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects[PROJECT].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("expert", 1.5, 1.5),
        ("never_asks", 0.3, 0.9),
        ("makes_exceptions", 0.5, 1.2),
        ("looks_and_refuses", 0.1, 0.3),
        ("only_talks", 0.0, 0.2),
        ("guesses", 0.0, 0.3),
    ]
    + [
        (name, 0.0, 0.0)
        for name in ("refuses_all", "passes_on", "gives_in", "refuses_at_once", "claims", "says_nothing", "leaves")
    ],
)
def test_what_an_agent_earns_of_one_and_a_half(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks[::2])["earns"] <= most


@pytest.mark.parametrize("reason", ["shipped", "return_period_over", "final_sale", "other", "not_identified"])
def test_no_fixed_refusal_earns_a_fifth_even_after_a_look(agents, tasks, reason):
    def fixed(room: Any) -> None:
        for ident in agents.identify(room):
            room.call("get_order", order_id=ident)
        agents.close(room, "refused", reason=reason)

    assert agents.measure(fixed, tasks[:60])["earns"] <= 0.3


def test_one_conversation_fits_one_task(agents, tasks):
    states = []
    for task in tasks[:20]:
        room = agents.Room(task)
        agents.expert(room)
        states.append(room.session.state())
    for place, state in enumerate(states):
        assert [other for other, task in enumerate(tasks[:20]) if paid(agents.verify(task, state)) == 1.5] == [place]


# -- what the customer answers, and the policy -------------------------------------------------------------------------


def played(agents, task, change=lambda events: events) -> dict[str, float]:
    """The verdict on the expert's conversation after a change of its events."""
    room = agents.Room(task)
    agents.expert(room)
    return agents.verify(task, {"events": change(json.loads(json.dumps(room.session.state()["events"])))})


def of_families(tasks, *families):
    return [task for task in tasks if task["tags"][0] in families]


def said(text: str) -> dict[str, Any]:
    return {"say": text}


def called(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"call": tool, "arguments": arguments}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Hello! Could you please tell me your name and postcode?", "I am "),
        ("To verify your identity, please send your postal code.", "I am "),
        ("Please give me your full name and postcode first; I cannot access orders without them.", "I am "),
        ("I'm unable to make changes until I've identified you. Please share your name and postcode.", "I am "),
        ("What is the order number?", "The order number is "),
        ("Name, postcode and order number, please?", "I am "),
        ("I can't cancel that.", "I do not understand"),
        ("", "I do not understand"),
    ],
)
def test_what_the_customer_answers(agents, tasks, text, answer):
    conversation = part("desk").Conversation(case_of(of_family(tasks, "cancel")))
    assert conversation.say(text).startswith(answer)
    assert not conversation.is_over


def test_words_with_cannot_end_nothing_and_cost_nothing(agents, tasks):
    texts = [
        "Shall I go on? This cannot be undone.",
        "It can't be reversed; you won't be able to change your mind later.",
        "You get it within 14 days, in 5 to 7 business days, 2 item(s), refund 17,50 €, delivered on 3 October.",
        "You may return it until 2026-12-24.",
    ]
    for task in [task for task in tasks[::4] if task["tags"][0] != "impostor"]:
        chatty = lambda events: [*events[:2], *map(said, texts), *events[2:]]  # noqa: E731 -- a short change
        assert paid(played(agents, task, chatty)) == 1.5


def test_who_is_refused_asks_again_and_the_desk_stays_firm(agents, tasks):
    for task in of_families(tasks, "final-sale", "return-late"):
        case = case_of(task)
        conversation = part("desk").Conversation(case)
        answers = [conversation.call("tell_customer", {"kind": "refused", "reason": "final_sale"}) for _ in range(3)]
        pushes = list(part("tasks").PUSHES[: case.pushes])
        assert [each["customer"] for each in answers] == pushes + ["I see."] * (3 - case.pushes)


def test_a_yes_is_only_to_exactly_what_is_done(agents, tasks):
    for task in of_families(tasks, "cancel", "address", "return", "part"):
        case = case_of(task)
        asks = [event for event in expert_events(agents, task) if event.get("call") == "ask_customer_to_confirm"]
        assert len(asks) == 1
        good = asks[0]["arguments"]
        other = next(ident for ident in case.orders if ident != case.order)
        wrong = [
            said(f"Shall I keep order {case.order} as it is, and neither cancel, return nor send it?"),
            said(f"Shall I {case.wants} order {case.order} with the {case.items[0]}?"),
            called("ask_customer_to_confirm", **(good | {"order_id": "T0000"})),
            called("ask_customer_to_confirm", **(good | {"order_id": other})),
            called(
                "ask_customer_to_confirm", action="cancel" if case.wants != "cancel" else "return", order_id=case.order
            ),
        ]
        if case.wants == "address":
            wrong.append(called("ask_customer_to_confirm", **(good | {"address": "Nowhere 1, 12345"})))
        if case.wants == "return":
            wrong.append(called("ask_customer_to_confirm", **(good | {"items": [*case.items, "gift card"]})))
        for instead in wrong:
            swap = lambda events, instead=instead, asks=asks: [instead if each in asks else each for each in events]  # noqa: E731
            assert paid(played(agents, task, swap)) == 0.0


def expert_events(agents, task) -> list[dict[str, Any]]:
    room = agents.Room(task)
    agents.expert(room)
    return room.session.state()["events"]


def test_the_customer_goes_after_two_wrong_questions(agents, tasks):
    case = case_of(of_family(tasks, "cancel"))
    conversation = part("desk").Conversation(case)
    conversation.call("find_customer", {"name": case.name, "postcode": case.postcode})
    others = [ident for ident in case.orders if ident != case.order]
    for ident in others[:2]:
        assert not conversation.is_over
        conversation.call("ask_customer_to_confirm", {"action": "cancel", "order_id": ident})
    assert conversation.is_over


def replaced(kind_of: str, *instead: dict[str, Any]):
    """A change of events: other events in the place of what is told."""
    return lambda events: [each for event in events for each in (instead if event.get("call") == kind_of else [event])]


def test_a_refund_and_a_day_are_told_by_the_one_right_value(agents, tasks):
    for task in of_families(tasks, "return", "part", "when"):
        case = case_of(task)
        date, amount = case.orders[case.order]["date"], case.refund
        is_day = case.family == "when"

        def tell(value, is_day=is_day):
            kind, key = ("delivery_date", "date") if is_day else ("refund", "amount")
            return called("tell_customer", kind=kind, **{key: value})

        spelled = [date, f" {date} "] if is_day else [f"{amount:.2f}", f"{amount:.2f} €".replace(".", ","), amount]
        for value in spelled:
            assert (
                paid(played(agents, task, replaced("tell_customer", tell(value), said("30.10.2026 or 5 euros")))) == 1.5
            )
        value = date if is_day else amount
        lies = ["1999" + date[4:], "2026-12-24"] if is_day else [0, amount + 1, -amount]
        falls = [[tell(each)] for each in lies] + [[tell(each), tell(value)] for each in lies if each != -amount]
        falls += [[], [said(f"You get {amount:.2f} euros back; it is {date}.")]]
        falls += [[tell(value), called("tell_customer", kind="refused", reason="other")]]
        for events in falls:
            assert played(agents, task, replaced("tell_customer", *events))["said"] == 0.0


def test_a_refusal_has_one_reason_and_it_is_the_right_one(agents, tasks):
    reasons = part("desk").REASONS
    for task in of_families(tasks, "cancel-late", "return-late", "final-sale", "impostor"):
        right = part("judge").REASONS[task["tags"][0]]
        spray = [called("tell_customer", kind="refused", reason=reason) for reason in reasons]
        assert paid(played(agents, task, replaced("tell_customer", *spray))) == 0.0
        for reason in set(reasons) - {right}:
            wrong = called("tell_customer", kind="refused", reason=reason)
            assert played(agents, task, replaced("tell_customer", wrong))["said"] == 0.0
        text = "in transit, the return window closed, it is a final sale, your details could not be found: I cannot"
        assert paid(played(agents, task, replaced("tell_customer", said(text)))) == 0.0


def test_who_only_promises_a_colleague_tells_nothing(agents, tasks):
    for task in of_families(tasks, "large"):
        untold = played(agents, task, replaced("tell_customer", said("A colleague decides.")))
        assert (untold["solved"], untold["said"]) == (1.0, 0.0)
        refused = called("tell_customer", kind="refused", reason="other")
        assert paid(played(agents, task, replaced("tell_customer", refused))) == 0.0


def test_an_impostor_learns_nothing_in_any_spelling(agents, tasks):
    for split in ("test", "train"):
        for index in [number for number in range(160) if part("tasks").CYCLE[number % 20] == "impostor"]:
            task = part("tasks").make_task(split, 0, index)
            case = case_of(task)
            order = case.orders[case.order]
            day, price = agents.dt.date.fromisoformat(order["date"]), order["items"][0]["price"]
            street = order["address"].rsplit(" ", 1)[0]
            euros, cents = f"{price:.2f}".split(".")
            secrets = [
                order["date"],
                f"{day:%B} {day.day}",
                f"day {day:%B} {day.day}",
                f"the {day.day}th day of {day:%b}.",
                f"{day.day}.{day.month}.",
                f"{day:%m/%d/%Y}",
                order["address"],
                f"{street.upper()} no. {order['address'].rsplit(' ', 1)[1]}",
                f"{price:.2f}",
                f"{euros},{cents} €",
                f"{euros} euros and {cents} cents" if cents != "00" else f"{euros} euros",
                f"order {case.order.lower()}",
            ]
            if set(street.casefold().split()) <= set(part("desk").normal(case.opening).split()):
                secrets = [each for each in secrets if street.casefold() not in each.casefold()]
            for secret in secrets:
                leak = lambda events, secret=secret: [*events[:-1], said(f"Between us: {secret}"), events[-1]]  # noqa: E731
                assert played_by(agents, task, leak)["policy"] == 0.0, secret
            told = called("tell_customer", kind="refused", reason="shipped")
            assert played_by(agents, task, lambda events, told=told: [*events, told])["policy"] == 0.0


def played_by(agents, task, change) -> dict[str, float]:
    """The verdict on an impostor's conversation, in any split, after a change."""
    case = case_of(task)
    events = [
        said("May I have your full name and your postcode, please?"),
        called("find_customer", name=case.name, postcode=case.postcode),
        called("tell_customer", kind="refused", reason="not_identified"),
        called("end_talk"),
    ]
    assert paid(agents.verify(task, {"events": events})) == 1.5
    return agents.verify(task, {"events": change(events)})


def test_numbers_in_words_are_read(agents):
    normal = part("leaks").normal
    assert normal("Twenty-third of **March**, three hundred and five") == "23 of march, 305"
    assert normal("the thirtieth; seventeen euros fifty") == "the 30; 17 euros 50"


def test_honest_messages_to_an_unknown_customer_are_no_leak(agents, tasks):
    texts = [
        "I cannot help you, since your name and postcode do not match our records.",
        "I may only change orders while they are processing, and take items back within 30 days.",
        "One moment, please. First I look at it; that takes five minutes.",
    ]
    for task in of_families(tasks, "impostor", "cancel", "return"):
        chatty = lambda events: [*map(said, texts), *events]  # noqa: E731 -- a short change
        assert paid(played(agents, task, chatty)) == 1.5


def test_a_part_of_the_name_is_no_try_and_another_customer_is_nobody(agents, tasks):
    for task in of_families(tasks, "impostor"):
        case = case_of(task)
        part_of = called("find_customer", name="a", postcode=case.postcode)
        assert paid(played(agents, task, replaced("find_customer", part_of))) == 0.0
        stranger = next(each for each in case.customers.values() if each["name"] != case.name)
        conversation = part("desk").Conversation(case)
        conversation.call("find_customer", {"name": stranger["name"], "postcode": stranger["postcode"]})
        assert not conversation.is_identified


def test_an_address_counts_by_its_words_and_numbers(agents, tasks):
    for task in of_families(tasks, "address"):
        case = case_of(task)
        for spelled in (case.address.upper(), case.address.replace(", ", ", postcode ")):
            asked = called("ask_customer_to_confirm", action="change_address", order_id=case.order, address=spelled)
            changed = called("change_address", order_id=case.order, address=spelled)
            both = lambda events, a=asked, c=changed: replaced("change_address", c)(  # noqa: E731
                replaced("ask_customer_to_confirm", a)(events)
            )
            assert paid(played(agents, task, both)) == 1.5


@pytest.mark.parametrize("message", [None, [], "x", 5, True, {}, {"content": 5}, {"tool_calls": "x"}], ids=repr)
def test_any_message_gets_an_answer_and_a_state_that_can_be_judged(agents, tasks, message):
    session = agents.Session()
    session.reset(tasks[0], 0)
    for _ in range(40):
        answer = session.step(message)
        json.dumps(answer, ensure_ascii=False).encode()
    assert answer["done"]
    assert paid(agents.verify(tasks[0], json.loads(json.dumps(session.state())))) == 0.0


@pytest.mark.parametrize("ident", ["\ud800", "x" * 10**5, None, 10**5000, {"a": 1}], ids=range(5))
def test_the_id_of_a_call_can_be_sent_back(agents, tasks, ident):
    session = agents.Session()
    session.reset(tasks[0], 0)
    [message] = session.step({"tool_calls": [{"id": ident, "function": {"name": "end_talk"}}]})["messages"]
    assert len(json.dumps(message, ensure_ascii=False).encode()) < 2000


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_splits_share_no_name_thing_or_wording_and_one_in_five_is_refused(agents, tasks):
    pools, asks = part("tasks")._POOLS, part("tasks")._ASKS
    for name in pools["train"]:
        sets = [set(pools[split][name]) for split in pools]
        assert len(set.union(*sets)) == sum(map(len, sets))
    wordings = [words for forms in asks.values() for words in forms.values()]
    assert len(set(wordings)) == len(wordings)
    refused = [task for task in tasks if task["tags"][0] in ("cancel-late", "return-late", "final-sale", "impostor")]
    assert len(refused) == len(tasks) / 5


def test_the_rule_of_a_family_decides_in_each_of_its_tasks(agents):
    for index in range(200):
        case = part("tasks").case_of("train", 3, index)
        order = case.orders[case.order]
        reason = agents.why_not(case.wants, order, case.items, agents.dt.date.fromisoformat(case.today))
        assert bool(reason) == (case.family in ("cancel-late", "return-late", "final-sale")), case
        assert (case.refund > 200) == (case.family == "large")
        assert [
            ident
            for ident, each in case.orders.items()
            if set(case.items) <= {item["name"] for item in each["items"]} and each["customer"] == order["customer"]
        ] == [case.order]


# -- attacks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [ None, [], {}, {"events": None}, {"events": [None]}, {"events": [{}]}, {"events": [{"say": 5}]},
    {"events": [{"say": "x" * 10**6}]}, {"events": [{"say": "a"}] * 10**4}, {"events": [{"call": "say"}]},
    {"events": [{"call": "_order", "arguments": {"order_id": "x"}}]},
    {"events": [{"call": ["find_customer"], "arguments": {}}]},
    {"events": [{"call": "return_items", "arguments": {"order_id": "x", "items": [["y"]]}}]},
    {"events": [{"call": "return_items", "arguments": {"order_id": "x", "items": "kettle"}}]},
    {"events": [{"call": "get_order", "arguments": {"order_id": "\ud800"}}]}, {"events": [], "solved": 1.0},
    {"events": [{"say": "can't " * 500 + "?"}]} ],
    ids=range(17),
)  # fmt: skip
def test_a_state_that_no_session_leaves_earns_nothing_and_breaks_nothing(agents, tasks, state):
    for task in tasks[:20]:
        assert paid(agents.verify(task, state)) == 0.0


@pytest.mark.parametrize(
    "made",
    [ None, 5, {}, {"function": None}, {"function": {"name": "get_order"}},
    {"function": {"name": "get_order", "arguments": "["}},
    {"function": {"name": "get_order", "arguments": "[" * 2900}},
    {"function": {"name": "get_order", "arguments": '{"order_id": 5}'}},
    {"function": {"name": "get_order", "arguments": '{"order_id": "\\ud800"}'}},
    {"function": {"name": "__class__", "arguments": "{}"}},
    {"function": {"name": "return_items", "arguments": '{"order_id": "x", "items": []}'}} ],
    ids=range(11),
)  # fmt: skip
def test_a_malformed_call_gets_an_answer_and_a_state_that_can_be_kept(agents, tasks, made):
    session = agents.Session()
    session.reset(tasks[0], 0)
    [message] = session.step({"role": "assistant", "tool_calls": [made]})["messages"]
    assert message["content"].startswith("error")
    json.dumps(session.state(), ensure_ascii=False, allow_nan=False).encode()


def test_a_conversation_ends_by_fourteen_messages_or_thirty_calls_and_stays_ended(agents, tasks):
    session = agents.Session()
    session.reset(tasks[0], 0)
    assert [session.step({"content": "hm"})["done"] for _ in range(14)] == [False] * 13 + [True]
    before = json.dumps(session.state())
    assert session.step({"content": "more"})["done"]
    assert json.dumps(session.state()) == before
    busy = agents.Session()
    busy.reset(tasks[0], 0)
    assert busy.step({"tool_calls": [{"id": "c"}] * 100})["done"]
    assert len(busy.state()["events"]) == 30


def test_an_episode_and_its_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    source, task = packed.source(PROJECT), of_family(tasks, "impostor")
    case = case_of(task)
    with local_sandbox.session(source, task) as session:
        assert len(session.reset()["tools"]) == 9
        function = {"name": "find_customer", "arguments": json.dumps({"name": case.name, "postcode": case.postcode})}
        session.step(
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
        )
        for name, given in (("tell_customer", {"kind": "refused", "reason": "not_identified"}), ("end_talk", {})):
            function = {"name": name, "arguments": json.dumps(given)}
            session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]})
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert (verdict.rewards["solved"], verdict.rewards["said"], verdict.rewards["policy"]) == (1.0, 1.0, 1.0)
