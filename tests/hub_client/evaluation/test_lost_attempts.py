"""What is lost with a box, the engine or the hub is tried again a few times; what the model or the author did, is not."""

import pytest

from hub_client.commands.evaluate import _cell_lines
from hub_client.errors import (
    CheckFailedError,
    EndpointRefusedError,
    HubClientError,
    HubUnreachableError,
    NotLoggedInError,
    PolicyError,
    SandboxMissingError,
    SessionLostError,
)
from hub_client.evaluation import lost_attempts
from hub_client.evaluation.attempt import HarnessFailedError, HarnessLostError
from hub_client.evaluation.attempt_log import AttemptLog
from hub_client.evaluation.built_in_loop import BuiltInLoop
from hub_client.evaluation.evaluate import Cell, _Player, judge_cell, play_cell
from hub_client.evaluation.harness import Harness
from hub_client.evaluation.lost_attempts import LONGEST_OUTAGE, Outage, Tries
from schemas.problem import Problem, ProblemCode
from tests.fakes.runner import FakeSession
from tests.hub_client.evaluation.test_built_in_loop import TASK, Parrot, environment, with_session
from tests.making.wheel import MANIFEST

FULL = PolicyError("8 episodes", problem=Problem(title="", status=429, code=ProblemCode.TOO_MANY_REQUESTS, detail=""))


def pauses(tries: Tries, error: Exception) -> list[float]:
    """The pauses before all further tries."""
    found: list[float] = []
    while (pause := tries.pause_after(error)) is not None:
        found.append(pause)
    return found


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (HarnessLostError("the box was lost"), [0.0, 1.0]),
        (HarnessFailedError("KeyError"), []),
        (HubUnreachableError("no answer"), [1.0, 5.0, 25.0]),
        (SandboxMissingError("no engine"), [1.0, 5.0, 25.0]),
        (FULL, [1.0, 5.0, 25.0]),
    ],
)
def test_how_often_and_when_an_attempt_is_played_again(error, expected):
    tries = Tries()
    assert pauses(tries, error) == expected
    assert tries.lost == (0 if type(error) is HarnessFailedError else len(expected) + 1)


@pytest.mark.parametrize("error", [PolicyError("quarantined"), NotLoggedInError("revoked")])
def test_what_no_other_try_would_escape_is_raised(error):
    with pytest.raises(type(error)):
        Tries().pause_after(error)


def test_nobody_waits_for_what_has_been_away_for_five_minutes_until_it_has_answered():
    now = [0.0]
    outage = Outage(clock=lambda: now[0])
    away = HubUnreachableError("no answer")
    assert len(pauses(Tries(outage), away)) == 3
    now[0] = LONGEST_OUTAGE
    assert len(pauses(Tries(outage), away)) == 3
    now[0] += 1
    assert pauses(Tries(outage), away) == []
    outage.end()
    assert len(pauses(Tries(outage), away)) == 3


@pytest.fixture
def evaluate(monkeypatch, tmp_path):
    """Play one task twice in sessions of a class; the result of the cell, and how often the model was asked."""
    monkeypatch.setattr(lost_attempts, "LOST_BOX_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(lost_attempts, "AWAY_PAUSES", (0.0, 0.0, 0.0))

    def play(session, model=None):
        env, runner = environment(
            manifest=with_session(MANIFEST), session=lambda package, task, *, seed: session(task, seed)
        )
        cell = Cell(env, Harness(BuiltInLoop(), runner), {"t1": TASK}, samples=2, seed=0)
        model = model or Parrot()
        log = AttemptLog(tmp_path, {})
        return judge_cell(cell, play_cell(cell, model, log, workers=1, say=lambda *_: None)), len(model.asked)

    return play


def failing(error: Exception, times: int, turn: int = 2):
    """A session that fails in this turn (0: in reset); the first ``times`` of all."""
    left = [times]

    class Failing(FakeSession):
        def fail(self, now: int) -> None:
            if now == turn and left[0]:
                left[0] -= 1
                raise error

        def reset(self):
            self.fail(0)
            return super().reset()

        def step(self, message):
            self.fail(len(self.said) + 1)
            return super().step(message)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    return Failing


@pytest.mark.parametrize(
    ("error", "turn"), [(SessionLostError("box lost"), 2), (HubUnreachableError("no answer"), 2), (FULL, 0)]
)
def test_an_evaluation_plays_again_what_was_lost_and_says_so(error, turn, evaluate):
    result, asked = evaluate(failing(error, 2, turn))
    assert (result.failed, result.unjudged, result.played_again) == (0, 0, 1)
    assert result.summary().played_again == 1, "the hub is told, and the run's page says so"
    assert result.counts == {"t1": (2, 2)}
    assert asked == 4 + 2 * turn, "two questions an attempt, and those of the two lost tries"
    assert "  1 of 2 attempts lost a box, the engine or the hub on the way, and were played again" in _cell_lines(
        result, 64
    )


def test_an_attempt_that_is_lost_in_every_try_is_left_out_and_never_wrong(evaluate):
    result, _ = evaluate(failing(SessionLostError("the session's process died"), 3))
    assert (result.failed, result.played_again, result.counts) == (1, 1, {"t1": (1, 1)})


def test_a_hub_that_stays_away_ends_the_evaluation_which_goes_on_later(evaluate):
    with pytest.raises(HubUnreachableError, match="no answer"):
        evaluate(failing(HubUnreachableError("no answer"), 1000))
    result, _ = evaluate(failing(HubUnreachableError("no answer"), 0))
    assert result.counts == {"t1": (2, 2)}


def test_a_models_server_that_is_away_is_not_asked_again_from_the_start(evaluate):
    """It was asked six times already, and every other answer of the attempt would be paid for once more."""

    class Away(Parrot):
        def complete(self, messages, tools, *, seed):
            super().complete(messages, tools, seed=seed)
            raise EndpointRefusedError("http://model", 503, "busy")

    model = Away()
    with pytest.raises(EndpointRefusedError):
        evaluate(failing(SessionLostError(""), 0), model)
    assert len(model.asked) == 1


@pytest.mark.parametrize("error", [SessionLostError("killed"), CheckFailedError("cut"), HubUnreachableError("gone")])
def test_what_fails_after_a_stop_is_not_kept_and_is_played_by_the_next_command(error, tmp_path):
    """Ctrl-C reaches the processes of boxes too: what they lost has not been tried as often as any other."""
    env, runner = environment(
        manifest=with_session(MANIFEST), session=lambda package, task, *, seed: failing(error, 9)(task, seed)
    )
    cell = Cell(env, Harness(BuiltInLoop(), runner), {"t1": TASK}, samples=1, seed=0)

    class Stops(Parrot):
        def complete(self, messages, tools, *, seed):
            player.stopped.set()
            return super().complete(messages, tools, seed=seed)

    log, model = AttemptLog(tmp_path, {}), Stops()
    player = _Player(cell, model)
    with pytest.raises(HubClientError):
        player.play_and_keep(log, "t1", 0)
    assert model.asked
    assert log.find(cell.key, "t1", 0) is None


def test_a_stop_during_a_pause_ends_the_attempt_without_a_result(tmp_path, monkeypatch):
    env, runner = environment(
        manifest=with_session(MANIFEST),
        session=lambda package, task, *, seed: failing(SessionLostError("killed"), 9)(task, seed),
    )
    cell = Cell(env, Harness(BuiltInLoop(), runner), {"t1": TASK}, samples=1, seed=0)
    log, player = AttemptLog(tmp_path, {}), _Player(cell, Parrot())
    monkeypatch.setattr(player.stopped, "wait", lambda _seconds: True)
    with pytest.raises(HubClientError, match="killed"):
        player.play_and_keep(log, "t1", 0)
    assert log.find(cell.key, "t1", 0) is None
