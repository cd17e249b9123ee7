"""Steps of the bundled trainer, through the client and a sandbox of this machine, for ``scripts/bench trainer``."""

import dataclasses
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import work

import trainer_bridge.build
from hub_client.client import Hub
from hub_client.settings import ClientSettings
from trainer_bridge.loop import train
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.settings import TrainSettings


class Steps(NoProgress):
    """Lets the loop go on when the driver says so."""

    def __init__(self, gate: work.Gate) -> None:
        self._gate = gate

    def say(self, text: str) -> None:
        if text.startswith("Training:"):  # all is open, and the first step comes next
            self._gate.forget_peak()
            self._gate.begin()

    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        tokens = metrics["completions/mean_length"] * metrics["num_completions"]
        self._gate.end(tokens, metrics=dict(metrics))
        if step < total:
            self._gate.begin()


def never_ending(*arguments: Any, **named: Any) -> LoadedModel:
    """The model without end tokens: every answer is as long as the limit."""
    loaded = load_model(*arguments, **named)
    parameters, config = list(loaded.model.parameters()), loaded.model.config
    size = parameters[0].element_size()
    heads = 2 * config.num_hidden_layers * config.num_key_value_heads  # keys and values
    facts = {
        "parameters": sum(parameter.numel() for parameter in parameters),
        "weight_bytes": sum(parameter.nbytes for parameter in parameters),
        "cache_bytes_per_token": heads * (config.hidden_size // config.num_attention_heads) * size,
    }
    work.Gate.tell(model=facts)
    return dataclasses.replace(loaded, eos_ids=())


load_model = trainer_bridge.build.load_model


def limits(device: str, *, megabytes: int = 512) -> dict[str, float]:
    """What this device does at most here: bytes a second of reading memory, products a second of a matrix product."""
    number_type = torch.bfloat16 if device.startswith("cuda") else torch.float32
    size = 8192 if device.startswith("cuda") else 1024
    left = torch.ones(size, size, dtype=number_type, device=device)
    source = torch.ones(megabytes * 2**18, device=device)
    target = torch.empty_like(source)
    copied = 2 * source.nbytes / fastest(lambda: target.copy_(source), device)
    read = source.nbytes / fastest(source.sum, device)
    return {
        "bytes_per_second": max(copied, read),
        "flops_per_second": 2 * size**3 / fastest(lambda: left @ left, device),
    }


def fastest(action: Any, device: str, times: int = 8) -> float:
    """Seconds of the fastest of several calls."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        if device.startswith("cuda"):
            torch.cuda.synchronize()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    """Measure the device, then train."""
    given = work.options()
    torch.set_num_threads(given.threads)
    work.Gate.tell(limits=limits(given.device))
    trainer_bridge.build.load_model = never_ending  # type: ignore[attr-defined]
    os.environ["VERIHUB_SANDBOX_TRUST_LOCAL_CODE"] = "1"  # the collection's code, which is this repository's own
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        client = ClientSettings.load(cache_dir=Path(folder) / "cache", offline=True, backend="local", run_at="here")
        settings = TrainSettings.make(
            {
                "targets": (str(work.PROJECT),),
                "model": given.model,
                "output": Path(folder) / "run",
                "recipe": "dapo",
                "recipe_overrides": {"filters": []},  # every group is trained on, as TRL does
                "steps": given.steps,
                "prompts_per_step": given.prompts,
                "num_generations": given.samples,
                "max_completion_length": given.tokens,
                "temperature": work.TEMPERATURE,
                "learning_rate": work.LEARNING_RATE,
                "device": given.device,
                "dtype": "bfloat16" if given.device.startswith("cuda") else "float32",
                "threads": given.threads,
                "eval_tasks": 0,
                "save_steps": 0,
            }
        )
        with Hub(settings=client) as hub:
            train(settings, hub=hub, progress=Steps(work.Gate(given.device)), report=False)


if __name__ == "__main__":
    main()
