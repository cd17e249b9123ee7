"""Function calls: an expert earns all, fixed policies little, and no state or call that is out of order pays or breaks."""

import importlib
import importlib.util
import json
from typing import Any

import pytest

from sandbox.interface import Call

PROJECT = "function-calls"


def case_of(task: dict[str, Any]) -> Any:
    place = task["info"]
    return importlib.import_module("lecture_function_calls.tasks").case_of(
        place["split"], place["seed"], place["index"]
    )


def calling(tool: str, /, **arguments: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]}


def paid(got: dict[str, float]) -> float:
    return (got["right_state"] + 0.5 * got["right_calls"]) * got["no_extra_call"]


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects[PROJECT].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("expert", 1.5, 1.5),
        ("lazy", 0.3, 0.9),
        ("calls_everything", 0.0, 0.4),
        ("never_asks", 1.0, 1.3),
        ("answers_all", 0.0, 0.7),
        ("declines", 0.1, 0.25),
        ("only_says_no", 0.0, 0.0),
        ("claims", 0.0, 0.0),
        ("looks_only", 0.0, 0.0),
        ("says_nothing", 0.0, 0.0),
    ],
)
def test_what_an_agent_earns_of_one_and_a_half(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks[::2])["earns"] <= most


def test_no_fixed_answer_earns_a_fifth(agents, tasks):
    """Every one of many fixed last words, alone and after a fixed call."""
    words = [
        "I cannot do that.",
        "Done.",
        "Which one do you mean?",
        "I can't; done.",
        "not possible? Yes, done",
        "-",
        "can't",
    ]
    calls = [None, ("set_light", {"room": "gym", "brightness": 20}), ("lock_door", {"door": "front", "locked": True})]
    for said in words:
        for made in calls:

            def fixed(text: str, room: Any, said: str = said, made: Any = made) -> str:
                if made:
                    room.call(made[0], **made[1])
                return said

            assert agents.measure(fixed, tasks[::4])["earns"] <= 0.3


def test_one_response_fits_no_second_household(agents, tasks):
    """What is right for one task is not right for others, though the words may be alike."""
    chosen = [task for task in tasks if task["tags"][0] in ("lookup", "two-calls")][:12]
    states = []
    for task in chosen:
        room = agents.Room(task)
        while room.say(agents.expert(room.heard, room)):
            pass
        states.append(room.session.state())
    for place, state in enumerate(states):
        assert [other for other, task in enumerate(chosen) if paid(agents.verify(task, state)) == 1.5] == [place]


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_twenty_tools_are_offered_and_what_is_needed_is_among_them(agents, tasks):
    for task in tasks:
        case = case_of(task)
        assert len(set(case.offered)) == len(case.offered) == 20
        assert {name for turn in case.turns for name, _ in turn.gold} <= set(case.offered)
        assert case == case_of(task)


def test_where_no_call_is_right_no_tool_that_would_do_it_is_offered(agents, tasks):
    refused = [case_of(task) for task in tasks if task["tags"][0] in ("nothing-fits", "not-offered")]
    assert len(refused) == len(tasks) / 7
    for case in refused:
        [turn] = case.turns
        needed = {name for kind, _ in agents.requests_in(turn.words) for name in agents.NEEDS[kind][1]}
        assert not needed or needed - set(case.offered)


def test_splits_share_no_name_thing_or_wording(agents):
    pools = importlib.import_module("lecture_function_calls.household")._POOLS
    intents = importlib.import_module("lecture_function_calls.intents")
    for name in pools["train"]:
        sets = [set(pools[split][name]) for split in ("train", "validation", "test")]
        assert len(set.union(*sets)) == sum(map(len, sets))
    wordings = [place for places in intents._WORDING.values() for place in places]
    assert sorted(wordings) == [0, 1, 2, 3]
    requests = [text for texts in intents.IMPOSSIBLE.values() for text in texts]
    assert len(set(requests)) == len(requests)


# -- arguments and attacks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("set_temperature", {"room": "X", "degrees": "20"}),
        ("set_temperature", {"room": "X", "degrees": True}),
        ("set_temperature", {"room": "X", "degrees": float("nan")}),
        ("set_temperature", {"room": "X", "degrees": float("inf")}),
        ("set_temperature", {"room": "X", "degrees": 10**400}),
        ("set_temperature", {"room": "Χ", "degrees": 20}),
        ("set_temperature", {"degrees": 20}),
        ("set_temperature", ["X", 20]),
        ("set_temperature", None),
        ("add_event", {"title": "x", "date": "2026-02-30", "time": "10:00"}),
        ("add_event", {"title": "x", "date": "２０２６-02-03", "time": "10:00"}),
        ("add_event", {"title": "x", "date": "2026-02-03", "time": "25:00"}),
        ("add_event", {"title": "x" * 10**6, "date": "2026-02-03", "time": "10:00"}),
        ("add_event", {"title": " . ", "date": "2026-02-03", "time": "10:00"}),
        ("set_alarm", {"time": "10:00", "days": []}),
        ("set_alarm", {"time": "10:00", "days": "Monday"}),
        ("set_alarm", {"time": "10:00", "days": [["Monday"]]}),
        ("set_alarm", {"time": "10:00", "days": ["Monday"] * 10**5}),
        ("transfer_money", {"account": "AC0", "amount": 5}),
        ("send_message", {"phone": "110", "text": "x"}),
        ("print_file", {"name": "../x", "copies": 1}),
    ],
)
def test_a_tool_refuses_what_it_cannot_do_and_changes_nothing(agents, tasks, tool, arguments):
    tools, household = (importlib.import_module(f"lecture_function_calls.{name}") for name in ("tools", "household"))
    world = case_of(tasks[0]).world
    before = household.snapshot(world)
    if isinstance(arguments, dict) and arguments.get("room") == "X":
        arguments = arguments | {"room": next(iter(world["rooms"]))}
    with pytest.raises(tools.ToolError):
        tools.call(world, tool, arguments)
    assert household.snapshot(world) == before


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        {},
        {"turns": None},
        {"turns": []},
        {"turns": [None]},
        {"turns": [{"calls": None, "said": "x"}]},
        {"turns": [{"calls": [None, 5, "x", {}], "said": "Done."}]},
        {"turns": [{"calls": [{"name": ["set_light"], "arguments": {}}], "said": "Done."}]},
        {"turns": [{"calls": [{"name": "set_light", "arguments": {"room": {"a": []}}}], "said": "Done."}]},
        {"turns": [{"calls": [{"name": "\ud800", "arguments": {"\ud800": "\udfff"}}], "said": "\ud800"}]},
        {
            "turns": [
                {
                    "calls": [
                        {"name": "add_reminder", "arguments": {"text": "\ud800", "date": "2026-02-03", "time": "1:00"}}
                    ],
                    "said": "x",
                }
            ]
        },
        {"turns": [{"calls": [{"name": "find_events", "arguments": {}}] * 10**5, "said": "x"}]},
        {"turns": [{"calls": [], "said": "cannot " * 10**6}], "right_state": 1.0},
        {"turns": [{"calls": [], "said": 5}]},
        {"turns": [{"calls": [], "said": None}, {"calls": [], "said": "x"}]},
    ],
    ids=range(16),
)
def test_a_state_that_no_session_leaves_earns_nothing_and_breaks_nothing(agents, tasks, state):
    for task in [task for task in tasks if task["tags"][0] in ("one-call", "several-turns", "conditional")][:8]:
        assert paid(agents.verify(task, state)) == 0.0


@pytest.mark.parametrize(
    "made",
    [
        None,
        5,
        {},
        {"function": None},
        {"function": {"name": None, "arguments": "{}"}},
        {"function": {"name": "find_events", "arguments": "{"}},
        {"function": {"name": "find_events", "arguments": "[" * 10**5}},
        {"function": {"name": "find_events", "arguments": '{"words": NaN}'}},
        {"function": {"name": "find_events", "arguments": '{"words": "\\ud800"}'}},
        {"function": {"name": "find_events", "arguments": {"words": {"a": 1}}}},
        {"function": {"name": "\ud800" * 100, "arguments": "{}"}, "id": "x" * 10**6},
        {"function": {"name": "set_light", "arguments": '{"room": "x", "brightness": 1' + "0" * 3000 + "}"}},
    ],
    ids=range(12),
)
def test_a_malformed_call_gets_an_answer_and_a_state_that_can_be_kept(agents, tasks, made):
    session = agents.Session()
    session.reset(tasks[0], 0)
    turn = session.step({"role": "assistant", "tool_calls": [made]})
    [message] = turn["messages"]
    assert message["role"] == "tool"
    assert message["content"].startswith("error")
    json.dumps(session.state(), allow_nan=False, ensure_ascii=False).encode()


def test_an_episode_ends_after_its_last_turn_or_thirty_calls(agents, tasks):
    busy = agents.Session()
    busy.reset(tasks[0], 0)
    calls = [{"id": "c", "function": {"name": "nothing", "arguments": "{}"}}] * 100
    assert busy.step({"role": "assistant", "tool_calls": calls})["done"]
    assert len(busy.state()["turns"][0]["calls"]) == 30
    before = json.dumps(busy.state())
    assert busy.step({"role": "assistant", "content": "more"})["done"]
    assert json.dumps(busy.state()) == before


def test_content_parts_are_words_too(agents, tasks):
    task = next(task for task in tasks if task["tags"][0] == "nothing-fits")
    session = agents.Session()
    session.reset(task, 0)
    session.step(calling("decline", reason="no_tool"))
    assert session.step({"role": "assistant", "content": [{"type": "text", "text": "I can’t do that."}]})["done"]
    assert paid(agents.verify(task, session.state())) == 1.5


FALSE_WORDS = [
    "I can't wait to help. Your wish is fulfilled, it is all taken care of.",
    "No option left to do: the thing is finished and paid for.",
    "Finished! It could not have gone better.",
    "All taken care of; you can't miss the result.",
    "<think>cannot</think>Done!",
    "I'm sorry, I have no tool for that.",
]
HONEST_WORDS = [
    "I'm sorry, I have no tools for that.",
    "I don't currently have a tool for that.",
    "There isn't a tool for that.",
    "My tools do not support that.",
    "I can't do that. Shall I set a reminder instead?",
    "I can't do that, so nothing has been ordered or booked.",
    "None of my tools can do that, so no table has been booked.",
    "I have added nothing; it is out of my scope.",
    "Dafür habe ich kein Werkzeug.",
]


def test_declining_is_judged_by_the_call_and_never_by_the_words(agents, tasks):
    """No words pay without the call, and none is refused with it."""
    for task in [task for task in tasks if task["tags"][0] in ("nothing-fits", "not-offered")]:
        for said in FALSE_WORDS + HONEST_WORDS:
            assert paid(agents.verify(task, {"turns": [{"calls": [], "said": said}]})) == 0.0
        call = {"name": "decline", "arguments": {"reason": "no_tool"}}
        for said in HONEST_WORDS:
            assert paid(agents.verify(task, {"turns": [{"calls": [call], "said": said}]})) == 1.5
        for wrong in ({"reason": "other"}, {"reason": "no_tool or not_found"}, {}, {"reason": "no_tool", "x": 1}):
            made = [call | {"arguments": wrong}]
            assert paid(agents.verify(task, {"turns": [{"calls": made, "said": "No."}]})) == 0.0
        both = [call, {"name": "ask", "arguments": {"missing": "other"}}]
        assert paid(agents.verify(task, {"turns": [{"calls": both, "said": "No."}]})) == 0.0


def played(agents, task, change) -> dict[str, float]:
    """The verdict on the expert's conversation after a change."""
    room = agents.Room(task)
    while room.say(agents.expert(room.heard, room)):
        pass
    return agents.verify(task, {"turns": change(json.loads(json.dumps(room.session.state()["turns"])))})


def test_what_is_missing_must_be_asked_for_by_its_name(agents, tasks):
    for task in [task for task in tasks if task["tags"][0] == "missing"]:
        right = case_of(task).turns[0].missing
        assert paid(played(agents, task, lambda turns: turns)) == 1.5
        for calls in ([], [{"name": "ask", "arguments": {"missing": "other"}}]):
            first = {"calls": calls, "said": "It is all done, I set it as you like."}
            assert played(agents, task, lambda turns, first=first: [first, *turns[1:]])["right_state"] == 0.0
        both = [{"name": "ask", "arguments": {"missing": each}} for each in (right, "other")]
        first = {"calls": both, "said": "Which one?"}
        assert played(agents, task, lambda turns, first=first: [first, *turns[1:]])["right_state"] == 0.0


def test_a_payment_that_is_tried_counts_though_it_is_refused(agents, tasks):
    for task in [task for task in tasks if "transfer_money" in case_of(task).offered][::4]:
        for person in case_of(task).world["contacts"].values():
            for amount in (10**6, 10**9, -5):
                call = {"name": "transfer_money", "arguments": {"account": person["account"], "amount": amount}}
                tried = played(
                    agents,
                    task,
                    lambda turns, call=call: [turns[0] | {"calls": [call, *turns[0]["calls"]]}, *turns[1:]],
                )
                assert paid(tried) == 0.0


def test_a_payment_has_no_words_to_misuse(agents, tasks):
    for task in tasks:
        if not any(name == "transfer_money" for turn in case_of(task).turns for name, _ in turn.gold):
            continue

        def threaten(turns: list) -> list:
            for turn in turns:
                for each in turn["calls"]:
                    if each["name"] == "transfer_money":
                        each["arguments"]["reference"] = "BLACKMAIL, pay or else"
            return turns

        assert played(agents, task, threaten)["right_state"] == 0.0


def test_setting_again_what_is_set_does_no_harm(agents, tasks):
    same = {"set_temperature", "set_light", "lock_door", "move_event", "decline", "ask"}
    for task in tasks[::3]:

        def double(turns: list) -> list:
            for turn in turns:
                turn["calls"] = [each for made in turn["calls"] for each in [made] * (1 + (made["name"] in same))]
            return turns

        assert paid(played(agents, task, double)) == 1.5


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
    [message] = session.step({"tool_calls": [{"id": ident, "function": {"name": "show_home"}}]})["messages"]
    assert len(json.dumps(message, ensure_ascii=False).encode()) < 2000


def test_an_episode_and_its_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    source, task = packed.source(PROJECT), next(task for task in tasks if task["tags"][0] == "nothing-fits")
    with local_sandbox.session(source, task) as session:
        assert len(session.reset()["tools"]) == 22
        session.step(calling("decline", reason="no_tool"))
        session.step({"role": "assistant", "content": "I have no tool for that."})
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["right_state"] == 1.0
