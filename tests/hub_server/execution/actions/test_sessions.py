"""A live episode and its branches: addressed by name, bounded, and closed whatever happens."""

from contextlib import contextmanager
from typing import Any

import pytest

from hub_server.catalog.errors import QuarantinedError, TaskNotFoundError
from hub_server.errors import ExecutionUnavailableError, InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.execution.actions.sessions import MAX_BRANCHES, LiveEpisode, session_release
from hub_server.execution.errors import NothingToExecuteError
from hub_server.moderation.actions import quarantine_release
from schemas.session import SessionRequest
from tests.fakes.executor import FakeSession
from tests.hub_server.execution.played import ALICE, BOB, MODA, SUMS, narrow
from tests.making.action_driver import ActionDriver

OWN = {"id": "own", "prompt": "hello"}


class Watched(FakeSession):
    """Knows whether it was closed."""

    open_now: list["Watched"] = []  # noqa: RUF012 -- emptied by each test

    def __init__(self, task: dict[str, Any], turns: tuple[str, ...] = ()) -> None:
        super().__init__(task, turns)
        self.open_now.append(self)

    def branch(self) -> "Watched":
        return Watched(self._task, tuple(self._turns))

    def close(self) -> None:
        super().close()
        if self in self.open_now:
            self.open_now.remove(self)


@pytest.fixture
def episode(playable: ActionDriver) -> LiveEpisode:
    Watched.open_now.clear()
    playable.boxes = []

    @contextmanager
    def session(_release: Any, task: dict[str, Any], *, seed: int):
        playable.boxes.append(seed)
        yield Watched(task)
        playable.boxes.remove(seed)

    playable.executor.session = session
    return LiveEpisode(playable.services, playable.ask(BOB, session_release, SUMS, "1.0.0"))


def ask(episode: LiveEpisode, op: str, **more: Any) -> dict[str, Any]:
    return episode.handle(SessionRequest(id="1", op=op, **more))


def say(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize(
    ("by", "error"), [(None, NotAuthenticatedError), (narrow("bob"), NotAllowedError), (BOB, None), (ALICE, None)]
)
def test_who_may_hold_a_box(playable: ActionDriver, by, error) -> None:
    if error is None:
        assert playable.ask(by, session_release, SUMS, "latest").version == "1.0.0"
    else:
        with pytest.raises(error):
            playable.ask(by, session_release, SUMS, "latest")


def test_a_quarantined_session_is_played_by_moderators_alone(playable: ActionDriver) -> None:
    playable.do(MODA, quarantine_release, SUMS, "1.0.0", "steals")
    with pytest.raises(QuarantinedError):
        playable.ask(ALICE, session_release, SUMS, "1.0.0")
    assert playable.ask(MODA, session_release, SUMS, "1.0.0").version == "1.0.0"
    with pytest.raises(NothingToExecuteError):
        playable.ask(BOB, session_release, "alice/look", "latest")


@pytest.mark.parametrize("op", ["reset", "step", "state", "branch", "undo", "close"])
def test_before_an_episode_began_there_is_nothing_to_act_on(episode: LiveEpisode, op: str) -> None:
    with pytest.raises(InvalidRequestError, match="reset one with a task first"):
        ask(episode, op)


def test_branches_go_their_own_ways(episode: LiveEpisode) -> None:
    ask(episode, "reset", task=OWN)
    ask(episode, "step", message=say("one"))
    name = ask(episode, "branch")["session"]
    ask(episode, "step", message=say("two"), session=name)
    assert ask(episode, "state") == {"turns": ["one"]}
    assert ask(episode, "state", session=name) == {"turns": ["one", "two"]}
    deeper = ask(episode, "branch", session=name)["session"]
    assert ask(episode, "undo", session=deeper) == {}
    assert ask(episode, "state", session=deeper) == {"turns": ["one"]}
    assert len({"main", name, deeper}) == 3


def test_a_closed_branchs_name_is_never_given_out_again(episode: LiveEpisode) -> None:
    ask(episode, "reset", task=OWN)
    first = ask(episode, "branch")["session"]
    ask(episode, "close", session=first)
    assert ask(episode, "branch")["session"] != first
    with pytest.raises(InvalidRequestError):
        ask(episode, "state", session=first)


def test_branches_are_bounded_and_closing_one_makes_room(episode: LiveEpisode) -> None:
    ask(episode, "reset", task=OWN)
    names = [ask(episode, "branch")["session"] for _ in range(MAX_BRANCHES - 1)]
    with pytest.raises(InvalidRequestError, match="close some first"):
        ask(episode, "branch")
    ask(episode, "close", session=names[0])
    assert ask(episode, "branch")["session"]


def test_a_step_needs_a_message_and_the_episode_lives_on_without_one(episode: LiveEpisode) -> None:
    ask(episode, "reset", task=OWN)
    with pytest.raises(InvalidRequestError, match="step needs message"):
        ask(episode, "step")
    assert ask(episode, "state") == {"turns": []}


def test_a_new_task_ends_everything_of_the_old_and_no_box_is_left(playable: ActionDriver, episode: LiveEpisode) -> None:
    ask(episode, "reset", task=OWN, seed=1)
    name = ask(episode, "branch")["session"]
    ask(episode, "reset", task_id="t1", seed=2)
    assert playable.boxes == [2]
    assert len(Watched.open_now) == 1
    with pytest.raises(InvalidRequestError):
        ask(episode, "state", session=name)


def test_a_reset_without_a_task_begins_the_same_one_again(playable: ActionDriver, episode: LiveEpisode) -> None:
    ask(episode, "reset", task=OWN, seed=1)
    ask(episode, "step", message=say("one"))
    assert ask(episode, "reset")["messages"] == [{"role": "user", "content": "hello"}]
    assert ask(episode, "state") == {"turns": []}
    assert playable.boxes == [1], "the same box"


@pytest.mark.parametrize(
    "wanted", [{"task_id": "t99"}, {"task_id": "t1", "split": "none"}, {"task_id": "endless-0-0", "split": "endless"}]
)
def test_a_task_that_is_not_there_leaves_the_running_episode_alone(episode: LiveEpisode, wanted) -> None:
    ask(episode, "reset", task=OWN)
    ask(episode, "step", message=say("one"))
    with pytest.raises(TaskNotFoundError):
        ask(episode, "reset", **wanted)
    assert ask(episode, "state") == {"turns": ["one"]}


def test_closing_ends_every_branch_and_the_box_and_may_be_asked_twice(
    playable: ActionDriver, episode: LiveEpisode
) -> None:
    ask(episode, "reset", task=OWN)
    for _ in range(3):
        ask(episode, "branch")
    for _ in range(2):
        episode.close()
        assert (Watched.open_now, playable.boxes) == ([], [])


def test_a_session_that_cannot_be_closed_keeps_neither_the_others_nor_the_box(
    episode: LiveEpisode, playable: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its node is lost, say. The branches behind it and the box stayed until they had been idle for long enough."""
    ask(episode, "reset", task=OWN, seed=3)
    ask(episode, "branch")
    main, branch = Watched.open_now

    def lost() -> None:
        raise ExecutionUnavailableError("the node is lost")

    monkeypatch.setattr(main, "close", lost)
    with pytest.raises(ExecutionUnavailableError):
        episode.close()
    assert branch not in Watched.open_now
    assert playable.boxes == []
    episode.close()  # nothing is left that would fail again
