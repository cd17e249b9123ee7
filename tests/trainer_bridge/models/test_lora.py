"""Adapters: nothing changes before the first step, the base never does, and what is saved computes the same."""

import builtins

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from tests.trainer_bridge.rollout.decoding.families import logprobs, make_model
from trainer_bridge.errors import ModelError, SettingsError
from trainer_bridge.loop import train
from trainer_bridge.models.lora import add_adapters, merged_weights

pytest.importorskip("peft")


def add(model, rank=2, targets=(), seed=0):
    add_adapters(model, rank=rank, alpha=4, targets=targets, seed=seed)


def split(model):
    """(frozen, trained) parameters by name."""
    frozen = {name: one.detach().clone() for name, one in model.named_parameters() if not one.requires_grad}
    return frozen, {name: one for name, one in model.named_parameters() if one.requires_grad}


def test_fresh_adapters_change_nothing_and_are_the_same_for_a_seed():
    plain, adapted, again, other = (make_model("qwen3") for _ in range(4))
    for model, seed in ((adapted, 1), (again, 1), (other, 2)):
        add(model, seed=seed)
    assert logprobs(adapted, (5, 6), (7, 8)) == logprobs(plain, (5, 6), (7, 8))
    trained = [torch.cat([one.flatten() for one in split(model)[1].values()]) for model in (adapted, again, other)]
    assert torch.equal(trained[0], trained[1])
    assert not torch.equal(trained[0], trained[2])


def test_merged_weights_compute_what_the_adapted_model_does():
    adapted, plain = make_model("llama2"), make_model("llama2", seed=9)
    add(adapted)
    before, trained = split(adapted)
    torch.manual_seed(4)
    for one in trained.values():
        torch.nn.init.normal_(one, std=0.2)
    expected = logprobs(adapted, (5, 6, 7), (8, 9, 10))
    missing = plain.load_state_dict(merged_weights(adapted), strict=True)
    assert not missing.missing_keys
    assert logprobs(plain, (5, 6, 7), (8, 9, 10)) == pytest.approx(expected, abs=1e-4)
    assert all(torch.equal(value, split(adapted)[0][name]) for name, value in before.items()), "merging changes nothing"


def test_only_the_named_layers_get_adapters_and_an_unknown_name_is_refused():
    model = make_model("llama2")
    add(model, targets=("q_proj", "v_proj"))
    assert {name.split(".")[-4] for name in split(model)[1]} == {"q_proj", "v_proj"}
    with pytest.raises(ModelError, match="no_such_layer"):
        add(make_model("llama2"), targets=("no_such_layer",))


def test_a_run_trains_adapters_alone_and_saves_a_plain_model_that_others_load(fake_hub, make_settings):
    settings = make_settings(recipe="grpo", steps=3, lora_r=4, learning_rate=2e-2, save_steps=1)
    hub = fake_hub()
    result = train(settings, hub=hub)
    trained = [point.values for point in hub.runs.points if point.step > 0]
    assert trained[0]["kl"] == pytest.approx(0, abs=1e-9)
    assert trained[-1]["kl"] > 0, "the reference has no adapters"
    assert all(point["mismatch_kl/mean"] == pytest.approx(0, abs=1e-8) for point in trained), "the engine has them too"
    plain = AutoModelForCausalLM.from_pretrained(result.model_folder)
    assert not any("lora" in name for name, _ in plain.named_parameters())
    adapters = load_file(result.model_folder / "adapters" / "adapter_model.safetensors")
    assert max(float(value.abs().max()) for name, value in adapters.items() if "lora_B" in name) > 0
    assert (result.model_folder / "adapters" / "adapter_config.json").exists()
    checkpoint = torch.load(next((settings.output / "checkpoints").glob("*/state.pt")), weights_only=True)
    assert sum(one.numel() for one in checkpoint["masters"]) == sum(one.numel() for one in adapters.values())


def test_a_run_with_adapters_resumes_to_the_same_bits(fake_hub, make_settings, tmp_path):
    given = {"recipe": "grpo", "lora_r": 2, "learning_rate": 2e-2, "sft_steps": 0}
    whole = train(make_settings(steps=3, output=tmp_path / "whole", **given), hub=fake_hub())
    train(make_settings(steps=2, save_steps=1, output=tmp_path / "cut", **given), hub=fake_hub())
    rest = train(make_settings(steps=3, output=tmp_path / "cut", resume=True, **given), hub=fake_hub())
    one, two = (load_file(result.model_folder / "model.safetensors") for result in (whole, rest))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_without_peft_it_says_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "peft":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SettingsError, match=r"pip install .*\[lora\]"):
        add(make_model("llama2"))
