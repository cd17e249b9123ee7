"""What a training run can be told, under TRL's names where TRL has one."""

from collections.abc import Mapping
from math import cos, pi
from pathlib import Path
from typing import Any, Literal, Self

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainer_bridge.components.registry import nearest
from trainer_bridge.errors import SettingsError


class TrainSettings(BaseModel):
    """One training run. Build it with :meth:`make`, which explains every refusal."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    targets: tuple[str, ...] = Field(min_length=1)
    """Environments: references (``owner/name@>=1``) or project folders."""
    target_weights: tuple[float, ...] = ()
    """How often each target is drawn from, relative to the others (default: equally)."""
    model: str = "smollm2"
    recipe: str = "dapo"
    recipe_overrides: dict[str, Any] = Field(default_factory=dict)
    run_name: str = ""
    output: Path
    """Where model, checkpoints, metrics and rollouts go: a new folder, or with ``resume`` that of the run."""
    cache: Path = Field(default_factory=lambda: platformdirs.user_cache_path("verihub"))
    resume: bool = False
    seed: int = 0
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"

    sft_steps: int = Field(default=0, ge=0)
    """Supervised warm-up steps on the tasks' own text answers, before the first step."""
    threads: int = Field(default=0, ge=0)
    """CPU threads (0: one or all, whichever is faster just then; results then repeat to rounding, not to the bit)."""
    steps: int = Field(default=20, ge=0)
    prompts_per_step: int = Field(default=8, ge=1)
    num_generations: int = Field(default=8, ge=2)
    """Samples a prompt (G)."""
    max_completion_length: int = Field(default=24, ge=1)
    temperature: float = Field(default=0.7, gt=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    top_k: int = Field(default=0, ge=0)
    decode_slots: int = Field(default=256, ge=1)
    max_generation_batches: int = Field(default=3, ge=1)
    """Dynamic sampling: at most this many rounds of sampling a step, until enough groups differ."""
    train_split: str = "train"
    max_tasks: int = Field(default=10_000, ge=1)

    learning_rate: float = Field(default=2e-5, gt=0)
    lr_scheduler_type: Literal["constant", "linear", "cosine"] = "constant"
    warmup_steps: int = Field(default=0, ge=0)
    weight_decay: float = Field(default=0.0, ge=0)
    adam_beta1: float = Field(default=0.9, ge=0, lt=1)
    adam_beta2: float = Field(default=0.999, ge=0, lt=1)
    adam_epsilon: float = Field(default=1e-8, gt=0)
    max_grad_norm: float = Field(default=1.0, gt=0)
    num_iterations: int = Field(default=1, ge=1)
    """Passes over each generated batch (mu)."""
    steps_per_generation: int = Field(default=1, ge=1)
    """Optimizer steps that each pass is cut into."""
    max_tokens_per_microbatch: int = Field(default=0, ge=0)
    """Padded tokens that go through the model at once: speed and memory, never the result (0: by device)."""

    eval_split: str = ""
    """Held-out split (default: ``test`` where there is one, else tasks taken out of the training split)."""
    eval_tasks: int = Field(default=64, ge=0)
    num_generations_eval: int = Field(default=1, ge=1)
    """1: one greedy answer a task. More: samples at ``temperature``, and pass@k."""

    held_out_verifier: str = ""
    """A second verifier of the same rewards that judges every sample and is never learnt from: ``held_out/*``."""

    save_steps: int = Field(default=50, ge=0)
    """A checkpoint every so many steps (0: none but the final model)."""
    save_total_limit: int = Field(default=2, ge=1)
    rollouts_per_step: int = Field(default=16, ge=0)
    """How many of a step's rollouts are sent to the hub."""

    @classmethod
    def make(cls, values: Mapping[str, Any], recipe_settings: Mapping[str, Any] | None = None) -> Self:
        """Validate ``values`` over the recipe's own defaults.

        Raises:
            SettingsError: a name is unknown (with the nearest known one) or a value is out of range.

        """
        for source, table in (("", values), ("the recipe's settings: ", recipe_settings or {})):
            for name in table:
                if name not in cls.model_fields:
                    raise SettingsError(f"{source}unknown setting {name!r}{nearest(name, cls.model_fields)}")
        try:
            settings = cls.model_validate({**(recipe_settings or {}), **values})
        except ValidationError as error:
            raise SettingsError("; ".join(_explain(item) for item in error.errors())) from None
        if settings.target_weights and len(settings.target_weights) != len(settings.targets):
            raise SettingsError(
                f"{len(settings.targets)} targets but {len(settings.target_weights)} target_weights: give one each"
            )
        if settings.prompts_per_step < settings.steps_per_generation:
            raise SettingsError("steps_per_generation cannot exceed prompts_per_step: groups are never cut")
        return settings

    def learning_rate_at(self, step: int) -> float:
        """Learning rate of optimizer step ``step`` (from 0), after warm-up and schedule."""
        from_warmup = min(1.0, (step + 1) / self.warmup_steps) if self.warmup_steps else 1.0
        done = step / max(self.steps, 1)
        scale = {"constant": 1.0, "linear": 1 - done, "cosine": 0.5 * (1 + cos(pi * done))}[self.lr_scheduler_type]
        return self.learning_rate * from_warmup * scale

    def as_table(self) -> dict[str, Any]:
        """Flat name -> JSON value, for the run page."""
        table = self.model_dump(mode="json", exclude={"recipe_overrides", "output", "cache", "resume"})
        return {key: ", ".join(map(str, value)) if isinstance(value, list) else value for key, value in table.items()}


def _explain(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg'][0].lower()}{error['msg'][1:]} (got {error['input']!r})"
