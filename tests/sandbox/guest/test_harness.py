"""A harness as an episode: an author's generator that yields, returns and raises whatever it likes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sandbox.guest.author_function import Bound
from sandbox.guest.harness import HARNESS_NAMES, HarnessSession

GIVEN = {"task": {"id": "t"}, "messages": [], "tools": [], "session_tools": [], "interactive": False}
OUTCOME = {"messages": [{"role": "assistant", "content": "4"}], "state": {"n": 1}}


def begun(run: Callable[..., Any]) -> tuple[HarnessSession, dict[str, Any]]:
    episode = HarnessSession(Bound(run, HARNESS_NAMES, "run()"))
    return episode, episode.reset(GIVEN, 7)


def test_actions_and_answers_alternate_until_the_outcome() -> None:
    def run(task: dict[str, Any], seed: int) -> Iterator[dict[str, Any]]:
        first = yield {"complete": [task["id"], seed]}
        second = yield {"call": "add", "arguments": {"a": first}}
        return {**OUTCOME, "state": second}

    episode, said = begun(run)
    assert said == {"messages": [], "done": False, "action": {"complete": ["t", 7]}}
    said = episode.step({"answer": "one"})
    assert said == {"messages": [], "done": False, "action": {"call": "add", "arguments": {"a": "one"}}}
    assert episode.step({"answer": 2}) == {"messages": [], "done": True, "outcome": {**OUTCOME, "state": 2}}


def test_a_harness_that_ends_at_once_has_an_outcome() -> None:
    def run() -> Iterator[Any]:
        yield from ()
        return OUTCOME

    assert begun(run)[1] == {"messages": [], "done": True, "outcome": OUTCOME}


@pytest.mark.parametrize("made", [lambda: OUTCOME, lambda: iter([OUTCOME]), lambda: None, lambda: [OUTCOME]])
def test_what_is_no_generator_is_no_harness(made: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="a harness is a generator"):
        begun(made)


async def _coroutine() -> None: ...


def test_a_coroutine_is_no_harness() -> None:
    made = _coroutine()
    with pytest.raises(TypeError, match="a harness is a generator"):
        begun(lambda: made)
    made.close()


class _NoWords:
    def __repr__(self) -> str:
        return "x" * 10_000


@pytest.mark.parametrize(
    "action", [None, "complete", [], {}, {"say": 1}, {"complete": [], "call": "f"}, {1: 2}, _NoWords()], ids=range(8)
)
def test_what_is_no_action_is_refused_in_a_short_sentence(action: object) -> None:
    def run() -> Iterator[object]:
        yield action

    with pytest.raises(TypeError, match="one of complete, call, act, branch, undo, all") as raised:
        begun(run)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("outcome", [None, [], "done", {}, {"messages": None}, {"messages": "x"}, {"messages": ()}])
def test_an_outcome_without_a_conversation_is_refused(outcome: object) -> None:
    def run() -> Iterator[Any]:
        yield {"act": 1}
        return outcome

    episode, _ = begun(run)
    with pytest.raises(TypeError, match="the whole conversation"):
        episode.step({"answer": None})


def test_a_harness_that_has_ended_judges_nothing_more() -> None:
    """A second outcome would be judged as another episode's."""

    def run() -> Iterator[Any]:
        yield {"act": 1}
        return OUTCOME

    episode, _ = begun(run)
    assert episode.step({"answer": None})["done"]
    with pytest.raises(TypeError, match="the whole conversation"):
        episode.step({"answer": None})


def test_an_exception_is_the_authors_and_ends_the_episode() -> None:
    def run() -> Iterator[Any]:
        yield {"act": 1}
        raise KeyError("lost")

    episode, _ = begun(run)
    with pytest.raises(KeyError, match="lost"):
        episode.step({"answer": None})
    with pytest.raises(TypeError):
        episode.step({"answer": None})


def test_a_reset_begins_anew_with_the_same_task() -> None:
    def run(seed: int) -> Iterator[Any]:
        yield {"act": seed}

    episode, _ = begun(run)
    assert episode.reset(GIVEN, 8)["action"] == {"act": 8}
    assert episode.reset(GIVEN, 9)["action"] == {"act": 9}


def test_a_harness_cannot_change_what_the_next_one_is_given() -> None:
    def run(**given: Any) -> Iterator[Any]:
        assert sorted(given) == sorted(HARNESS_NAMES)
        given.clear()
        yield {"act": 1}

    episode, _ = begun(run)
    assert episode.reset(GIVEN, 7)["action"] == {"act": 1}
