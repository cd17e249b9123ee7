"""A harness that asks at once, branches its session and takes steps back, on a session in memory; no box is needed."""

import threading

import pytest

from hub_client.evaluation import built_in_loop
from hub_client.evaluation.attempt import MOST_BRANCHES, HarnessFailedError
from hub_client.evaluation.built_in_loop import BuiltInLoop
from hub_client.evaluation.harness import MAX_ACTIONS, Harness
from hub_client.transport.chat_endpoint import ContextOverflowError
from tests.fakes.runner import FakeSession
from tests.hub_client.evaluation.test_built_in_loop import MANIFEST, TASK, Parrot, environment, with_session


def said(text):
    return {"role": "assistant", "content": text}


class Forking(FakeSession):
    """Keeps what was said; each step earns the length of its message. It knows its branches, and which are closed."""

    def __init__(self, task, seed, alive) -> None:
        super().__init__(task, seed)
        self.alive = alive
        alive.append(self)
        self.heard = []

    def step(self, message):
        self.heard.append(message["content"])
        return {"messages": [], "done": False, "rewards": {"correct": float(len(message["content"]))}}

    def state(self):
        return {"heard": self.heard}

    def branch(self):
        twin = Forking(self.task, self.seed, self.alive)
        twin.heard = list(self.heard)
        return twin

    def undo(self):
        self.heard.pop()

    def close(self):
        if self in self.alive:
            self.alive.remove(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@pytest.fixture
def play(monkeypatch):
    """Plays a generator of actions with a model; afterwards no session may be alive."""
    alive = []

    def go(actions, model=None, has_session=True):
        monkeypatch.setattr(built_in_loop, "run", lambda messages, session_tools, interactive: actions(messages))
        env, runner = environment(
            manifest=with_session(MANIFEST) if has_session else MANIFEST,
            session=lambda package, task, *, seed: Forking(task, seed, alive),
        )
        try:
            return Harness(BuiltInLoop(), runner).play(env, TASK, model or Parrot(), seed=0)
        finally:
            assert alive == []

    return go


def test_branches_go_on_independently_and_the_one_that_is_named_at_the_end_is_judged(play) -> None:
    def run(messages):
        yield {"act": said("a")}
        yield {"branch": "b"}
        yield {"act": said("bb"), "in": "b"}
        yield {"branch": "c", "of": "b"}
        yield {"act": said("ccc"), "in": "c"}
        yield {"act": said("dddd")}
        return {"messages": messages, "in": "c"}

    played = play(run)
    assert played.state == {"heard": ["a", "bb", "ccc"]}
    assert [rewards["correct"] for _, rewards in played.step_rewards] == [1.0, 2.0, 3.0]


def test_a_step_that_is_taken_back_earns_nothing(play) -> None:
    def run(messages):
        for text in ("a", "bb", "ccc"):
            yield {"act": said(text)}
            yield {"undo": "main"}
        yield {"act": said("dddd")}
        return {"messages": messages}

    played = play(run)
    assert played.state == {"heard": ["dddd"]}
    assert [rewards["correct"] for _, rewards in played.step_rewards] == [4.0]


def test_the_first_session_can_go_on_from_a_branch(play) -> None:
    def run(messages):
        yield {"branch": "kept"}
        for text in ("a", "b"):
            yield {"act": said(text)}
            yield {"branch": "main", "of": "kept"}
        yield {"act": said("c")}
        return {"messages": messages}

    assert play(run).state == {"heard": ["c"]}


def test_the_step_of_a_draft_counts_for_that_draft(play) -> None:
    class Counts(Parrot):
        def complete(self, messages, tools, *, seed):
            return said(f"draft {seed}")

    def run(messages):
        drafts = yield {"all": [{"complete": messages}] * 3}
        yield {"act": drafts[1]}
        yield {"act": said("of the harness itself")}
        return {"messages": messages}

    assert [number for number, _ in play(run, Counts()).step_rewards] == [2, 3]


def test_questions_that_are_asked_at_once_are_under_way_at_once_and_answered_in_order(play) -> None:
    met = threading.Barrier(3, timeout=30)

    class Meeting(Parrot):
        def complete(self, messages, tools, *, seed):
            met.wait()
            return {**said(str(seed)), "finish_reason": "length" if seed == 2 else "stop"}

    heard = []

    def run(messages):
        heard.extend((yield {"all": [{"complete": messages}] * 3}))
        return {"messages": messages}

    played = play(run, Meeting())
    assert [message["content"] for message in heard] == ["1", "2", "3"], "a seed each, by their order"
    assert (played.completions, played.truncated) == (3, 1)


def test_a_question_that_does_not_fit_ends_the_attempt_in_the_session_of_the_last_step(play) -> None:
    class Full(Parrot):
        def complete(self, messages, tools, *, seed):
            raise ContextOverflowError("too long")

    def run(messages):
        yield {"branch": "b"}
        yield {"act": said("there"), "in": "b"}
        yield {"all": [{"complete": messages}] * 2}
        return {"messages": messages}

    played = play(run, Full())
    assert (played.state, played.overflow) == ({"heard": ["there"]}, "too long")


def _too_many(messages):
    for number in range(MOST_BRANCHES + 1):
        yield {"branch": f"b{number}"}
    return {"messages": messages}


def _one(action):
    def run(messages):
        yield action
        return {"messages": messages}

    return run


def _judged_elsewhere(messages):
    yield {"branch": "b"}
    return {"messages": messages, "in": "c"}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (_one({"act": said("x"), "in": "b"}), "no session is called 'b'; there is: main"),
        (_one({"branch": "c", "of": "b"}), "no session is called 'b'"),
        (_one({"undo": "main"}), "a step of 'main', which has none"),
        (_judged_elsewhere, "no session is called 'c'; there is: main, b"),
        (_too_many, f"has {MOST_BRANCHES} branches"),
        (_one({"all": [{"complete": []}] * (MAX_ACTIONS + 1)}), f"within {MAX_ACTIONS} actions"),
    ],
)
def test_what_cannot_be_done_breaks_the_attempt_and_says_why(run, words, play) -> None:
    with pytest.raises(HarnessFailedError, match=words):
        play(run)


@pytest.mark.parametrize("action", [{"branch": "b"}, {"undo": "main"}, {"all": [{"act": said("x")}]}])
def test_without_a_session_there_is_nothing_to_branch(action, play) -> None:
    with pytest.raises(HarnessFailedError, match="this environment has no session"):
        play(_one(action), has_session=False)
