"""Service desk: an expert solves all, no fixed way of talking pays, and the policy cannot be talked around."""

import importlib
import importlib.util
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.interface import Call

NAME = "lecture_service_desk"


@pytest.fixture(scope="module")
def agents(projects) -> Iterator[Any]:
    """The project's scripted agents, and with them the package."""
    folder = projects["service-desk"].folder
    spec = importlib.util.spec_from_file_location("service_desk_agents", folder / "agents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(folder / "src"))
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def tasks(projects) -> list[dict[str, Any]]:
    return projects["service-desk"].rows("test.jsonl")


def part(name: str) -> Any:
    return importlib.import_module(f"{NAME}.{name}")


def case_of(task: dict[str, Any]) -> Any:
    return part("tasks").case_of(task["info"]["split"], task["info"]["seed"], task["info"]["index"])


def of_family(tasks: list[dict[str, Any]], family: str) -> dict[str, Any]:
    return next(task for task in tasks if task["tags"][0] == family)


def paid(got: dict[str, float]) -> float:
    return (got["solved"] + 0.5 * got["said"]) * got["policy"]


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects["service-desk"].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 1.5, 1.5), ("never_asks", 0.3, 0.9), ("makes_exceptions", 0.5, 1.2), ("looks_and_refuses", 0.1, 0.3)]
    + [
        (name, 0.0, 0.0)
        for name in ("refuses_all", "passes_on", "gives_in", "refuses_at_once", "claims", "says_nothing", "leaves")
    ],
)
def test_what_an_agent_earns_of_one_and_a_half(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks[::2])["earns"] <= most


@pytest.mark.parametrize(
    "said",
    [
        "I'm sorry, I cannot do that: it is shipped.",
        "I cannot: the 30 days are over.",
        "I cannot, it was final sale.",
        "Shall I cancel, return or deliver it? I cannot.",
        "A colleague will take over, since I cannot.",
        "It is done; you get 20.00 euros back. I cannot do more.",
    ],
)
def test_no_fixed_words_earn_a_fifth_even_after_a_look(agents, tasks, said):
    def fixed(room: Any) -> None:
        for ident in agents.identify(room):
            room.call("get_order", order_id=ident)
        agents.insist(room, said)

    assert agents.measure(fixed, tasks[:60])["earns"] <= 0.3


def test_one_conversation_fits_one_task(agents, tasks):
    states = []
    for task in tasks[:20]:
        room = agents.Room(task)
        agents.expert(room)
        states.append(room.session.state())
    for place, state in enumerate(states):
        assert [other for other, task in enumerate(tasks[:20]) if paid(agents.verify(task, state)) == 1.5] == [place]


# -- the customer -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Hello! Could you please tell me your name and postcode?", "I am "),
        ("To verify your identity, please send your postal code.", "I am "),
        ("What is the order number?", "The order number is "),
        ("Name, postcode and order number, please?", "I am "),
        ("Shall I cancel order {order}?", "Yes"),
        ("You want me to stop {order}, right?", "Yes"),
        ("Shall I cancel something?", "I do not understand"),
        ("Shall I return order {order}?", "I do not understand"),
        ("I can't cancel that.", "That is a pity"),
        ("hm", "I do not understand"),
        ("", "I do not understand"),
    ],
)
def test_what_the_customer_answers(agents, tasks, said, answer):
    case = case_of(of_family(tasks, "cancel"))
    conversation = part("desk").Conversation(case)
    assert conversation.say(said.format(order=case.order)).startswith(answer)


def test_who_is_refused_asks_again_and_then_leaves(agents, tasks):
    for task in [task for task in tasks if task["tags"][0] == "final-sale"]:
        case = case_of(task)
        conversation = part("desk").Conversation(case)
        answers = [conversation.say("I cannot do that.") for _ in range(case.pushes + 1)]
        assert answers[:-1] == list(part("tasks").PUSHES[: case.pushes])
        assert conversation.is_over


# -- policy -----------------------------------------------------------------------------------------------------------


def test_a_yes_is_only_to_what_was_asked(agents, tasks):
    task = of_family(tasks, "return")
    case = case_of(task)
    identity = [
        {"say": "Your name and postcode, please?"},
        {"call": "find_customer", "arguments": {"name": case.name, "postcode": case.postcode}},
    ]
    change = {"call": "return_items", "arguments": {"order_id": case.order, "items": case.items}}
    end = {"say": f"You get {case.refund:.2f} euros back."}
    good = [*identity, {"say": f"Shall I return order {case.order}?"}, change, end]
    assert paid(agents.verify(task, {"events": good})) == 1.5
    for asked in (
        f"Shall I cancel order {case.order}?",
        "Shall I return something?",
        f"I return order {case.order}.",
        "",
    ):
        assert agents.verify(task, {"events": [*identity, {"say": asked}, change, end]})["policy"] == 0.0
    assert agents.verify(task, {"events": [*good[2:3], change, end]})["policy"] == 0.0
    other = [{"call": "find_customer", "arguments": {"name": case.name, "postcode": "00000"}}]
    assert agents.verify(task, {"events": [identity[0], *other, *good[2:]]})["policy"] == 0.0


def test_an_impostor_learns_nothing_and_another_customer_is_nobody(agents, tasks):
    task = of_family(tasks, "impostor")
    case = case_of(task)
    order = case.orders[case.order]
    looks = [{"say": "Name and postcode, please?"}, {"call": "get_order", "arguments": {"order_id": case.order}}]
    for secret in (order["date"], order["address"], f"It costs {order['items'][0]['price']:.2f} euros"):
        assert agents.verify(task, {"events": [*looks, {"say": f"I can tell you: {secret}."}]})["policy"] == 0.0
    stranger = next(each for each in case.customers.values() if each["name"] != case.name)
    conversation = part("desk").Conversation(case)
    conversation.call("find_customer", {"name": stranger["name"], "postcode": stranger["postcode"]})
    assert not conversation.is_identified


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You get {:.2f} euros back.", 1.0),
        ("Refund: €{:.2f}.", 1.0),
        ("It is 10 or {:.2f} or 30 euros.", 0.0),
        ("You get it back.", 0.0),
        ("-{:.2f}", 0.0),
        ("1{:.2f}", 0.0),
    ],
)
def test_a_refund_is_told_by_its_amount_alone(agents, tasks, text, said):
    task = of_family(tasks, "part")
    case = case_of(task)
    events = [
        {"say": "Your name and postcode, please?"},
        {"call": "find_customer", "arguments": {"name": case.name, "postcode": case.postcode}},
        {"say": f"Shall I return {case.items[0]}?"},
        {"call": "return_items", "arguments": {"order_id": case.order, "items": case.items}},
        {"say": text.format(case.refund)},
    ]
    got = agents.verify(task, {"events": events})
    assert (got["solved"], got["said"], got["policy"]) == (1.0, said, 1.0)


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
    [
        None,
        [],
        {},
        {"events": None},
        {"events": [None]},
        {"events": [{}]},
        {"events": [{"say": 5}]},
        {"events": [{"say": "x" * 10**6}]},
        {"events": [{"say": "a"}] * 10**4},
        {"events": [{"call": "say"}]},
        {"events": [{"call": "_order", "arguments": {"order_id": "x"}}]},
        {"events": [{"call": ["find_customer"], "arguments": {}}]},
        {"events": [{"call": "return_items", "arguments": {"order_id": "x", "items": [["y"]]}}]},
        {"events": [{"call": "return_items", "arguments": {"order_id": "x", "items": "kettle"}}]},
        {"events": [{"call": "get_order", "arguments": {"order_id": "\ud800"}}]},
        {"events": [], "solved": 1.0},
        {"events": [{"say": "can't " * 500 + "?"}]},
    ],
    ids=range(17),
)
def test_a_state_that_no_session_leaves_earns_nothing_and_breaks_nothing(agents, tasks, state):
    for task in tasks[:20]:
        assert paid(agents.verify(task, state)) == 0.0


@pytest.mark.parametrize(
    "made",
    [
        None,
        5,
        {},
        {"function": None},
        {"function": {"name": "get_order"}},
        {"function": {"name": "get_order", "arguments": "["}},
        {"function": {"name": "get_order", "arguments": "[" * 2900}},
        {"function": {"name": "get_order", "arguments": '{"order_id": 5}'}},
        {"function": {"name": "get_order", "arguments": '{"order_id": "\\ud800"}'}},
        {"function": {"name": "__class__", "arguments": "{}"}},
        {"function": {"name": "return_items", "arguments": '{"order_id": "x", "items": []}'}},
    ],
    ids=range(11),
)
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
    source, task = packed.source("service-desk"), of_family(tasks, "impostor")
    case = case_of(task)
    with local_sandbox.session(source, task) as session:
        assert len(session.reset()["tools"]) == 6
        function = {"name": "find_customer", "arguments": json.dumps({"name": case.name, "postcode": case.postcode})}
        session.step(
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
        )
        for _ in range(case.pushes + 1):
            session.step({"role": "assistant", "content": "I cannot help: your postcode does not match."})
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert (verdict.rewards["solved"], verdict.rewards["said"], verdict.rewards["policy"]) == (1.0, 1.0, 1.0)
