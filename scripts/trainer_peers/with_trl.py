"""Steps of TRL's GRPOTrainer on the same work, for ``scripts/bench trainer``; runs where TRL is installed."""

import json
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import torch
import work
from datasets import Dataset
from transformers import AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer


class Steps(TrainerCallback):
    """Lets the trainer go on when the driver says so."""

    def __init__(self, gate: work.Gate) -> None:
        self._gate = gate
        self.tokens = 0
        self._is_first = True

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        """Before anything of this step is sampled."""
        if self._is_first:
            self._gate.forget_peak()
            self._is_first = False
        self.tokens = 0
        self._gate.begin()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """The weights have been updated."""
        self._gate.end(self.tokens)


def rewards(steps: Steps, project: Path) -> tuple[list[Any], list[float]]:
    """One function a reward, all of one call of the verifier, and the declared weights."""
    verify = work.verifier(project).verify
    manifest = (project / "src" / "lecture_plain_style" / "verihub.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(manifest)["rewards"]
    judged: list[dict[str, float]] = []

    def reward(name: str, *, is_first: bool) -> Any:
        def given(completions: list[Any], completion_ids: list[list[int]], row: list[str], **_: Any) -> list[float]:
            if is_first:
                steps.tokens += sum(map(len, completion_ids))
                judged[:] = [
                    verify(json.loads(task), said[0]["content"]) for task, said in zip(row, completions, strict=True)
                ]
            return [one[name] for one in judged]

        given.__name__ = name
        return given

    functions = [reward(name, is_first=number == 0) for number, name in enumerate(declared)]
    return functions, [float(one.get("weight", 1.0)) for one in declared.values()]


def main() -> None:
    """Train."""
    given = work.options()
    torch.set_num_threads(given.threads)
    on_gpu = given.device.startswith("cuda")
    steps = Steps(work.Gate(given.device))
    functions, weights = rewards(steps, given.project)
    prompts = [
        {"prompt": [{"role": "user", "content": task["prompt"]}], "row": json.dumps(task)}
        for task in work.tasks(given.project)
    ]
    with tempfile.TemporaryDirectory(prefix="trl-bench-") as folder:
        config = GRPOConfig(
            output_dir=folder,
            per_device_train_batch_size=given.rows,
            gradient_accumulation_steps=given.prompts * given.samples // given.rows,
            num_generations=given.samples,
            max_completion_length=given.tokens,
            generation_kwargs={"min_new_tokens": given.tokens},
            temperature=work.TEMPERATURE,
            learning_rate=work.LEARNING_RATE,
            lr_scheduler_type="constant",
            loss_type="dapo",
            epsilon_high=work.CLIP_HIGH,
            beta=0.0,
            reward_weights=weights,
            max_steps=given.steps,
            use_cpu=not on_gpu,
            bf16=given.dtype == "bfloat16",
            model_init_kwargs={"dtype": "float32"},
            gradient_checkpointing=False,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        )
        trainer = GRPOTrainer(
            model=given.model,
            reward_funcs=functions,
            args=config,
            train_dataset=Dataset.from_list(prompts),
            processing_class=AutoTokenizer.from_pretrained(given.model, padding_side="left"),
            callbacks=[steps],
        )
        trainer.train()


if __name__ == "__main__":
    main()
