"""Harnesses that nobody here would write: what each call wrote is learnt from once, behind just what it was given."""

import json
import math
from contextlib import contextmanager

import pytest
import torch

import hub_client.evaluation.harness as harness_module
from hub_client.errors import CheckFailedError
from hub_client.evaluation.built_in_loop import _GeneratorEpisode
from hub_client.evaluation.harness import Harness
from schemas.manifest import RewardDeclaration
from schemas.task import Task
from tests.trainer_bridge.sessions_in_memory import Counting, SessionHub
from trainer_bridge.errors import NoSignalError
from trainer_bridge.learn.learner import Learner
from trainer_bridge.loop import train
from trainer_bridge.recipe import load_recipe
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.rewards import merge_spaces
from trainer_bridge.rollout import rollouts as rollouts_module
from trainer_bridge.rollout.chat import ChatModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.rollouts import Draw, as_batch, as_samples
from trainer_bridge.rollout.scorer import Scorer
from trainer_bridge.rollout.worker import PlayLimits, RolloutWorker

SPACE = merge_spaces({"test/counting": {"digits": RewardDeclaration()}})
TOOL = {"type": "function", "function": {"name": "roll", "parameters": {"type": "object"}}}


def user(text):
    return {"role": "user", "content": text}


def undo_and_branch(messages):
    """Goes on, takes it back, goes on otherwise, comes back to the first branch."""
    first = yield {"complete": messages}
    second = yield {"complete": [*messages, first, user("go on")]}
    other = yield {"complete": [*messages, first, user("no: otherwise")]}
    yield {"complete": [*messages, first, user("go on"), second, user("and then?")]}
    yield {"complete": [*messages, first, user("no: otherwise"), other, user("and then?")]}
    again = yield {"complete": messages}
    yield {"complete": [*messages, again, user("go on")]}
    return {"messages": [*messages, first]}


def reorder(messages):
    """Gives the history backwards."""
    history = list(messages)
    for turn in range(4):
        reply = yield {"complete": list(reversed(history))}
        history += [reply, user(f"turn {turn}")]
    return {"messages": history}


def edit_the_system_prompt(messages):
    """Says something else first in every call."""
    history = list(messages)
    for turn in range(4):
        system = {"role": "system", "content": f"Call {turn}: be brief."}
        reply = yield {"complete": [system, *history]}
        history += [reply, user("more")]
    return {"messages": history}


def forget(messages):
    """Keeps the last two messages alone."""
    history = list(messages)
    for turn in range(5):
        reply = yield {"complete": history[-2:]}
        history += [reply, user(f"turn {turn}")]
    return {"messages": history}


def rewrite_answers(messages):
    """Sends on another answer than was given."""
    history = list(messages)
    for _ in range(3):
        reply = yield {"complete": history}
        history += [{**reply, "content": reply["content"][:2].upper()}, user("more")]
    return {"messages": history}


def ask_twice_the_same(messages):
    """Two drafts of one prompt, then a third that reads both."""
    one = yield {"complete": messages}
    two = yield {"complete": messages}
    best = yield {"complete": [*messages, user(f"{one['content']} or {two['content']}?")]}
    return {"messages": [*messages, best]}


def cut_at_stops(messages):
    """Ends each answer at a digit or a letter, and sends on what is left."""
    history = list(messages)
    for turn in range(4):
        reply = yield {"complete": history, "stop": [*"0123456789abcdef"]}
        history += [reply, user(f"turn {turn}")]
    return {"messages": history}


def offer_tools_now_and_then(messages):
    """Tools in every other call, which all fail half of the time; the model reads the failures."""
    history = list(messages)
    for turn in range(4):
        reply = yield {"complete": history, "tools": [TOOL] if turn % 2 else []}
        result = yield {"call": "roll", "arguments": {}}
        history += [reply, user(result)]
    return {"messages": history}


def search_in_branches(messages):
    """Two drafts at once, a step of each in a session of its own at once; goes on from the second, and takes one back."""
    drafts = yield {"all": [{"complete": messages}] * 2}
    yield {"branch": "b"}
    tried = yield {"all": [{"act": drafts[0]}, {"act": drafts[1], "in": "b"}]}
    history = [*messages, drafts[1], *tried[1]["messages"]]
    worse = yield {"complete": history}
    yield {"act": worse, "in": "b"}
    yield {"undo": "b"}
    other = yield {"complete": [*history, user("otherwise")]}
    yield {"act": other, "in": "b"}
    return {"messages": [*history, other], "in": "b"}


def end_on_an_answer(messages):
    """Asks to go on where nobody has said anything in between."""
    reply = yield {"complete": messages}
    more = yield {"complete": [*messages, reply]}
    return {"messages": [*messages, reply, more]}


def as_often_as_is_allowed(messages):
    """One conversation of as many calls as a harness may make."""
    history = list(messages)
    for _ in range(harness_module.MAX_ACTIONS):
        reply = yield {"complete": history[-3:]}
        history += [reply, user(".")]
    return {"messages": history}


def never(messages):
    """Answers by itself."""
    yield from ()
    return {"messages": [*messages, {"role": "assistant", "content": "12"}]}


class GeneratorLoop:
    blocks, version, key, package = False, "1", "strange:1", None

    def __init__(self, run):
        self.name, self._run = run.__name__, run

    @contextmanager
    def begin(self, given, seed):
        del seed
        yield _GeneratorEpisode(self._run(given["messages"]))


class HalfBroken(Counting):
    """A tool that fails every other time. Nothing is acted here: the state is judged as it began."""

    calls = 0

    def call_tool(self, name, arguments):
        self.calls += 1
        if self.calls % 2:
            raise CheckFailedError(f"{name} is out of order")
        return {"rolled": self.calls}


@pytest.fixture
def play(tiny, monkeypatch):
    """Rollouts under a harness, and what it was given and written call by call."""
    monkeypatch.setattr(harness_module, "MAX_ACTIONS", 12)
    calls = []
    merge = rollouts_module.merge
    monkeypatch.setattr(rollouts_module, "merge", lambda found: calls.append(list(found)) or merge(found))

    def go(run, length=5, slots=3):
        hub = SessionHub(HalfBroken)
        (environment,) = hub.environments.values()
        draws = [Draw(0, "test/counting", Task.read(row)) for row in environment.tasks("train", limit=2)]
        with Scorer([environment], lambda text: None) as scorer:
            worker = RolloutWorker(
                engine=open_engine(tiny, slots=slots),
                model=ChatModel(tiny, "tiny"),
                harness=Harness(GeneratorLoop(run), hub.runner()),
                environments=[environment],
                scorer=scorer,
                generator=torch.Generator().manual_seed(3),
                progress=NoProgress(),
                limits=PlayLimits(),
            )
            rollouts, _ = worker.collect(draws, 2, length, Sampling(1.0))
        return rollouts, calls

    return go


STRANGE = [
    undo_and_branch, reorder, edit_the_system_prompt, forget, rewrite_answers, ask_twice_the_same, cut_at_stops,
    offer_tools_now_and_then, end_on_an_answer, as_often_as_is_allowed, search_in_branches,
]  # fmt: skip


@pytest.mark.parametrize("run", STRANGE)
def test_every_call_is_learnt_from_once_behind_just_what_it_was_given(run, play, tiny, make_settings):
    rollouts, calls = play(run)
    assert [rollout.verdict.error for rollout in rollouts] == [None] * 4
    for rollout, made in zip(rollouts, calls, strict=True):
        assert rollout.turns == len(made) > 1
        found = {}
        for sequence in rollout.sequences:
            for place, number in enumerate(sequence.call):
                if number >= 0:
                    before = (*sequence.prompt, *sequence.tokens[:place])
                    found.setdefault(number, []).append((sequence.tokens[place], sequence.logprobs[place], before))
        assert sorted(found) == list(range(len(made)))
        for number, call in enumerate(made):
            tokens, logprobs, before = zip(*found[number], strict=True)
            assert (tokens, logprobs) == (call.tokens, call.logprobs)
            assert before == tuple((*call.prompt, *call.tokens[:place]) for place in range(len(call.tokens)))
    batch = as_batch(rollouts, SPACE, torch.device("cpu"))
    learner = Learner(tiny.model, load_recipe("rloo"), make_settings(temperature=1.0))
    measured, _ = learner.measure(as_samples(rollouts), batch.mask_BT.shape[1])
    assert ((measured - batch.sampler_logprobs_BT) * batch.mask_BT).abs().max() < 1e-4
    assert batch.length_B.tolist() == [sum(len(call.tokens) for call in made) for made in calls]


def test_a_conversation_that_goes_on_is_one_sequence_and_one_that_was_cut_is_begun_anew(play):
    rollouts, calls = play(cut_at_stops, length=12)
    cut = [call for made in calls for call in made if len(call.tokens) < 12]
    assert cut, "some were stopped"
    assert all(len(rollout.sequences) > 1 for rollout in rollouts)


def test_a_turn_earns_what_its_own_step_earned_in_the_session_that_is_judged_and_nothing_for_one_taken_back(play):
    rollouts, _ = play(search_in_branches)
    for rollout in rollouts:
        digits = rollout.verdict.rewards["digits"]
        (first, earned), (second, more) = rollout.turn_rewards
        assert (first, second) == (1, 3), "the second draft and the last call, and not what was taken back"
        assert digits == pytest.approx((earned["digits"] + more["digits"]) / 2)


def test_what_a_failed_tool_says_is_read_and_never_learnt(play, tiny):
    rollouts, _ = play(offer_tools_now_and_then)
    for rollout in rollouts:
        shown = [tiny.tokenizer.decode((*one.prompt, *one.tokens)) for one in rollout.sequences]
        assert any("out of order" in text for text in shown)
        assert any("rolled" in text for text in shown)
        own = [
            token for one in rollout.sequences for token, call in zip(one.tokens, one.call, strict=True) if call >= 0
        ]
        assert "out of order" not in tiny.tokenizer.decode(own)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"complete": [], "temperature": 0}, "'temperature' beside 'complete', where stop, tools may stand"),
        ({"act": {"role": "assistant", "content": "1"}, "tools": []}, "'tools' beside 'act', where in may stand"),
        ({"complete": [], "stop": [""]}, "strings that are not empty"),
        ({"complete": [], "stop": 3}, "strings that are not empty"),
    ],
)
def test_what_would_have_no_effect_breaks_the_rollout(action, words, play):
    def run(messages):
        yield action
        return {"messages": messages}

    rollouts, _ = play(run)
    assert all(words in rollout.verdict.error.message for rollout in rollouts)


SAID = {"role": "user", "content": "x"}


@pytest.mark.parametrize(
    "action",
    [
        7,
        {"wish": 1},
        {"complete": [SAID], "act": SAID},
        {"complete": 5},
        {"complete": "abc"},
        {"complete": [5]},
        {"complete": [{"content": "x"}]},
        {"complete": [{"role": "user", "content": 5}]},
        {"complete": [{"role": "assistant", "tool_calls": [5]}]},
        {"complete": [{"role": "assistant", "tool_calls": [{"function": {}}]}]},
        {"complete": [SAID], "tools": 5},
        {"complete": [SAID], "tools": [5]},
        {"complete": [SAID], "stop": [str(number) for number in range(10_000)]},
        {"complete": [SAID], "stop": "x" * 1_000_000},
        {"act": 5},
    ],
    ids=lambda action: repr(action)[:60],
)
def test_an_action_that_nobody_can_execute_breaks_its_rollout_and_not_the_run(action, play):
    def run(messages):
        yield action
        return {"messages": messages}

    rollouts, _ = play(run, length=1)
    assert all(rollout.verdict.error is not None for rollout in rollouts)


@pytest.mark.parametrize("outcome", [None, 5, {}, {"messages": 5}, {"messages": [5]}, {"messages": [{"content": "x"}]}])
def test_an_outcome_that_is_no_conversation_breaks_its_rollout_and_not_the_run(outcome, play):
    def run(messages):
        yield {"complete": messages}
        return outcome

    rollouts, _ = play(run, length=1)
    assert all(rollout.verdict.error is not None for rollout in rollouts)


def test_messages_that_the_template_refuses_break_their_rollout_and_not_the_run(play, tiny, monkeypatch):
    """Some templates want users and assistants in turn, and refuse other messages with an error of their own."""
    strict = "{% if messages[0].role != 'user' %}{{ raise_exception('users begin') }}{% endif %}"
    monkeypatch.setattr(tiny.tokenizer, "chat_template", strict + tiny.tokenizer.chat_template)

    def run(messages):
        yield {"complete": [{"role": "assistant", "content": "I begin"}, *messages]}
        return {"messages": messages}

    rollouts, _ = play(run, length=1)
    assert all("users begin" in rollout.verdict.error.message for rollout in rollouts)


def test_one_action_more_than_is_allowed_breaks_the_rollout(play):
    def too_often(messages):
        for _ in range(harness_module.MAX_ACTIONS + 1):
            yield {"complete": messages}
        return {"messages": messages}

    rollouts, _ = play(too_often, length=1)
    assert all("did not end within 12 actions" in rollout.verdict.error.message for rollout in rollouts)


def test_a_harness_that_never_asks_teaches_nothing_and_the_run_says_so(play, make_settings, monkeypatch):
    rollouts, _ = play(never)
    assert [(rollout.turns, rollout.sequences) for rollout in rollouts] == [(0, ())] * 4
    assert as_batch(rollouts, SPACE, torch.device("cpu")).length_B.tolist() == [0] * 4
    hub = SessionHub(Counting)
    monkeypatch.setattr("trainer_bridge.build.open_harness", lambda *_: Harness(GeneratorLoop(never), hub.runner()))
    with pytest.raises(NoSignalError, match="no sample asked the model for anything"):
        train(make_settings(targets=("test/counting",), recipe="dr_grpo", steps=8, eval_tasks=2), hub=hub)


def test_a_run_under_one_is_finite_and_reports_its_calls(make_settings, monkeypatch):
    hub = SessionHub(HalfBroken)
    loop = GeneratorLoop(undo_and_branch)
    monkeypatch.setattr("trainer_bridge.build.open_harness", lambda *_: Harness(loop, hub.runner()))
    settings = make_settings(
        targets=("test/counting",), recipe="dr_grpo", steps=1, eval_tasks=0, max_completion_length=3, prompts_per_step=1
    )
    train(settings, hub=hub)
    metrics = json.loads((settings.output / "metrics.jsonl").read_text().splitlines()[-1])["values"]
    assert metrics["rollout/turns"] == 7
    assert math.isfinite(metrics["loss"] + metrics["grad_norm"])
