"""The generation engine and the learner alone, on random weights: ``scripts/bench engine``. No hub and no verifier.

Both are held against the device's own limits, measured in the same run: the engine against reading weights, keys and
values once a token, the learner against the fastest matrix product. ``--profile`` prints the kernels that take most.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from schemas.manifest import RewardDeclaration
from trainer_bridge.batch import Batch, State
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.micro_batches import BatchRow
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.recipe import load_recipe
from trainer_bridge.rewards import RewardSpace
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.settings import TrainSettings

SHAPES: dict[str, dict[str, int]] = {
    "smollm2-135m": {"vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
                     "num_attention_heads": 9, "num_key_value_heads": 3},
    "llama-1b": {"vocab_size": 128256, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
                 "num_attention_heads": 32, "num_key_value_heads": 8},
    "tiny": {"vocab_size": 512, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
             "num_attention_heads": 4, "num_key_value_heads": 2},
}  # fmt: skip
"""The sizes of published models."""
TEMPERATURE = 0.9


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench engine", description=__doc__)
    parser.add_argument("--format", default="human", choices=("human", "json"))
    parser.add_argument("--shape", default="smollm2-135m", choices=SHAPES)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", default="bfloat16", choices=("float32", "bfloat16"))
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--samples", type=int, default=8, help="a prompt")
    parser.add_argument("--prompt-tokens", type=int, default=56)
    parser.add_argument("--tokens", type=int, default=256, help="a sample")
    parser.add_argument("--learn-rows", type=int, default=64, help="rows that the learner alone gets")
    parser.add_argument("--learn-tokens", type=int, default=1024, help="tokens of each of them, prompt included")
    parser.add_argument("--rounds", type=int, default=2, help="rounds that count, after one that does not")
    parser.add_argument("--profile", action="store_true", help="print the kernels of one more round")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = options_of(arguments)
    loaded = made_model(given)
    found = {"shape": given.shape, "device": device_name(given.device), "dtype": given.dtype,
             "prompts": given.prompts, "samples": given.samples, "tokens": given.tokens,
             "learn_rows": given.learn_rows, "learn_tokens": given.learn_tokens}  # fmt: skip
    found |= limits(given)
    found |= measure_engine(given, loaded, found["bytes_per_second"])
    found |= measure_learner(given, loaded, found["flops_per_second"])
    print(json.dumps(found) if given.format == "json" else table(found))


def made_model(given: argparse.Namespace) -> LoadedModel:
    """A Llama of the given sizes with random weights. No token ends an answer."""
    config = LlamaConfig(**SHAPES[given.shape], max_position_embeddings=8192, tie_word_embeddings=True)
    torch.manual_seed(0)
    with torch.device(given.device):
        model = LlamaForCausalLM(config).to(getattr(torch, given.dtype)).eval()
    return LoadedModel(model, None, ())


def device_name(device: str) -> str:
    """What the device calls itself."""
    return torch.cuda.get_device_name() if device.startswith("cuda") else device


def limits(given: argparse.Namespace) -> dict[str, float]:
    """Bytes a second of a copy, and products a second of the fastest matrix product, on random numbers."""
    large = given.device.startswith("cuda")
    source = torch.randn(2**29 if large else 2**24, device=given.device)
    target = torch.empty_like(source)
    copy = min(timed(given, lambda: target.copy_(source)) for _ in range(5))
    speeds = []
    for size in (4096, 8192) if large else (512, 1024):
        left = torch.randn(size, size, dtype=getattr(torch, given.dtype), device=given.device)
        speeds.append(2 * size**3 / min(timed(given, partial(left.matmul, left)) for _ in range(8)))
    return {"bytes_per_second": 2 * source.nbytes / copy, "flops_per_second": max(speeds)}


def timed(given: argparse.Namespace, action: Callable[[], object]) -> float:
    """Seconds until the device has finished."""
    synchronise(given)
    start = time.perf_counter()
    action()
    synchronise(given)
    return time.perf_counter() - start


def synchronise(given: argparse.Namespace) -> None:
    """Wait for the device."""
    if given.device.startswith("cuda"):
        torch.cuda.synchronize()


def forget_peak(given: argparse.Namespace) -> None:
    """Count the device's peak memory from here."""
    if given.device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()


def peak(given: argparse.Namespace) -> int:
    """Bytes."""
    return int(torch.cuda.max_memory_allocated()) if given.device.startswith("cuda") else 0


def repeated(given: argparse.Namespace, name: str, action: Callable[[], object]) -> tuple[float, float]:
    """(Seconds of the first round, of the median round that counts). Prints the kernels of one more, where asked."""
    first = timed(given, action)
    seconds = statistics.median(timed(given, action) for _ in range(given.rounds))
    if given.profile:
        kinds = [torch.profiler.ProfilerActivity.CPU]
        if given.device.startswith("cuda"):
            kinds = [torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=kinds) as profile:
            timed(given, action)
        rows = sorted(profile.key_averages(), key=lambda row: -max(row.self_device_time_total, row.self_cpu_time_total))
        busy = sum(row.self_device_time_total for row in rows) / 1e6
        print(f"--- {name}: {seconds:.3f} s, the first round {first:.3f} s, the device busy for {busy:.3f} s")
        for row in rows[:22]:
            spent = max(row.self_device_time_total, row.self_cpu_time_total)
            print(f"{spent / 1e3:9.1f} ms {row.count:7d} x {row.key[:110]}")
    return first, seconds


def measure_engine(given: argparse.Namespace, loaded: LoadedModel, bytes_per_second: float) -> dict[str, float]:
    """One round of all prompts."""
    rows = given.prompts * given.samples
    engine = open_engine(loaded, slots=rows)
    draw = torch.Generator().manual_seed(0)
    words = loaded.model.config.vocab_size
    prompts = torch.randint(0, words, (given.prompts, given.prompt_tokens), generator=draw).tolist()

    def answered() -> None:
        for place, prompt in enumerate(prompts):
            for sample in range(given.samples):
                sampling = Sampling(temperature=TEMPERATURE)
                engine.submit(GenerationRequest(tuple(prompt), given.tokens, sampling, seed=place * 1000 + sample))
        while engine.is_busy:
            engine.step()
        engine.load_weights()

    forget_peak(given)
    first, seconds = repeated(given, "engine", answered)
    facts = loaded.model.config
    weights = sum(one.nbytes for one in loaded.model.parameters())
    head = facts.hidden_size // facts.num_attention_heads
    a_token = 2 * facts.num_hidden_layers * facts.num_key_value_heads * head * next(loaded.model.parameters()).itemsize
    least = given.tokens * (weights + rows * (given.prompt_tokens + given.tokens / 2) * a_token) / bytes_per_second
    return {
        "engine_first_round_seconds": first,
        "engine_seconds": seconds,
        "engine_tokens_per_second": rows * given.tokens / seconds,
        "decode_to_bandwidth_limit_ratio": least / seconds,
        "engine_peak_bytes": peak(given),
    }


def measure_learner(given: argparse.Namespace, loaded: LoadedModel, flops_per_second: float) -> dict[str, float]:
    """One update over rows that share no prompt."""
    settings = TrainSettings.make(
        {"targets": ("a/b",), "output": "run", "learning_rate": 1e-7, "temperature": TEMPERATURE}
    )
    learner = Learner(loaded.model, load_recipe("dapo"), settings)
    draw = torch.Generator().manual_seed(1)
    words, prompt = loaded.model.config.vocab_size, given.prompt_tokens
    ids = torch.randint(0, words, (given.learn_rows, given.learn_tokens), generator=draw).tolist()
    samples = [BatchRow(place // 8, [*row[:prompt], place], row[prompt + 1 :]) for place, row in enumerate(ids)]
    batch = a_batch(samples, loaded.model.device)
    advantages = torch.randn(len(samples), dtype=torch.float64, device=batch.mask_BT.device)
    forget_peak(given)
    found: list[dict[str, float]] = []

    def learnt() -> None:
        found.append(learner.update(batch, samples, advantages, torch.zeros_like(advantages), State()))

    first, _ = repeated(given, "learner", learnt)
    parameters = sum(one.numel() for one in loaded.model.parameters())
    tokens = given.learn_rows * given.learn_tokens
    counted = found[1 : 1 + given.rounds]
    backward = statistics.median(one["time/backward"] for one in counted)
    return {
        "learner_first_round_seconds": first,
        "learner_backward_seconds": backward,
        "learner_optimizer_seconds": statistics.median(one["time/optim"] for one in counted),
        "learner_tokens_per_second": tokens / backward,
        "train_mfu": 6 * parameters * tokens / backward / flops_per_second,
        "learner_peak_bytes": peak(given),
        "learner_loss": counted[-1]["loss"],
        "learner_grad_norm": found[0]["grad_norm"],
    }


def a_batch(samples: Sequence[BatchRow], device: Any) -> Batch:
    """A batch in which every token is trained on, and the sampler's log-probabilities are 0."""
    width = max(sample.width for sample in samples)
    mask = torch.ones(len(samples), width, dtype=torch.bool, device=device)
    return Batch(
        group_B=torch.tensor([sample.group for sample in samples], device=device),
        mask_BT=mask,
        rewards_BK=torch.zeros(len(samples), 1, dtype=torch.float64, device=device),
        space=RewardSpace({"score": RewardDeclaration()}),
        truncated_B=torch.zeros(len(samples), dtype=torch.bool, device=device),
        sampler_logprobs_BT=torch.zeros(len(samples), width, device=device),
    )


def table(found: dict[str, Any]) -> str:
    """One line a figure."""
    return "\n".join(
        f"{name:36} {value:.4g}" if isinstance(value, float) else f"{name:36} {value}" for name, value in found.items()
    )


if __name__ == "__main__":
    main()
