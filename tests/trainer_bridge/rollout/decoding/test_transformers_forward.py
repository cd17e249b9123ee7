"""Any other architecture over our cache against its own generate."""

import pytest
import transformers

from tests.trainer_bridge.rollout.decoding.families import FALLBACK, SIZES, generate, generate_all, logprobs, make_model
from trainer_bridge.errors import ModelError
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.decoding.transformers_forward import TransformersForward

PROMPTS = [(5, 6, 7), (8,), (9, 10, 11, 12, 13, 14), (20, 21)]


@pytest.mark.parametrize("kind", FALLBACK)
def test_greedy_tokens_and_logprobs_equal_transformers(kind):
    """Over few slots and in two turns, so that prompts are prefilled together, copied and continued."""
    model = make_model(kind)
    eos_ids = (7, 33, 41)  # hit by some rows early, by some late, by some never
    engine = Engine(TransformersForward(model), eos_ids, EngineSettings(slots=3))
    asks = [GenerationRequest(prompt, 12, Sampling(temperature=0), seed=0) for prompt in PROMPTS for _ in range(2)]
    said = generate_all(engine, asks)
    more = [
        GenerationRequest((*ask.prompt, *one.tokens, 30, 31), 6, Sampling(temperature=0), seed=0, after=ask)
        for ask, one in zip(asks, said, strict=True)
    ]
    for ask, written in zip([*asks, *more], [*said, *generate_all(engine, more)], strict=True):
        assert written.tokens == generate(model, ask.prompt, ask.limit, eos_ids)
        assert written.truncated == (written.tokens[-1] not in eos_ids)
        assert written.logprobs == pytest.approx(logprobs(model, ask.prompt, written.tokens), abs=1e-4)


def test_a_model_with_another_state_than_keys_and_values_is_refused():
    sizes = {name: SIZES[name] for name in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")}
    config = transformers.Lfm2Config(**sizes, intermediate_size=48, layer_types=["conv", "full_attention"] * 2)
    with pytest.raises(ModelError, match="another state"):
        TransformersForward(transformers.Lfm2ForCausalLM(config))
