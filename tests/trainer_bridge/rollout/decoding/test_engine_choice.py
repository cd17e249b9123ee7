"""A loaded model gets the forward pass that computes exactly its architecture."""

from tests.trainer_bridge.rollout.decoding.families import make_model
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.forward import LlamaForward
from trainer_bridge.rollout.decoding.transformers_forward import TransformersForward


def test_each_model_gets_its_forward_pass():
    for kind, expected in (("qwen3", LlamaForward), ("gelu_llama", TransformersForward)):
        engine = open_engine(LoadedModel(make_model(kind), None, (1, 2)), slots=4)
        assert isinstance(engine._forward, expected)
        assert engine.eos_ids == (1, 2)
