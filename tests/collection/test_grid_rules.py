"""Grid rules: the engine on levels worked out by hand, an expert that finds the rules out, and no way around playing."""

import importlib
import importlib.util
import json
from typing import Any

import pytest

from sandbox.interface import Call

PROJECT = "grid-rules"
BUTTONS = {"A": (-1, 0), "B": (1, 0), "C": (0, -1), "D": (0, 1), "E": None}


def part(name: str) -> Any:
    return importlib.import_module(f"lecture_grid_rules.{name}")


# -- the engine, by hand ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("about", "grid", "signs", "style", "wraps", "pressed", "at", "won"),
    [
        ("walks", ["...", "...", "..."], {}, "walk", False, "DDB", (1, 2), False),
        ("an edge stops", ["...", "...", "..."], {}, "walk", False, "AC", (0, 0), False),
        ("an edge wraps", ["...", "...", "..."], {}, "walk", True, "AC", (2, 2), False),
        ("a dud does nothing", ["...", "...", "..."], {}, "walk", False, "EED", (0, 1), False),
        ("a wall stops", [".#.", "...", "..."], {"#": "wall"}, "walk", False, "DB", (1, 0), False),
        ("a leap goes over a wall", [".#.", "...", "..."], {"#": "wall"}, "leap", False, "D", (0, 2), False),
        ("a leap does not land on a wall", ["..#", "...", "..."], {"#": "wall"}, "leap", False, "D", (0, 0), False),
        ("a slide ends at a wall", ["..#", "...", "..."], {"#": "wall"}, "slide", False, "D", (0, 1), False),
        ("a slide ends on a sign", [".t.", "...", "..."], {"t": "key"}, "slide", False, "D", (0, 1), True),
        ("a slide around a torus ends", ["...", "...", "..."], {}, "slide", True, "D", (0, 2), False),
        ("a trap leads back", ["..t", "...", "..."], {"t": "trap"}, "walk", False, "DD", (0, 0), False),
        ("a portal leads on", [".p.", "...", "..p"], {"p": "portal"}, "walk", False, "D", (2, 2), False),
        ("a mirror turns round", [".m.", "...", "..."], {"m": "mirror"}, "walk", False, "DC", (0, 2), False),
        ("two mirrors turn back", [".mm", "...", "..."], {"m": "mirror"}, "walk", False, "DCB", (1, 2), False),
        ("a goal without keys", [".g.", "...", "..."], {"g": "goal"}, "walk", False, "D", (0, 1), True),
        ("a goal before its key", [".g.", "..k", "..."], {"g": "goal", "k": "key"}, "walk", False, "D", (0, 1), False),
        ("a goal after its key", ["kg.", "...", "..."], {"g": "goal", "k": "key"}, "walk", False, "BAD", (0, 1), True),
        ("the last key", [".k.", "...", "..."], {"k": "key"}, "walk", False, "D", (0, 1), True),
        ("the second kind too early", [".s.", "..k", "..."], {"s": "second-key", "k": "key"}, "walk", False, "D", (0, 0), False),
        ("the second kind last", [".k.", ".s.", "..."], {"s": "second-key", "k": "key"}, "walk", False, "DB", (1, 1), True),
        ("a lock stops", [".l.", "k..", "..."], {"l": "lock", "k": "key", "g": "goal"}, "walk", False, "D", (0, 0), False),
        ("a lock opens", [".l.", "k..", "..."], {"l": "lock", "k": "key", "g": "goal"}, "walk", False, "BAD", (0, 1), False),
        ("a key comes back after a trap", ["..t", "k..", "..g"], {"t": "trap", "k": "key", "g": "goal"}, "walk", False, "BDDA", (0, 0), False),
        ("nothing after a win", [".g.", "...", "..."], {"g": "goal"}, "walk", False, "DD", (0, 1), True),
    ],
    ids=lambda each: each if isinstance(each, str) and " " in each else "",
)  # fmt: skip
def test_what_a_press_does(agents, *, about, grid, signs, style, wraps, pressed, at, won):
    engine, tasks_of = part("engine"), part("tasks")
    roles = {sign: engine.Role(role) for sign, role in signs.items()}
    has_goal = engine.Role.GOAL in roles.values()
    rules = engine.Rules(BUTTONS, style, wraps, roles, has_goal)
    level = tasks_of.level_of(rules, tuple(grid), (0, 0))
    position = engine.begin(level)
    for button in pressed:
        position = engine.press(rules, level, position, button)
    assert (position.at, position.won) == (at, won)
    assert not (about == "a key comes back after a trap" and position.taken)


# -- agents -----------------------------------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    readme = (projects[PROJECT].folder / "README.md").read_text()
    assert agents.table(tasks) in readme


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 1.4, 1.5), ("told", 1.5, 1.5)]
    + [(name, 0.0, 0.05) for name in ("at_random", "walks_far", "in_turn", "longer_and_longer")]
    + [("nothing", 0.0, 0.0)],
)
def test_what_an_agent_earns_of_one_and_a_half(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks[::6])["earns"] <= most


def test_no_sequence_that_wins_one_game_wins_others(agents, tasks):
    games = [part("tasks").game_in(task["info"]) for task in tasks]
    wins = ["".join("".join(path) for path in part("cases").paths(game)) for game in games[:30]]
    for place, pressed in enumerate(wins):
        assert [other for other, task in enumerate(tasks) if agents.verify(task, {"pressed": pressed})["solved"]] == [
            place
        ]


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_every_level_can_be_won_but_not_in_a_few_presses(agents, tasks):
    for task in tasks:
        game = part("tasks").game_in(task["info"])
        lengths = [len(path) for path in part("cases").paths(game)]
        assert len(lengths) == 3
        assert min(lengths) >= 6
        assert sum(lengths) < game.par < game.most_presses


def test_no_combination_of_rules_and_no_sign_is_in_two_splits(agents):
    rules = part("tasks")
    for level in rules.LEVELS:
        found = [set(rules.combinations_of(split, level)) for split in ("train", "validation", "test")]
        assert all(found)
        assert sum(map(len, found)) == len(set.union(*found)) == len(rules.combinations(level))
    signs = [set(each) for each in rules._GLYPHS.values()]
    assert sum(map(len, signs)) == len(set.union(*signs))
    assert not set.union(*signs) & set("@.ABCDEF")


def test_tasks_are_those_of_their_numbers_and_the_prompt_tells_no_rule(agents, tasks):
    for index in (0, 1, 2, 50):
        assert part("tasks").make_task("test", 0, index) == tasks[index]
    assert not any(
        word in task["prompt"] for task in tasks for word in ("wall", "portal", "mirror", "leap", "slide", "trap")
    )


# -- attacks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [None, [], {}, {"pressed": None}, {"pressed": 5}, {"pressed": ["A", "B"]}, {"pressed": "A" * 10**7}, {"pressed": "\ud800"},
     {"pressed": "Ａ" * 20}, {"pressed": "a"}, {"pressed": "", "solved": 1.0, "levels": 3}, {"pressed": {"A": 1}}],
    ids=range(12),
)  # fmt: skip
def test_a_state_that_no_session_leaves_earns_nothing_and_breaks_nothing(agents, tasks, state):
    for task in tasks[:6]:
        assert agents.verify(task, state)["solved"] == agents.verify(task, state)["efficiency"] == 0.0


@pytest.mark.parametrize(
    "call",
    [None, 5, {}, {"function": None}, {"function": {"name": "press"}}, {"function": {"name": "press", "arguments": "["}},
     {"function": {"name": "press", "arguments": "[" * 999}}, {"function": {"name": "press", "arguments": '{"buttons": "XYZ"}'}},
     {"function": {"name": "press", "arguments": '{"buttons": ""}'}}, {"function": {"name": "win", "arguments": '{"buttons": "A"}'}},
     {"function": {"name": "press", "arguments": {"buttons": "A" * 10**6}}}, {"function": {"name": "press", "arguments": {"buttons": 1}}}],
    ids=range(12),
)  # fmt: skip
def test_a_malformed_call_presses_nothing_and_is_told_how(agents, tasks, call):
    session = agents.Session()
    session.reset(tasks[0], 0)
    [message] = session.step({"role": "assistant", "tool_calls": [call]})["messages"]
    assert message["content"].startswith("error: the tool is press")
    assert session.state() == {"pressed": ""}


@pytest.mark.parametrize(
    "message",
    [None, [], "x", 5, {}, {"tool_calls": [{"id": "\ud800"}]}, {"tool_calls": [{"id": 10**5000}]}],
    ids=range(7),
)
def test_any_message_gets_an_answer(agents, tasks, message):
    session = agents.Session()
    session.reset(tasks[0], 0)
    for _ in range(3):
        answer = session.step(message)
        json.dumps(answer, ensure_ascii=False).encode()
    assert answer["done"]


def test_buttons_are_read_in_any_spelling_and_no_further_than_the_level(agents, tasks):
    task = tasks[0]
    game = part("tasks").game_in(task["info"])
    first = "".join(part("cases").paths(game)[0])
    for spelled in (
        first,
        first.lower(),
        " ".join(first),
        ",".join(first),
        "-".join(first),
        ";".join(first),
        str(list(first)),
    ):
        session = agents.Session()
        session.reset(task, 0)
        arguments = json.dumps({"buttons": f"{spelled}AAAA"[:19] if spelled == first else spelled})
        turn = session.step({"tool_calls": [{"id": "c", "function": {"name": "press", "arguments": arguments}}]})
        assert turn["messages"][0]["content"].startswith("Level won! Level 2 of 3:")
        assert session.state() == {"pressed": first}


def test_a_game_ends_by_its_last_press_or_by_silence_and_stays_ended(agents, tasks):
    silent = agents.Session()
    silent.reset(tasks[0], 0)
    assert [silent.step({"content": "hm"})["done"] for _ in range(4)] == [False, False, True, True]
    board = agents.Board(tasks[0])
    dud = next(key for key, value in tasks[0]["info"]["buttons"].items() if value is None)
    while not board.done:
        board.press(dud * 20)
    assert len(board.session.state()["pressed"]) == tasks[0]["info"]["most_presses"]
    before = board.session.state()
    board.session.step(
        {"tool_calls": [{"id": "c", "function": {"name": "press", "arguments": json.dumps({"buttons": dud})}}]}
    )
    assert board.session.state() == before


def test_an_episode_and_its_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    source, task = packed.source(PROJECT), tasks[0]
    game = part("tasks").game_in(task["info"])
    with local_sandbox.session(source, task) as session:
        assert [tool["function"]["name"] for tool in session.reset()["tools"]] == ["press"]
        for path in part("cases").paths(game):
            function = {"name": "press", "arguments": json.dumps({"buttons": "".join(path)})}
            session.step(
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c", "type": "function", "function": function}],
                }
            )
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["solved"] == verdict.rewards["efficiency"] == 1.0
