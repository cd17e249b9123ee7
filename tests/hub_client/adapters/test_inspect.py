"""Inspect's own evaluation with its mock model, where it is installed (scripts/test_adapters)."""

import math

import pytest

from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

inspect_ai = pytest.importorskip("inspect_ai")
adapter = pytest.importorskip("hub_client.adapters.inspect")
model = pytest.importorskip("inspect_ai.model")
scoring = pytest.importorskip("inspect_ai.scorer")
solving = pytest.importorskip("inspect_ai.solver")


@pytest.fixture
def evaluate(tmp_path):
    """Inspect's log of a task whose model says these words in turn."""

    def run(env, *words, play=False, samples=None, epochs=1):
        @scoring.scorer(metrics={"*": [scoring.mean(), scoring.stderr()]}, name="verdict_of_test")
        def judged():
            return adapter.make_scorer(lambda: env)

        @solving.solver(name="session_of_test")
        def session():
            return adapter.make_solver(lambda: env)

        outputs = [model.ModelOutput.from_content("mockllm/model", word) for word in words]
        for output in outputs:  # or Inspect would fetch a tokenizer to count
            output.usage = model.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        task = inspect_ai.Task(
            dataset=samples or adapter.dataset(env, "train"),
            solver=session() if play else solving.generate(),
            scorer=judged(),
            epochs=epochs,
        )
        mock = model.get_model("mockllm/model", custom_outputs=outputs)
        log = inspect_ai.eval(task, model=mock, log_dir=str(tmp_path), display="none", max_samples=1)[0]
        assert log.status == "success", log.error
        return log

    return run


def metrics(log):
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


def test_every_reward_has_its_metric(env, evaluate) -> None:
    log = evaluate(env, "2 it is", "no")
    assert metrics(log) == {"correct": 0.5, "short": 1.0, "words": 2.0}
    sample = log.samples[0].scores["verdict_of_test"]
    assert sample.value == {"correct": 1.0, "short": 1.0, "words": 3.0}
    assert sample.metadata["verihub_release"] == f"alice/small-sums@{env.digest}"
    assert (sample.metadata["weighted_sum"], sample.metadata["accepted"]) == (1.5, True)


def test_what_could_not_be_judged_is_in_no_mean(env, evaluate) -> None:
    log = evaluate(env, "2", "loop")
    assert metrics(log)["correct"] == 1.0
    assert {score.unscored_samples for score in log.results.scores} == {1}
    unscored = log.samples[1].scores["verdict_of_test"]
    assert math.isnan(unscored.value)
    assert (unscored.reason, unscored.explanation) == ("scoring_failed", "timeout: too slow")


def test_a_part_that_was_not_judged_is_unscored_alone(env, evaluate) -> None:
    log = evaluate(env, "long", "5")
    counts = {score.name: score.unscored_samples for score in log.results.scores}
    assert counts == {"correct": 0, "short": 1, "words": 0}
    assert metrics(log) == {"correct": 0.5, "short": 1.0, "words": 1.0}


def test_epochs_are_reduced_without_what_was_not_judged(env, evaluate) -> None:
    log = evaluate(env, "2", "loop", "0", "5", epochs=2)
    assert metrics(log)["correct"] == 0.75  # counted as 0, what was not judged would make it a half


def test_the_model_sees_the_prompt_and_nothing_else(env) -> None:
    sample = adapter.dataset(env, "train")[0]
    assert [message.text for message in sample.input] == ["1+1?"]
    assert (sample.id, sample.target) == ("t1", "2")


def test_samples_of_somebody_else_are_judged_by_their_target(env, evaluate) -> None:
    dataset_of = pytest.importorskip("inspect_ai.dataset")
    log = evaluate(env, "7", samples=dataset_of.MemoryDataset([dataset_of.Sample(input="3+4?", target="7")]))
    assert metrics(log)["correct"] == 1.0


def test_a_session_is_played_and_its_state_is_judged(make_env, evaluate) -> None:
    seen = []
    env = make_env(WITH_VERIFIER, watch=seen.append)
    log = evaluate(env, "thinking", "2", "thinking", "4", play=True)
    assert metrics(log)["correct"] == 0.5
    assert [message["content"] for message in seen[0].state["said"]] == ["thinking", "2"]
    assert [message.text for message in log.samples[0].messages] == ["1+1?", "thinking", "2"]


def test_inspect_finds_the_scorer_and_the_task_by_name() -> None:
    registry = pytest.importorskip("inspect_ai._util.registry")
    assert registry.registry_lookup("scorer", "hub_client/verdict") or registry.registry_lookup("scorer", "verdict")
