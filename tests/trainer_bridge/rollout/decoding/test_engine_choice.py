"""A loaded model gets the forward pass that computes exactly its architecture."""

import torch

from tests.trainer_bridge.rollout.decoding.families import make_model
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.forward import LlamaForward
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.decoding.transformers_forward import TransformersForward


def test_each_model_gets_its_forward_pass():
    for kind, expected in (("qwen3", LlamaForward), ("gelu_llama", TransformersForward)):
        engine = open_engine(LoadedModel(make_model(kind), None, (1, 2)), slots=4)
        assert isinstance(engine._forward, expected)
        assert engine.eos_ids == (1, 2)


def test_an_engine_apart_keeps_the_weights_that_it_was_given_last(tiny):
    ask = GenerationRequest((5, 6, 7), 6, Sampling(0.0), seed=0)

    def answer(engine):
        engine.submit(ask)
        while True:
            for _, written in engine.step():
                return written.tokens

    shared, apart = open_engine(tiny, slots=2), open_engine(tiny, slots=2, apart=True)
    before = answer(shared)
    assert answer(apart) == before
    with torch.no_grad():
        for parameter in tiny.model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    shared.load_weights()
    after = answer(shared)
    assert after != before
    assert answer(apart) == before
    apart.load_weights()
    assert answer(apart) == after
