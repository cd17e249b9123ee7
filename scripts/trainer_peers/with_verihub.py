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
from trainer_bridge.learn.learner import Learner
from trainer_bridge.loop import train
from trainer_bridge.models.loaded_model import LoadedModel, load_model
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.rollout.worker import RolloutWorker
from trainer_bridge.settings import TrainSettings


class Steps(NoProgress):
    """Lets the loop go on when the driver says so."""

    def __init__(self, gate: work.Gate, cpu: "CpuSeconds") -> None:
        self._gate, self._cpu = gate, cpu

    def say(self, text: str) -> None:
        if text.startswith("Training:"):  # all is open, and the first step comes next
            self._gate.forget_peak()
            self._gate.begin()
            self._cpu.take()

    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        tokens = metrics["completions/mean_length"] * metrics["num_completions"]
        self._gate.end(tokens, metrics=dict(metrics), cpu=self._cpu.take())
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


class CpuSeconds:
    """CPU time that this thread spent in the methods that are watched. Other processes hardly change it."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    def watch(self, owner: type, method: str) -> None:
        """Count the time that ``method`` of ``owner`` takes from now on."""
        plain = getattr(owner, method)

        def timed(*given: Any, **named: Any) -> Any:
            start = time.thread_time()
            try:
                return plain(*given, **named)
            finally:
                self._spent[method] = self._spent.get(method, 0.0) + time.thread_time() - start

        setattr(owner, method, timed)

    def take(self) -> dict[str, float]:
        """Seconds by method, and begin anew."""
        taken, self._spent = self._spent, {}
        return taken


def main() -> None:
    """Train."""
    given = work.options()
    torch.set_num_threads(given.threads)
    cpu = CpuSeconds()
    cpu.watch(RolloutWorker, "collect")
    cpu.watch(Learner, "update")
    trainer_bridge.build.load_model = never_ending  # type: ignore[attr-defined]
    os.environ["VERIHUB_SANDBOX_TRUST_LOCAL_CODE"] = "1"  # the collection's code, which is this repository's own
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        client = ClientSettings.load(cache_dir=Path(folder) / "cache", offline=True, backend="local", run_at="here")
        settings = TrainSettings.make(
            {
                "targets": (str(given.project),),
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
                "dtype": given.dtype,
                "threads": given.threads,
                "eval_tasks": 0,
                "save_steps": 0,
            }
        )
        with Hub(settings=client) as hub:
            train(settings, hub=hub, progress=Steps(work.Gate(given.device), cpu), report=False)


if __name__ == "__main__":
    main()
