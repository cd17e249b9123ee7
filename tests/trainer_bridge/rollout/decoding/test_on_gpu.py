"""What only a GPU computes: fused kernels, captured graphs and compiled functions give the numbers of the plain ones.

Skipped without a GPU. The kernels alone also run in Triton's interpreter: see ``test_triton_kernels.py``.
"""

import warnings

import pytest
import torch

from schemas.manifest import RewardDeclaration
from tests.trainer_bridge.rollout.decoding.families import generate, generate_all, logprobs, make_model
from trainer_bridge.batch import Batch, State
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.logprobs import linear_logprobs
from trainer_bridge.learn.micro_batches import BatchRow, pack
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.recipe import load_recipe
from trainer_bridge.rewards import RewardSpace
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.fused_decode import FusedDecode
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.settings import TrainSettings

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")]
FAMILIES = ("llama3.2", "smollm2", "smollm3", "qwen2", "qwen3", "mistral")
PROMPTS = [(5, 6, 7), (8,), (9, 10, 11, 12, 13, 14), (20, 21)]


def wide_model(kind, dtype=torch.float32):
    """Heads of 32 numbers, which the kernels take."""
    return make_model(kind, hidden_size=128, head_dim=32).to("cuda", dtype)


@pytest.mark.parametrize("kind", FAMILIES)
def test_greedy_answers_of_the_fused_step_are_those_of_transformers(kind):
    model = wide_model(kind)
    eos_ids = (7, 33, 41)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is switched off
        engine = open_engine(LoadedModel(model, None, eos_ids), slots=3)
        assert FusedDecode.suits(engine._forward)
        asks = [GenerationRequest(prompt, 12, Sampling(temperature=0), seed=0) for prompt in PROMPTS for _ in range(2)]
        said = generate_all(engine, asks)
        more = [
            GenerationRequest((*ask.prompt, *one.tokens, 30, 31), 6, Sampling(temperature=0), seed=0, after=ask)
            for ask, one in zip(asks, said, strict=True)
        ]
        said += generate_all(engine, more)
    for ask, written in zip([*asks, *more], said, strict=True):
        assert written.tokens == generate(model, ask.prompt, ask.limit, eos_ids)
        assert written.logprobs == pytest.approx(logprobs(model, ask.prompt, written.tokens), abs=1e-3)


def test_updates_in_place_and_moved_weights_are_seen():
    model = wide_model("smollm2")
    engine = open_engine(LoadedModel(model, None, ()), slots=4)
    ask = GenerationRequest((5, 6, 7), 8, Sampling(0.0), seed=0)
    for change in (
        lambda one: one.add_(0.3 * torch.randn_like(one)),
        lambda one: setattr(one, "data", one.data + 0.3 * torch.randn_like(one)),
    ):
        generate_all(engine, [ask])
        with torch.no_grad():
            for parameter in model.parameters():
                change(parameter)
        engine.load_weights()
        (written,) = generate_all(engine, [ask])
        assert written.tokens == generate(model, ask.prompt, ask.limit, ())
        assert written.logprobs == pytest.approx(logprobs(model, ask.prompt, written.tokens), abs=1e-3)


def test_the_head_of_bfloat16_states_gives_float32_numbers_and_their_gradients():
    torch.manual_seed(0)
    for most in (None, 7):
        hidden = torch.randn(50, 64, device="cuda").bfloat16().requires_grad_()
        head = torch.randn(999, 64, device="cuda").bfloat16().requires_grad_()
        targets, factors = torch.randint(0, 999, (50,), device="cuda"), torch.randn(50, device="cuda")
        found, entropy = linear_logprobs(hidden, head, targets, 0.9, chunk=most or 0)
        (found * factors).sum().backward()
        wide, wide_head = hidden.detach().double().requires_grad_(), head.detach().double().requires_grad_()
        table = (wide @ wide_head.T / 0.9).log_softmax(-1)
        expected = table.gather(-1, targets[:, None])[:, 0]
        (expected * factors).sum().backward()
        assert torch.allclose(found.double(), expected, atol=1e-4)
        assert torch.allclose(entropy.double(), -(table.exp() * table).sum(-1), atol=1e-4)
        for one, other in ((hidden, wide), (head, wide_head)):
            assert (one.grad.double() - other.grad).norm() / other.grad.norm() < 1e-2


def a_batch(device):
    samples = [BatchRow(row // 4, [5 + row // 4, 6, 7], [8 + row, *range(9, 9 + row)]) for row in range(8)]
    width = max(sample.width for sample in samples)
    mask = torch.tensor([[place < sample.width for place in range(width)] for sample in samples], device=device)
    return samples, Batch(
        group_B=torch.tensor([sample.group for sample in samples], device=device),
        mask_BT=mask,
        rewards_BK=torch.zeros(len(samples), 1, dtype=torch.float64, device=device),
        space=RewardSpace({"score": RewardDeclaration()}),
        truncated_B=torch.zeros(len(samples), dtype=torch.bool, device=device),
        sampler_logprobs_BT=torch.full((len(samples), width), -3.0, device=device),
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_step_of_the_learner_is_that_of_a_cpu(dtype):
    found = {}
    for device in ("cpu", "cuda"):
        model = make_model("smollm2", hidden_size=128, head_dim=32).to(device, dtype)
        settings = TrainSettings.make({"targets": ("a/b",), "output": "run", "learning_rate": 1e-3})
        learner = Learner(model, load_recipe("rloo"), settings)
        samples, batch = a_batch(device)
        advantages = torch.linspace(-1, 1, 8, dtype=torch.float64, device=device)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            steps = [
                learner.update(batch, samples, advantages, torch.zeros_like(advantages), State()) for _ in range(3)
            ]
        found[device] = steps, [one.cpu() for one in learner.weights.masters]
    near = 1e-3 if dtype == torch.float32 else 5e-2
    for one, other in zip(found["cpu"][0], found["cuda"][0], strict=True):
        for name in ("loss", "grad_norm", "entropy", "mismatch_kl/mean"):
            assert other[name] == pytest.approx(one[name], rel=near, abs=near), name
    if dtype == torch.float32:
        for one, other in zip(found["cpu"][1], found["cuda"][1], strict=True):
            assert torch.allclose(one, other, atol=2e-3)


def test_in_bfloat16_the_samplers_log_probabilities_are_the_learners():
    model = wide_model("smollm2", torch.bfloat16)
    engine = open_engine(LoadedModel(model, None, ()), slots=8)
    asks = [GenerationRequest((5, 6, 7), 24, Sampling(1.0), seed=seed) for seed in range(8)]
    written = generate_all(engine, asks)
    learner = Learner(
        model, load_recipe("rloo"), TrainSettings.make({"targets": ("a/b",), "output": "run", "temperature": 1.0})
    )
    rows = [BatchRow(0, ask.prompt, one.tokens) for ask, one in zip(asks, written, strict=True)]
    measured, _ = learner.measure(rows, 24)
    recorded = torch.tensor([one.logprobs for one in written], device="cuda")
    assert float((measured - recorded).abs().mean()) < 0.05
    assert len(pack(rows, max_tokens=4096, device=model.device)) == 1
