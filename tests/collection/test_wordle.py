"""Wordle as a live session: marks, endings, and a verdict that only believes the guesses."""

import pytest

from sandbox.interface import Call

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
