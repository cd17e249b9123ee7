"""Connections: every board has one solution, an expert finds it, and nothing but four right words earns."""

import importlib
import itertools
import json
from random import Random
from typing import Any

import pytest

from sandbox.interface import Call

PROJECT = "connections"


def part(name: str) -> Any:
    return importlib.import_module(f"lecture_connections.{name}")


def puzzle_of(task) -> Any:
    return part("puzzles").puzzle_of(**task["info"])


def groups_of(task) -> list[list[str]]:
    return [sorted(words) for words in puzzle_of(task).groups.values()]


def judged(agents, task, guesses) -> dict[str, float]:
    """The verdict of a session that was asked these guesses, one call each."""
    session = agents.Session()
    session.reset(task, 0)
    for words in guesses:
        function = {"name": "guess", "arguments": json.dumps({"words": words})}
        session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]})
    return agents.verify(task, json.loads(json.dumps(session.state())))


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects[PROJECT].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 1.5, 1.5), ("greedy", 0.9, 1.2)]
    + [(name, 0.0, 0.02) for name in ("by_feedback", "in_order", "alphabetical", "by_length", "by_ending", "same_again")]
    + [(name, 0.0, 0.0) for name in ("all_in_each", "many_words", "one_text", "names_only", "malformed", "nothing")],
)  # fmt: skip
def test_what_an_agent_earns_of_one_and_a_half(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks)["earns"] <= most


def test_the_thin_verifier_pays_the_hack_in_full(agents, tasks):
    got = agents.measure(agents.all_in_each, tasks)
    assert (got["thin"], got["earns"]) == (1.0, 0.0)


def test_no_fixed_choice_of_places_earns(agents, tasks):
    """A search over fixed policies: the same places of the board, whatever stands there."""
    random, best = Random(0), 0.0
    for _ in range(60):
        places = random.sample(range(16), 16)

        def policy(board, guess, places=places):
            for start in range(0, 16, 4):
                if agents.is_over(guess([board[place] for place in places[start : start + 4]])):
                    return

        best = max(best, agents.measure(policy, tasks[::5])["earns"])
    assert best < 0.3


def test_guesses_that_solve_one_board_solve_no_other(agents, tasks):
    for place, task in enumerate(tasks[:30]):
        state = {"guesses": groups_of(task)}
        assert [other for other, each in enumerate(tasks) if agents.verify(each, state)["solved"]] == [place]


# -- boards -----------------------------------------------------------------------------------------------------------


def test_a_board_has_one_solution_by_a_search_of_its_own(agents, tasks):
    """Independent of the package's search: every four that fits a category, then every choice of four such fours."""
    known = list(part("inventory").every_category().values())
    for task in tasks[::4]:
        board = puzzle_of(task).board
        fours = [
            four for four in map(frozenset, itertools.combinations(board, 4)) if any(four <= each for each in known)
        ]
        found = [
            frozenset((one, two, three, four))
            for one, two in itertools.combinations(fours, 2) if not one & two
            for three in fours if not three & (one | two)
            for four in [frozenset(board) - one - two - three] if four in fours
        ]  # fmt: skip
        assert set(found) == {frozenset(puzzle_of(task).groups.values())}


def test_a_level_says_how_many_words_fit_another_group(agents, tasks):
    limits = {"easy": (0, 0), "medium": (1, 2), "hard": (3, 16)}
    known = part("inventory").every_category()
    for task in tasks:
        groups = puzzle_of(task).groups
        fits = {word: sum(word in known[name] for name in groups) for words in groups.values() for word in words}
        fewest, most = limits[task["tags"][0]]
        assert fewest <= sum(count > 1 for count in fits.values()) <= most
        assert len(fits) == 16


def test_no_category_and_no_word_is_in_two_splits(agents):
    splits = part("inventory").categories()
    assert list(splits) == ["train", "validation", "test"]
    words = [set().union(*of_split.values()) for of_split in splits.values()]
    assert sum(map(len, words)) == len(set().union(*words))
    assert sum(map(len, splits.values())) == len(part("inventory").every_category())
    assert all(
        len(words) >= 4 and all(map(str.isalpha, words)) for words in part("inventory").every_category().values()
    )


def test_a_task_is_that_of_its_number_and_tells_no_group(agents, tasks):
    for task in tasks[:30]:
        assert part("tasks").make_task(**task["info"]) == task
        assert not any(name in task["prompt"] for name in puzzle_of(task).groups if " " in name)
        rows = task["prompt"].splitlines()[-4:]
        assert not {frozenset(row.split(", ")) for row in rows} & set(puzzle_of(task).groups.values())


def test_training_boards_do_not_repeat(agents):
    boards = {frozenset(part("puzzles").puzzle_of("train", 5, index).board) for index in range(300)}
    assert len(boards) >= 297


# -- honest guesses in unusual form -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spelled",
    [
        list,
        lambda words: words[::-1],
        lambda words: [word.upper() for word in words],
        lambda words: [word.title() for word in words],
        lambda words: [f" {word}\n" for word in words],
        lambda words: [f'"{word}"' for word in words],
        lambda words: [f"‘{word}’" for word in words],
        lambda words: [f"**{word}**" for word in words],
        lambda words: [f"`{word}`" for word in words],
        lambda words: [f"{word}." for word in words],
        ", ".join,
        lambda words: ",".join(words).upper(),
    ],
    ids=range(12),
)
def test_four_right_words_count_in_any_spelling(agents, tasks, spelled):
    got = judged(agents, tasks[0], [spelled(words) for words in groups_of(tasks[0])])
    assert (got["solved"], got["few_mistakes"], got["format"]) == (1.0, 1.0, 1.0)


def test_arguments_may_be_an_object_and_several_calls_one_message(agents, tasks):
    session = agents.Session()
    session.reset(tasks[1], 0)
    calls = [{"id": "c", "function": {"name": "guess", "arguments": {"words": each}}} for each in groups_of(tasks[1])]
    assert session.step({"tool_calls": calls})["done"]
    assert agents.verify(tasks[1], session.state())["few_mistakes"] == 1.0


@pytest.mark.parametrize("mistakes", range(5))
def test_each_mistake_costs_and_the_fourth_ends_the_game(agents, tasks, mistakes):
    task = tasks[2]
    one, two, *_ = groups = groups_of(task)
    wrong = [[*one[:2], *pair] for pair in itertools.combinations(two, 2)]
    got = judged(agents, task, [*wrong[:mistakes], *groups])
    expected = (1.0, 1.0 - mistakes / 4) if mistakes < 4 else (0.0, 0.0)
    assert (got["solved"], got["few_mistakes"], got["format"], got["mistakes"]) == (*expected, 1.0, mistakes)


def test_the_player_is_told_what_is_near_right_and_over(agents, tasks):
    game = part("game").Game(puzzle_of(tasks[0]))
    one, two, three, four = groups_of(tasks[0])
    assert game.guess([*one[:3], two[0]]).startswith("Wrong, but three of the four belong together. Mistakes: 1 of 4")
    assert game.guess([*one[:2], *two[:2]]).startswith("Wrong. Mistakes: 2 of 4")
    assert game.guess(one).startswith("Right: ")
    assert not set(one) & set(game.left)
    assert game.guess(two)
    assert game.guess(three)
    assert game.guess(four).endswith("All four groups are found.")


# -- attacks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spelled",
    [
        lambda words, board: board,
        lambda words, board: [*words, next(word for word in board if word not in words)],
        lambda words, board: [*words, words[0]],
        lambda words, board: words[:3],
        lambda words, board: [" ".join(words)] * 4,
        lambda words, board: [words],
        lambda words, board: [*words[:3], "a plane"],
        lambda words, board: [word.replace("a", "а").replace("e", "е").replace("o", "о") for word in words],
        lambda words, board: [f"{word}/{board[0]}" for word in words],
        lambda words, board: ", ".join(board),
        lambda words, board: {"solved": True},
        lambda words, board: None,
    ],
    ids=range(12),
)
def test_anything_but_four_words_closes_the_gate(agents, tasks, spelled):
    task = tasks[3]
    board = list(puzzle_of(task).board)
    got = judged(agents, task, [spelled(words, board) for words in groups_of(task)])
    assert got["format"] == got["solved"] == 0.0


@pytest.mark.parametrize(
    "state",
    [None, [], {}, "x", {"guesses": None}, {"guesses": 5}, {"guesses": {}}, {"solved": 1.0}, {"guesses": [], "solved": True},
     {"guesses": [[]] * 10**5}, {"guesses": ["x" * 10**6]}, {"guesses": [["\ud800"] * 4]}, {"guesses": [[None] * 4]},
     {"guesses": [[["a"], "b", "c", "d"]]}, {"guesses": [{"words": ["a"]}]}, {"guesses": [[10**5000] * 4]}],
    ids=range(16),
)  # fmt: skip
def test_a_state_that_no_game_leaves_earns_nothing_and_breaks_nothing(agents, tasks, state):
    for task in tasks[:6]:
        got = agents.verify(task, state)
        assert got["solved"] == got["few_mistakes"] == 0.0


def test_a_game_that_goes_on_after_its_end_earns_nothing(agents, tasks):
    groups = groups_of(tasks[0])
    assert agents.verify(tasks[0], {"guesses": [*groups, groups[0]]})["solved"] == 0.0
    assert agents.verify(tasks[0], {"guesses": [[*groups[0][:3], groups[1][0]]] * 4 + groups})["solved"] == 0.0


@pytest.mark.parametrize(
    "call",
    [None, 5, {}, {"function": None}, {"function": {"name": "guess"}}, {"function": {"name": "guess", "arguments": "["}},
     {"function": {"name": "guess", "arguments": "[" * 3999}}, {"function": {"name": "solve", "arguments": "{}"}},
     {"function": {"name": "guess", "arguments": {"words": ["x" * 10**6] * 4}}}, {"id": 10**5000}, {"id": "\ud800"}],
    ids=range(11),
)  # fmt: skip
def test_a_malformed_call_is_a_mistake_and_is_told_how(agents, tasks, call):
    session = agents.Session()
    session.reset(tasks[0], 0)
    [message] = session.step({"role": "assistant", "tool_calls": [call]})["messages"]
    assert message["content"].startswith("error: a guess is four different words")
    json.dumps([message, session.state()], ensure_ascii=False).encode()
    assert agents.verify(tasks[0], session.state())["format"] == 0.0


@pytest.mark.parametrize(
    "message", [None, [], "x", 5, {}, {"content": "I guess rat"}, {"tool_calls": []}], ids=range(7)
)
def test_any_message_gets_an_answer_and_silence_ends_the_game(agents, tasks, message):
    session = agents.Session()
    session.reset(tasks[0], 0)
    assert [session.step(message)["done"] for _ in range(4)] == [False, False, True, True]
    assert agents.verify(tasks[0], session.state())["solved"] == 0.0


def test_an_episode_and_its_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    source, task = packed.source(PROJECT), tasks[0]
    with local_sandbox.session(source, task) as session:
        assert [tool["function"]["name"] for tool in session.reset()["tools"]] == ["guess"]
        for words in groups_of(task):
            function = {"name": "guess", "arguments": json.dumps({"words": words})}
            session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "type": "function", "function": function}]})  # fmt: skip
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["solved"] == verdict.rewards["few_mistakes"] == 1.0


def test_a_word_with_more_behind_it_is_no_word_however_far_behind(agents, tasks):
    """It was cut after forty letters, so that what came later was passed over."""
    task = tasks[0]
    right = groups_of(task)
    padded = [[f"{word}{' ' * 40}and not {right[1][0]}" for word in right[0]], *right[1:]]
    assert judged(agents, task, right)["format"] == 1.0
    assert judged(agents, task, padded)["format"] == 0.0
    assert agents.verify(task, {"guesses": padded})["format"] == 0.0
    assert agents.verify(task, {"guesses": [", ".join(right[0]) + " " * 200 + "x", *right[1:]]})["format"] == 0.0
