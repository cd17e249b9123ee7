"""Sampling ahead: what is learnt is what one thread after the other would learn, one update late; and nothing is lost."""

import json
import signal
import threading
from concurrent.futures import Future

import pytest
import torch
from safetensors.torch import load_file

import trainer_bridge.samples_ahead
from schemas.verdict import ErrorKind, Verdict
from tests.trainer_bridge.sessions_in_memory import Counting, Dying, SessionHub
from trainer_bridge.errors import CheckpointMismatchError, NonFiniteLossError, ScoringError, SettingsError
from trainer_bridge.learn.learner import Learner
from trainer_bridge.loop import train
from trainer_bridge.ranks import Ranks
from trainer_bridge.recipe import load_recipe
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.samples_ahead import corrected_for_staleness

CORRECTED = {"token_weights": ["truncated_importance"]}
LONGEST_WAIT = 60.0


def same_weights(one, two, away=0.0):
    one, two = (load_file(result.model_folder / "model.safetensors") for result in (one, two))
    return all(torch.allclose(one[name], two[name], rtol=0, atol=away) for name in one)


class InPlaceOfAThread:
    """Does at once what it is told to do later."""

    def __init__(self, *_):
        pass

    def submit(self, work, *given):
        done = Future()
        done.set_result(work(*given))
        return done

    def shutdown(self):
        pass


@pytest.fixture
def trained(fake_hub, make_settings, tmp_path):
    """Train into a folder of this name; returns the result and the hub."""

    def run(name, hub=None, **changes):
        hub = hub or fake_hub()
        return train(make_settings(output=tmp_path / name, threads=1, **changes), hub=hub), hub

    return run


def by_step(hub, name):
    return {point.step: point.values[name] for point in hub.runs.points if name in point.values}


def test_with_no_staleness_a_run_is_the_serial_loops_to_the_bit(trained, monkeypatch):
    serial, _ = trained("serial", steps=4, recipe_overrides=CORRECTED)
    monkeypatch.setattr(trainer_bridge.samples_ahead.SamplesAhead, "start", lambda self: None)
    apart, hub = trained("apart", steps=4, max_staleness=1)
    assert set(by_step(hub, "sampling/staleness").values()) == {0.0}
    assert same_weights(serial, apart), "the copy that writes the samples writes what the model would"


def test_a_thread_changes_nothing_but_the_time(trained, monkeypatch):
    ahead, hub = trained("ahead", steps=5, max_staleness=1)
    monkeypatch.setattr(trainer_bridge.samples_ahead, "ThreadPoolExecutor", InPlaceOfAThread)
    one_after_the_other, _ = trained("one", steps=5, max_staleness=1)
    assert same_weights(ahead, one_after_the_other)
    assert by_step(hub, "sampling/staleness") == {1: 0.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0}


def test_adapters_are_copied_for_sampling_as_whole_weights_are(trained, monkeypatch):
    lora = {"lora_r": 2, "learning_rate": 2e-2, "steps": 4, "eval_tasks": 0}
    serial, _ = trained("serial", recipe_overrides=CORRECTED, **lora)
    _, hub = trained("ahead", max_staleness=1, **lora)
    monkeypatch.setattr(trainer_bridge.samples_ahead.SamplesAhead, "start", lambda self: None)
    apart, _ = trained("apart", max_staleness=1, **lora)
    assert same_weights(serial, apart)
    fresh, *stale = by_step(hub, "mismatch_kl/mean").values()
    assert fresh < 1e-6
    assert min(stale) > 1e-6, "adapters that were not copied would be those that are trained"


def test_an_evaluation_measures_the_weights_of_now_and_not_those_that_sampled(trained, tmp_path):
    trained("ahead", steps=3, max_staleness=1, learning_rate=2e-2, eval_tasks=4, num_generations_eval=1)
    again = {"steps": 0, "eval_tasks": 4, "model": str(tmp_path / "ahead" / "model")}
    trained("again", **again)
    told = {}
    for name, phase in (("ahead", "eval_after"), ("again", "eval_before")):
        rows = map(json.loads, (tmp_path / name / "rollouts.jsonl").read_text().splitlines())
        told[name] = [(row["task_id"], row["response"]) for row in rows if row["phase"] == phase]
    assert told["ahead"] == told["again"]


def test_a_session_that_dies_ahead_masks_its_own_rollout_as_it_does_in_a_step(make_settings, monkeypatch):
    changes = {"targets": ("test/counting",), "steps": 4, "eval_tasks": 0, "recipe": "dr_grpo", "threads": 1,
               "prompts_per_step": 4, "max_staleness": 1}  # fmt: skip
    settings = make_settings(**changes)
    hub = SessionHub(Dying)
    ahead = train(settings, hub=hub)
    unjudged = by_step(hub, "rewards/digits/unjudged")
    assert any(0 < share < 1 for share in unjudged.values()), "some died, some did not"
    monkeypatch.setattr(trainer_bridge.samples_ahead, "ThreadPoolExecutor", InPlaceOfAThread)
    one = train(settings.model_copy(update={"output": settings.output.with_name("one")}), hub=SessionHub(Dying))
    assert same_weights(ahead, one, away=1e-4), "turns of sessions are computed together as they come"


def test_samples_are_one_update_old_and_are_weighed_by_it(trained):
    _, serial = trained("serial", steps=3, learning_rate=2e-2, recipe_overrides=CORRECTED)
    _, ahead = trained("ahead", steps=3, learning_rate=2e-2, max_staleness=1)
    assert max(by_step(serial, "mismatch_kl/mean").values()) < 1e-6
    fresh, *stale = by_step(ahead, "mismatch_kl/mean").values()
    assert fresh < 1e-6
    assert min(stale) > 1e-4
    assert "sampling/staleness" not in serial.runs.points[-1].values


def test_the_first_step_learns_before_a_slow_environment_has_answered_for_the_second(make_settings, monkeypatch):
    learnt, update = threading.Event(), Learner.update

    def updating(self, *given, **named):
        found = update(self, *given, **named)
        learnt.set()
        return found

    monkeypatch.setattr(Learner, "update", updating)
    waited = []

    class Slow(Counting):
        played = 0

        def step(self, message):
            Slow.played += 1
            if Slow.played > 2 * 4 * self.turns:  # of the second step's rollouts
                waited.append(learnt.wait(LONGEST_WAIT))
            return super().step(message)

    settings = make_settings(targets=("test/counting",), steps=2, eval_tasks=0, recipe="dr_grpo", max_staleness=1)
    train(settings, hub=SessionHub(Slow))
    assert waited
    assert all(waited), "the second step's sessions ended although the first step had to be learnt for it"


def test_over_a_checkpoint_or_an_evaluation_nothing_is_sampled_ahead_and_resuming_is_exact(trained):
    whole, hub = trained("whole", steps=6, save_steps=2, eval_steps=3, max_staleness=1)
    assert by_step(hub, "sampling/staleness") == {1: 0.0, 2: 1.0, 3: 0.0, 4: 0.0, 5: 0.0, 6: 1.0}
    trained("cut", steps=5, save_steps=2, eval_steps=3, max_staleness=1)
    resumed, _ = trained("cut", steps=6, save_steps=2, eval_steps=3, max_staleness=1, resume=True)
    assert same_weights(whole, resumed)
    with pytest.raises(CheckpointMismatchError, match="save_steps was 2"):
        trained("cut", steps=6, save_steps=3, eval_steps=3, max_staleness=1, resume=True)


def test_ctrl_c_loses_no_task_that_was_sampled_ahead(trained, fake_hub, fake_environment, tmp_path):
    trained("whole", steps=4, max_staleness=1, rollouts_per_step=100)
    environment = fake_environment()
    judge, calls = environment.verify, []

    def interrupting(task, response):
        calls.append(1)
        if len(calls) == 4 + 8 + 3:  # the evaluation before, the first step, and into what is sampled ahead
            signal.raise_signal(signal.SIGINT)
        return judge(task, response)

    environment.verify = interrupting
    with pytest.raises(KeyboardInterrupt):
        trained("cut", hub=fake_hub(environment), steps=4, max_staleness=1, rollouts_per_step=100)
    trained("cut", steps=4, max_staleness=1, rollouts_per_step=100, resume=True)
    tasks = {}
    for name in ("whole", "cut"):
        rows = map(json.loads, (tmp_path / name / "rollouts.jsonl").read_text().splitlines())
        tasks[name] = sorted((row["step"], row["task_id"]) for row in rows if row["phase"] == "train")
    assert tasks["whole"] == tasks["cut"]


def test_what_breaks_while_sampling_ahead_ends_the_run_in_its_own_words(trained, fake_hub, fake_environment):
    environment = fake_environment()
    judge, calls = environment.verify, []

    def breaking(task, response):
        calls.append(1)
        return judge(task, response) if len(calls) <= 4 + 8 else {"digits": None}

    environment.verify = breaking
    with pytest.raises(ScoringError):
        trained("broken", hub=fake_hub(environment), max_staleness=1)


def test_a_round_of_refilling_that_nobody_judges_leaves_the_run_going(trained, fake_hub, fake_environment):
    """Only one task is drawn again, and its verifier breaks: it ended the run, though others were judged."""
    judged = []

    def breaking(task, response):
        judged.append(task["id"])
        if len(set(judged)) > 2:  # of each step's tasks, those after the first two, which all earn the same
            return Verdict.unjudged(["digits"], ErrorKind.VERIFIER_FAILED, "it raised")
        return {"digits": float(len(response) % 2) if task["id"] == judged[0] else 1.0}

    environment = fake_environment(verify=breaking)
    result, hub = trained("refilling", hub=fake_hub(environment), steps=1, eval_tasks=0)
    assert result.steps == 1
    [point] = [point for point in hub.runs.points if point.step == 1]
    assert point.values["sampling/generation_batches"] == 3
    assert 0 < point.values["rewards/digits/unjudged"] < 1


def test_when_learning_fails_the_sessions_that_were_begun_ahead_are_not_waited_for(make_settings, monkeypatch):
    begun, over, waited = threading.Event(), threading.Event(), []

    def failing(self, *given, **named):
        assert begun.wait(LONGEST_WAIT)
        raise NonFiniteLossError("too large a step")

    monkeypatch.setattr(Learner, "update", failing)

    class Stuck(Counting):
        played = 0

        def step(self, message):
            Stuck.played += 1
            if Stuck.played > 2 * 4 * self.turns:
                begun.set()
                waited.append(over.wait(LONGEST_WAIT))
            return super().step(message)

    settings = make_settings(targets=("test/counting",), steps=2, eval_tasks=0, recipe="dr_grpo", max_staleness=1)
    try:
        with pytest.raises(NonFiniteLossError):
            train(settings, hub=SessionHub(Stuck))
        assert waited == [], "the run has ended while the sessions still hang"
    finally:
        over.set()


def test_a_second_ctrl_c_ends_a_step_that_waits_for_sessions_at_once(make_settings, monkeypatch):
    waiting, over, waited = threading.Event(), threading.Event(), []
    take = trainer_bridge.samples_ahead.SamplesAhead.take

    def taking(self):
        if self._ahead is not None:
            waiting.set()
        return take(self)

    monkeypatch.setattr(trainer_bridge.samples_ahead.SamplesAhead, "take", taking)

    class Stuck(Counting):
        played = 0

        def step(self, message):
            Stuck.played += 1
            if Stuck.played == 2 * 4 * self.turns + 1:
                assert waiting.wait(LONGEST_WAIT)
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # which a terminal's Ctrl-C wakes
            if Stuck.played > 2 * 4 * self.turns:
                waited.append(over.wait(LONGEST_WAIT))
            return super().step(message)

    class Impatient(NoProgress):
        def say(self, text):
            if text.startswith("Stopping"):
                signal.raise_signal(signal.SIGINT)

    settings = make_settings(targets=("test/counting",), steps=2, eval_tasks=0, recipe="dr_grpo", max_staleness=1)
    try:
        with pytest.raises(KeyboardInterrupt):
            train(settings, hub=SessionHub(Stuck), progress=Impatient())
        assert waited == [], "the run has ended while the sessions still hang"
    finally:
        over.set()


def test_a_run_that_cannot_sample_ahead_says_why(make_settings):
    several = Ranks()
    several.count = 2
    for recipe, ranks, changes, reason in (
        ("sft", Ranks(), {}, "samples nothing"),
        ("dapo", several, {}, "several processes"),
        ("dapo", Ranks(), {"engine": "vllm"}, "use a server"),
    ):
        with pytest.raises(SettingsError, match=reason):
            corrected_for_staleness(load_recipe(recipe), make_settings(max_staleness=1, **changes), ranks)
        assert corrected_for_staleness(load_recipe(recipe), make_settings(**changes), ranks) == load_recipe(recipe)


def test_a_recipe_that_corrects_by_itself_is_left_as_it_is(make_settings):
    own = load_recipe("dapo", {"token_weights": [{"name": "truncated_importance", "cap": 5.0}]})
    assert corrected_for_staleness(own, make_settings(max_staleness=1), Ranks()) == own
    (added,) = corrected_for_staleness(load_recipe("dapo"), make_settings(max_staleness=1), Ranks()).token_weights
    assert (added.name, added.cap) == ("truncated_importance", 2.0)
