"""Recomputing and byte budgets change memory, never a result."""

import dataclasses

import pytest
import torch

from tests.making.batches import make_batch
from tests.trainer_bridge.rollout.decoding.families import make_model
from trainer_bridge.batch import State
from trainer_bridge.errors import SettingsError
from trainer_bridge.learn.activation_memory import kept_bytes, recomputing, tokens_within
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.micro_batches import BatchRow
from trainer_bridge.recipe import load_recipe

SAMPLES = [BatchRow(row // 2, (5, 6, 7 + row // 2), tuple(range(10, 14 + row))) for row in range(4)]


def after_a_step(make_settings, **settings):
    """The weights after one step of a Llama, and its metrics."""
    learner = Learner(make_model("llama2"), load_recipe("rloo"), make_settings(learning_rate=1e-2, **settings))
    batch = make_batch([len(sample.tokens) for sample in SAMPLES], [0, 0, 1, 1])
    batch = dataclasses.replace(batch, sampler_logprobs_BT=batch.sampler_logprobs_BT.float())
    up = torch.tensor([1.0, -1.0, 0.5, -0.5], dtype=torch.float64)
    metrics = learner.update(batch, SAMPLES, up, up, State())
    return torch.cat([one.detach().flatten() for one in learner.model.parameters()]), metrics


def test_recomputing_gives_the_same_bits(make_settings):
    plain, first = after_a_step(make_settings)
    again, second = after_a_step(make_settings, gradient_checkpointing=True)
    assert torch.equal(plain, again)
    assert first["grad_norm"] == second["grad_norm"] > 0


def test_recomputing_keeps_less_and_is_over_afterwards():
    model = make_model("llama2")
    plain = kept_bytes(model)
    with recomputing(model):
        assert kept_bytes(model) < plain / 2
        assert not any(module.training for layer in model.model.layers for module in list(layer.modules())[1:])
    assert kept_bytes(model) == plain
    assert not any(module.training for module in model.modules())


def test_a_model_with_dropout_is_refused():
    model = make_model("llama2")
    model.config.attention_dropout = 0.1
    with pytest.raises(SettingsError, match="attention_dropout"), recomputing(model):
        pass


def test_a_budget_in_bytes_is_kept_and_changes_no_result(make_settings):
    model = make_model("llama2")
    tokens = tokens_within(model, 1, recomputes=False)
    assert kept_bytes(model, tokens) <= 1.1 * 2**20, "the attention of a longer row is all that grows faster"
    assert kept_bytes(model, tokens) > 0.8 * 2**20, "and the budget is used"
    assert tokens_within(model, 1, recomputes=True) > tokens
    small, large = (after_a_step(make_settings, max_microbatch_mb=size)[0] for size in (1, 1000))
    assert torch.allclose(small, large, atol=1e-5)


def test_more_tokens_fit_into_twice_the_memory(make_settings):
    model = make_model("llama2")
    one, two = (tokens_within(model, size, recomputes=False) for size in (4, 8))
    assert abs(two - 2 * one) <= 1
    assert tokens_within(model, 1, recomputes=True) >= 1
