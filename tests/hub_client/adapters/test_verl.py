import asyncio
import inspect
import math

import pytest

from hub_client.adapters import verl as adapter
from hub_client.adapters.verl import RewardFunctions, dataset_rows, gdpo_weights, masked_grpo
from hub_client.errors import UsageError
from tests.hub_client.adapters.conftest import GATED
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

KEYS = ["score", "acc", "judged", "correct", "short", "words"]


@pytest.fixture
def functions(env):
    opened = []

    def open_verifier(target):
        opened.append(target)
        return env

    made = RewardFunctions(open_verifier)
    made.opened = opened
    return made


def sample(env, response):
    """What verl hands to a reward function."""
    row = dataset_rows(env, "train", limit=1)[0]
    return {
        "data_source": row["data_source"],
        "solution_str": response,
        "ground_truth": row["reward_model"]["ground_truth"],
        "extra_info": {**row["extra_info"], "num_turns": None, "rollout_reward_scores": {}},
    }


def batch(env, *responses):
    samples = [sample(env, response) for response in responses]
    names = {"data_source": "data_sources", "solution_str": "solution_strs", "ground_truth": "ground_truths"}
    return {names.get(key, "extra_infos"): [row[key] for row in samples] for key in samples[0]}


def test_a_row_has_what_verls_data_files_have_and_no_answer_in_its_prompt(env) -> None:
    row = dataset_rows(env, "train", limit=1)[0]
    assert row["data_source"] == "alice/small-sums"
    assert row["prompt"] == [{"role": "user", "content": "1+1?"}]
    assert row["reward_model"] == {"style": "rule", "ground_truth": "2"}
    assert row["extra_info"]["verihub_reference"] == f"alice/small-sums@{env.digest}"
    assert row["extra_info"]["index"] == 0


def test_a_sample_gets_its_whole_vector_from_the_release_that_its_row_names(env, functions) -> None:
    score = functions.compute_score(**sample(env, "2 and more"))
    assert score == {"score": 1.5, "acc": 1.0, "judged": 1.0, "correct": 1.0, "short": 1.0, "words": 3.0}
    assert list(score) == KEYS
    assert functions.opened == [f"alice/small-sums@{env.digest}"]


def test_what_could_not_be_judged_is_nan_under_the_same_keys(env, functions) -> None:
    score = functions.compute_score(**sample(env, "loop"))
    assert list(score) == KEYS
    assert score.pop("judged") == 0.0
    assert all(math.isnan(value) for value in score.values())


def test_what_was_judged_in_part_counts_with_what_was_judged(env, functions) -> None:
    score = functions.compute_score(**sample(env, "long"))
    assert (score["score"], score["judged"], score["correct"]) == (0.0, 1.0, 0.0)
    assert math.isnan(score["short"])


def test_a_closed_gate_zeroes_the_score_and_keeps_the_vector(make_env) -> None:
    env = make_env(GATED)
    score = RewardFunctions(lambda _: env).compute_score(**sample(env, "2 rude"))
    assert (score["score"], score["correct"], score["polite"]) == (0.0, 1.0, 0.0)


def test_a_batch_is_judged_in_its_order(env, functions, judged) -> None:
    scores = functions.compute_scores(**batch(env, "2", "3", "loop"))
    assert [score["correct"] for score in scores[:2]] == [1.0, 0.0]
    assert scores[2]["judged"] == 0.0
    assert sorted(judged) == ["2", "3", "loop"]


def test_the_asynchronous_function_says_the_same(env, functions) -> None:
    assert asyncio.run(functions.compute_score_async(**sample(env, "2"))) == functions.compute_score(**sample(env, "2"))
    assert inspect.iscoroutinefunction(adapter.compute_score_async)


def test_somebody_elses_rows_are_judged_by_the_target(env, functions) -> None:
    foreign = {"data_source": "openai/gsm8k", "solution_str": "2", "ground_truth": "2", "extra_info": {"index": 7}}
    assert functions.compute_score(**foreign, target="alice/small-sums")["correct"] == 1.0
    with pytest.raises(UsageError, match="reward_kwargs"):
        functions.compute_score(**foreign)


def test_batches_of_different_vectors_are_refused(make_env) -> None:
    envs = {"plain": make_env(), "gated": make_env(GATED)}
    functions = RewardFunctions(lambda target: envs[target])
    rows = batch(envs["plain"], "2", "2")
    rows["extra_infos"] = [{**rows["extra_infos"][0], "verihub_reference": name} for name in envs]
    with pytest.raises(UsageError, match="different reward vectors"):
        functions.compute_scores(**rows)


def test_gdpo_is_told_the_scores_and_their_weights(env) -> None:
    assert gdpo_weights(env) == {"correct": 1.0, "short": 0.5}


def advantages(rewards, groups, **settings):
    torch = pytest.importorskip("torch")
    tokens = torch.zeros(len(rewards), 3)
    tokens[:, 2] = torch.tensor(rewards)
    return masked_grpo(tokens, torch.ones(len(rewards), 3), groups, **settings)[0][:, 0]


def test_an_unjudged_sample_is_in_no_mean_and_gets_no_advantage() -> None:
    found = advantages([1.0, 0.0, math.nan], ["a", "a", "a"])
    assert found.tolist() == pytest.approx([0.7071, -0.7071, 0.0], abs=1e-3)


def test_equal_rewards_give_exactly_nothing() -> None:
    assert advantages([0.1] * 7 + [math.nan], ["a"] * 8).tolist() == [0.0] * 8
    assert advantages([0.7, math.nan], ["a", "a"]).tolist() == [0.0, 0.0]


def test_groups_are_their_own() -> None:
    found = advantages([1.0, 0.0, 5.0, 5.0, math.nan], ["a", "a", "b", "b", "b"], norm_adv_by_std_in_grpo=False)
    assert found.tolist() == [0.5, -0.5, 0.0, 0.0, 0.0]


class TestWithVerl:
    """verl's own reward managers and its own estimator, where verl is installed (scripts/test_adapters)."""

    @pytest.fixture
    def data(self, env):
        """Three responses to one prompt, as verl holds a batch."""
        verl = pytest.importorskip("verl")
        torch = pytest.importorskip("torch")
        numpy = pytest.importorskip("numpy")
        rows = [dataset_rows(env, "train", limit=1)[0] for _ in range(3)]
        return verl.DataProto.from_dict(
            tensors={
                "prompts": torch.zeros(3, 2, dtype=torch.long),
                "responses": torch.tensor([[1, 9], [2, 9], [3, 9]]),
                "attention_mask": torch.ones(3, 4, dtype=torch.long),
            },
            non_tensors={
                "data_source": numpy.array([row["data_source"] for row in rows], dtype=object),
                "reward_model": numpy.array([row["reward_model"] for row in rows], dtype=object),
                "extra_info": numpy.array([row["extra_info"] for row in rows], dtype=object),
            },
        )

    class Tokenizer:
        """Three answers."""

        def decode(self, ids, **_):
            return {1: "2", 2: "3", 3: "loop"}.get(int(ids[0]), "?")

    @pytest.mark.parametrize(("manager", "function"), [("naive", "compute_score"), ("batch", "compute_scores")])
    def test_verls_managers_keep_the_vector(self, data, functions, manager, function) -> None:
        managers = pytest.importorskip("verl.workers.reward_manager")
        made = managers.get_reward_manager_cls(manager)(self.Tokenizer(), 0, getattr(functions, function))
        found = made(data, return_dict=True)
        assert found["reward_tensor"][:2, 1].tolist() == [1.5, 0.5]
        assert math.isnan(found["reward_tensor"][2, 1])
        assert found["reward_extra_info"]["judged"] == [1.0, 1.0, 0.0]
        assert found["reward_extra_info"]["short"][:2] == [1.0, 1.0]

    def test_verl_finds_the_function_by_its_settings(self, data) -> None:
        place = {"path": "pkg://hub_client.adapters.verl", "name": "compute_score_async"}
        settings = {"reward": {"custom_reward_function": {**place, "reward_kwargs": {"target": "a/b"}}}}
        config = pytest.importorskip("omegaconf").OmegaConf.create(settings)
        found = pytest.importorskip("verl.trainer.ppo.reward").get_custom_reward_fn(config)
        assert found.args == (adapter.compute_score_async, {"target": "a/b"})

    def test_the_reward_loop_takes_the_asynchronous_function(self, data, functions) -> None:
        managers = pytest.importorskip("verl.experimental.reward_loop.reward_manager")

        class Config(dict):
            pass

        async def run():
            made = managers.get_reward_manager_cls("naive")(Config(), self.Tokenizer(), functions.compute_score_async)
            return [await made.run_single(data[place : place + 1]) for place in range(3)]

        found = asyncio.run(run())
        assert found[0]["reward_score"] == 1.5
        assert found[0]["reward_extra_info"]["words"] == 1.0
        assert math.isnan(found[2]["reward_score"])

    def test_the_estimator_agrees_with_verls_where_everything_was_judged(self, data) -> None:
        torch = pytest.importorskip("torch")
        theirs = pytest.importorskip("verl.trainer.ppo.core_algos")
        pytest.importorskip("hub_client.adapters.verl_advantages")  # registers
        rewards = torch.rand(12, 5)
        mask = (torch.rand(12, 5) > 0.3).float()
        groups = [number // 4 for number in range(12)]
        batch = {"token_level_rewards": rewards, "response_mask": mask, "index": groups}
        ours, _ = theirs.get_adv_estimator_fn("verihub_grpo")(**batch)
        assert torch.allclose(ours, theirs.compute_grpo_outcome_advantage(**batch)[0], atol=1e-5)


def test_a_session_is_not_judged_by_a_text_that_nothing_was_played_for(make_env) -> None:
    with pytest.raises(UsageError, match="agent="):
        dataset_rows(make_env(WITH_VERIFIER), "train", limit=1)
