"""Wordle as a live session: marks, endings, and a verdict that only believes the guesses."""

import pytest

from sandbox.interface import Call

PROJECT = "wordle"
TASK = {"id": "crane", "prompt": "Begin.", "answer": "crane", "split": "test"}


@pytest.fixture
def source(packed):
    return packed.source("wordle")


def guess(session, word: str) -> dict:
    return session.step({"role": "assistant", "content": f"<guess>{word}</guess>"})


def test_a_found_word_ends_the_game_and_is_worth_more_the_sooner(local_sandbox, source):
    with local_sandbox.session(source, TASK) as session:
        session.reset()
        reply = guess(session, "trace")
        assert "trace" in reply["messages"][0]["content"].lower()
        assert not reply["done"]
        assert guess(session, "crane")["done"]
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", TASK, state=state)])
    assert verdict.rewards["solved"] == 1.0
    assert 0.8 < verdict.rewards["speed"] < 0.9


def test_six_wrong_guesses_lose(local_sandbox, source):
    with local_sandbox.session(source, TASK) as session:
        session.reset()
        endings = [guess(session, word)["done"] for word in ("apple", "house", "chair", "table", "water", "bread")]
        assert endings == [False] * 5 + [True]
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", TASK, state=state)])
    assert verdict.rewards["solved"] == 0.0


def test_a_state_that_claims_success_proves_nothing(local_sandbox, source):
    [(_, verdict)] = local_sandbox.score(
        source, [Call("1", TASK, state={"guesses": ["apple"], "messages": 1, "solved": True, "answer": "apple"})]
    )
    assert verdict.rewards["solved"] == 0.0


def test_what_is_said_after_a_win_changes_nothing(local_sandbox, source):
    with local_sandbox.session(source, TASK) as session:
        session.reset()
        assert guess(session, "crane")["done"]
        assert guess(session, "crane")["done"]
        assert guess(session, "apple")["done"]
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", TASK, state=state)])
    assert verdict.rewards["solved"] == verdict.rewards["speed"] == 1.0


def test_a_lost_game_does_not_tell_the_secret_to_who_can_undo(local_sandbox, source):
    with local_sandbox.session(source, TASK) as session:
        session.reset()
        replies = [guess(session, word) for word in ("apple", "house", "chair", "table", "water", "bread")]
    assert "crane" not in str(replies).lower()


@pytest.mark.parametrize(
    "text",
    [
        "<guess>crane</guess>",
        "<Guess> Crane </Guess>",
        '<guess>"crane"</guess>',
        "<guess>crane.</guess>",
        "<guess>slate</guess> no, <guess>crane</guess>",
        "My guess is crane",
        "My first guess is: **crane**.",
        "Guess: crane",
        "crane?",
        "\u201ccrane\u201d",
        "CRANE",
        "<think><guess>slate</guess> is common</think>crane",
        "<think><guess>slate</guess></think>I go with <guess>crane</guess>",
    ],
)
def test_the_usual_ways_to_say_a_guess_are_read(local_sandbox, source, text):
    with local_sandbox.session(source, TASK) as session:
        session.reset()
        session.step({"role": "assistant", "content": text})
        assert session.state()["guesses"] == ["crane"]


@pytest.mark.parametrize(
    "text", ["", "crane slate", "I think of a crane", "<think>crane</think>", "<think>crane", "<guess>zzzzz</guess>"]
)
def test_what_commits_to_no_word_is_no_guess(local_sandbox, source, text):
    with local_sandbox.session(source, TASK) as session:
        session.reset()
        session.step({"role": "assistant", "content": text})
        assert session.state()["guesses"] == []


def test_readme_shows_what_the_agents_earn(agents, projects):
    """Four of them: the experts' games take seconds."""
    readme = (projects[PROJECT].folder / "README.md").read_text()
    tasks = agents.read("test")
    for name, agent in list(agents.AGENTS.items())[3:]:
        got = agents.measure(agent, tasks)
        assert f"| {name} | {got['solved']:.0%} | {got['speed']:.2f} | {got['earns']:.2f} |" in readme


def test_an_expert_wins_and_who_knows_the_train_secrets_alone_does_not(agents):
    tasks = agents.read("test")[:20]
    assert agents.measure(agents.expert, tasks)["solved"] >= 0.85
    assert agents.measure(agents.by_heart, tasks)["solved"] == 0.0


def test_no_two_tasks_look_alike_and_no_secret_is_in_two_splits(projects):
    tasks = projects["wordle"].tasks
    assert len({task["prompt"] for task in tasks if task["split"] == "train"}) == 1400
    assert len({task["answer"] for task in tasks}) == len(tasks)
