"""The settings of a training run. They have TRL's names where TRL has the setting."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.evidence.rates import Grade
from schemas.known_audit import AuditLimits
from schemas.manifest import Manifest
from schemas.wording import counted, nearest
from trainer_bridge.errors import EnvironmentUnfitError, SettingsError
from trainer_bridge.recipe_text import settings_of_local_recipe
from trainer_bridge.trl_names import translate

_NOT_SHOWN = {
    "recipe_overrides",
    "demonstrations",
    "output",
    "cache",
    "resume",
    "audit_report",
    "report_suspects",
    "engine_weights",
}


class TrainSettings(BaseModel):
    """The settings of one training run. Build them with :meth:`make`, whose errors explain what to change."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    targets: tuple[str, ...] = Field(min_length=1)
    """Environments: references (``owner/name@>=1``) or project folders."""
    target_weights: tuple[Annotated[float, Field(gt=0)], ...] = ()
    """How often each target is drawn from, relative to the others (default: equally)."""
    model: str = "smollm2"
    """``smollm2``, ``tiny``, a folder in transformers' format, or OWNER/NAME[@REVISION] on the Hugging Face hub."""
    recipe: str = "dapo"
    """A bundled recipe, a TOML file, or ``OWNER/NAME`` of a recipe package."""
    recipe_overrides: dict[str, Any] = Field(default_factory=dict)
    """Parameters of the recipe; on the command line ``--set KIND.PARAMETER=VALUE``."""
    run_name: str = ""
    """The run's name on the hub."""
    output: Path
    """The folder for model, checkpoints, metrics and rollouts: a new one, or with ``resume`` that of the run."""
    cache: Path = Field(default_factory=lambda: platformdirs.user_cache_path("verihub"))
    """Where converted models are kept."""
    resume: bool = False
    """Continue from the newest checkpoint in ``output``."""
    seed: int = 0
    """The same seed and settings give the same run."""
    device: str = "auto"
    """``cpu``, ``cuda``, …; ``auto`` takes a GPU if there is one."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """Number type of the forward pass; master weights are float32. ``auto``: bfloat16 if a measurement shows it to be
    faster.
    """

    sft_steps: int = Field(default=0, ge=0)
    """Supervised warm-up steps on the tasks' own text answers, before the first step."""
    demonstrations: Path | None = None
    """Conversations that supervised steps imitate instead of the answers: a JSONL file with ``messages`` in each
    line.
    """
    rank_timeout: float = Field(default=1800.0, gt=0)
    """Several processes: seconds that a process waits for the others before it gives up. Must exceed the longest
    rollout.
    """
    threads: int = Field(default=0, ge=0)
    """CPU threads (0: one or all, whichever is faster at each step; results then repeat up to rounding, not to the
    bit).
    """
    steps: int = Field(default=20, ge=0)
    """Training steps."""
    prompts_per_step: int = Field(default=8, ge=1)
    """Tasks for each step."""
    num_generations: int = Field(default=8, ge=2)
    """Samples for each task (G)."""
    max_completion_length: int = Field(default=24, ge=1)
    """The most tokens of one sample."""
    temperature: float = Field(default=0.7, gt=0)
    """Temperature of sampling."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Nucleus sampling; 1 filters nothing. Filters bias the importance ratio."""
    top_k: int = Field(default=0, ge=0)
    """0 filters nothing."""
    engine: Literal["own", "vllm"] = "own"
    """What generates the samples: the trainer's own engine, or vLLM (extra ``vllm``)."""
    engine_url: str = ""
    """vLLM: the URL of a server, up to the port (default: vLLM in this process). Its API key is VERIHUB_MODEL_KEY."""
    engine_weights: Path | None = None
    """vLLM: the folder to which weights are written (default: in ``output``). A server must see it under the same
    path.
    """
    engine_memory: float = Field(default=0.4, gt=0, lt=1)
    """vLLM in this process: the share of the GPU's memory that it takes."""
    decode_slots: int = Field(default=512, ge=1)
    """Samples that are generated at the same time."""
    max_staleness: int = Field(default=0, ge=0, le=1)
    """1: the next step is sampled during the update of this one, with weights that are one update old."""
    max_generation_batches: int = Field(default=3, ge=1)
    """Dynamic sampling: the most rounds of sampling in one step, until the rewards of enough groups differ."""
    harness: str = ""
    """The harness package that drives the model, as for ``verihub eval`` (default: one answer, or all turns of a
    session).
    """
    tools: tuple[str, ...] = ()
    """Tool packages beyond those of the environments and of the harness."""
    max_turns: int = Field(default=0, ge=0)
    """The most model calls of a rollout; then it ends and is judged as it is (0: as many as its harness makes)."""
    max_rollout_tokens: int = Field(default=0, ge=0)
    """The most tokens of a conversation with its prompt; then it is judged as it is (0: the model's context)."""
    max_live_rollouts: int = Field(default=512, ge=1)
    """Rollouts, and so sessions, that run at the same time (on a hub at most 8)."""
    lockstep: bool = False
    """Nothing is generated while a session, a tool or a harness works: such runs then repeat to the bit, and wait for
    the slowest.
    """
    train_split: str = "train"
    """The split that is trained on."""
    max_tasks: int = Field(default=10_000, ge=1)
    """The most tasks that are read from a split."""

    learning_rate: float = Field(default=2e-5, gt=0)
    """AdamW's learning rate."""
    lr_scheduler_type: Literal["constant", "linear", "cosine"] = "constant"
    """How the learning rate changes over the steps."""
    warmup_steps: int = Field(default=0, ge=0)
    """Steps in which the learning rate rises to its value."""
    weight_decay: float = Field(default=0.0, ge=0)
    """AdamW's weight decay."""
    adam_beta1: float = Field(default=0.9, ge=0, lt=1)
    """AdamW's decay of the first moment."""
    adam_beta2: float = Field(default=0.999, ge=0, lt=1)
    """AdamW's decay of the second moment."""
    adam_epsilon: float = Field(default=1e-8, gt=0)
    """AdamW's epsilon, added to the denominator."""
    max_grad_norm: float = Field(default=1.0, gt=0)
    """Gradients are scaled down to this norm."""
    num_iterations: int = Field(default=1, ge=1)
    """Passes over each generated batch (mu)."""
    steps_per_generation: int = Field(default=1, ge=1)
    """Optimizer steps in each pass over the samples."""
    max_tokens_per_microbatch: int = Field(default=0, ge=0)
    """Padded tokens in one micro-batch. Affects speed and memory, not the result (0: by device)."""
    max_microbatch_mb: int = Field(default=0, ge=0)
    """The size of a micro-batch by memory: the most MB kept for the backward pass, measured on the model (0: by
    tokens).
    """
    gradient_checkpointing: bool = False
    """Layers keep only their inputs and recompute the rest: less memory, about a third more time."""
    lora_r: int = Field(default=0, ge=0)
    """LoRA: the rank of the adapters, which are trained instead of the weights (0: no LoRA, all weights are
    trained).
    """
    lora_alpha: int = Field(default=0, ge=0)
    """LoRA: adapters are scaled by lora_alpha / lora_r (0: twice the rank)."""
    lora_target_modules: tuple[str, ...] = ()
    """LoRA: last parts of the names of the layers that get adapters (default: every linear layer but the head)."""

    reward_weights: dict[str, float] | tuple[float, ...] = ()
    """Weights that replace the declared ones: by the reward's name, or one for each reward in the declared order."""

    eval_split: str = ""
    """Held-out split (default: ``test`` if there is one, else tasks taken out of the training split)."""
    eval_tasks: int = Field(default=64, ge=0)
    """Held-out tasks for the evaluations before and after."""
    eval_steps: int = Field(default=0, ge=0)
    """Evaluate every so many steps, and keep the best model in ``best`` (0: only before and after)."""
    num_generations_eval: int = Field(default=1, ge=1)
    """1: one greedy answer for each task. More: samples at ``temperature``, with pass@k and avg@k."""

    max_fpr: float | None = Field(default=None, ge=0, le=1)
    """Refuse a verifier whose FPR may exceed this (upper end of the interval in its audit)."""
    max_fnr: float | None = Field(default=None, ge=0, le=1)
    """The same for its FNR."""
    require_grade: Literal["", "A", "B", "C", "D"] = ""
    """Refuse a verifier whose audit has a worse grade, or none."""
    audit_report: tuple[Path, ...] = ()
    """Reports of ``verihub audit TARGET --report FILE``, for verifiers that no hub has audited."""
    held_out_verifier: str = ""
    """A second verifier of the same rewards. It judges every sample (metrics ``held_out/*``) and is never trained
    on.
    """
    report_suspects: str = ""
    """Where to report samples that the verifier accepts and the held-out one rejects: ``hub`` or a file (default:
    nowhere).
    """
    max_suspects: int = Field(default=20, ge=1)
    """The most such samples of a run, at most one for each task."""

    save_steps: int = Field(default=50, ge=0)
    """Write a checkpoint every so many steps (0: only the final model)."""
    save_total_limit: int = Field(default=2, ge=1)
    """How many checkpoints are kept."""
    report_to: tuple[str, ...] = ()
    """Experiment trackers for the metrics: ``tensorboard``, ``wandb``, ``trackio`` (extra ``trackers``)."""
    project: str = "verihub"
    """The run's project in ``wandb`` and ``trackio``."""
    rollouts_per_step: int = Field(default=16, ge=0)
    """How many rollouts of each step are stored, in ``rollouts.jsonl`` and on the hub."""

    @classmethod
    def make(cls, values: Mapping[str, Any], recipe_settings: Mapping[str, Any] | None = None) -> Self:
        """Validate ``values`` together with the recipe's own settings, which are looked up unless the recipe is a
        package.

        Raises:
            SettingsError: a name is unknown (with the nearest known one) or a value is out of range.

        """
        values, changes = translate(values)
        if recipe_settings is None:
            recipe_settings = settings_of_local_recipe(str(values.get("recipe", "dapo")))
        if changes:
            values["recipe_overrides"] = {**values.get("recipe_overrides", {}), **changes}
        for source, table in (("", values), ("the recipe's settings: ", recipe_settings or {})):
            for name in table:
                if name not in cls.model_fields:
                    raise SettingsError(f"{source}unknown setting {name!r}; {nearest(name, cls.model_fields)}")
        try:
            settings = cls.model_validate({**(recipe_settings or {}), **values})
        except ValidationError as error:
            raise SettingsError("; ".join(_explain(item) for item in error.errors())) from None
        if settings.target_weights and len(settings.target_weights) != len(settings.targets):
            raise SettingsError(
                f"{counted(len(settings.targets), 'target')} but {counted(len(settings.target_weights), 'weight')}: "
                "give each target one (--weight)"
            )
        if settings.prompts_per_step < settings.steps_per_generation:
            raise SettingsError("steps_per_generation cannot exceed prompts_per_step: groups are never cut")
        return settings

    @property
    def audit_limits(self) -> AuditLimits:
        """The limits for the audit of each environment's verifier."""
        return AuditLimits(self.max_fpr, self.max_fnr, Grade(self.require_grade) if self.require_grade else None)

    def as_table(self) -> dict[str, Any]:
        """Name -> JSON value, for the run page."""
        table = self.model_dump(mode="json", exclude=_NOT_SHOWN, exclude_none=True)
        return {key: ", ".join(map(str, value)) if isinstance(value, list) else value for key, value in table.items()}

    def names_changed(self, recipe_settings: Mapping[str, Any]) -> list[str]:
        """The names of :meth:`as_table` whose value is neither the default nor the recipe's own, and the targets."""
        changed = []
        for name in self.as_table():
            field = type(self).model_fields[name]
            usual = recipe_settings.get(name, field.get_default(call_default_factory=True))
            if getattr(self, name) != (tuple(usual) if isinstance(usual, list) else usual):
                changed.append(name)
        return changed


def model_key() -> str | None:
    """The API key of the vLLM server. It is not part of the settings, because those are shown and stored."""
    return os.environ.get("VERIHUB_MODEL_KEY")  # noqa: TID251 -- this is the settings module


def has_launcher() -> bool:
    """Whether torchrun has started this process. Needs no torch."""
    return "TORCHELASTIC_RUN_ID" in os.environ  # noqa: TID251 -- this is the settings module


def is_one_of_several() -> bool:
    """Whether torchrun has started this process as one of several. Needs no torch."""
    return has_launcher() and int(os.environ.get("WORLD_SIZE", "1")) > 1  # noqa: TID251 -- as above


_COUNTS = {
    "WORLD_SIZE": "RANK",
    "OMPI_COMM_WORLD_SIZE": "OMPI_COMM_WORLD_RANK",
    "PMI_SIZE": "PMI_RANK",
    "SLURM_STEP_NUM_TASKS": "SLURM_PROCID",
}
"""What launchers other than torchrun (operators of Kubernetes, Open MPI, MPICH, srun) tell each process."""


def stranded() -> str:
    """By which variable this process is one of several that something other than torchrun has started; else empty."""
    given = {} if has_launcher() else os.environ  # noqa: TID251 -- as above
    names = (name for name, number in _COUNTS.items() if number in given and given.get(name, "").isdecimal())
    return next((f"{name}={given[name]}" for name in names if int(given[name]) > 1), "")


def is_first_process() -> bool:
    """Whether this process is the only one of its run, or the first that torchrun has started."""
    return not is_one_of_several() or os.environ.get("RANK") == "0"  # noqa: TID251 -- as above


def _explain(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg'][0].lower()}{error['msg'][1:]} (got {error['input']!r})"


def check_fit(manifest: Manifest, settings: TrainSettings) -> None:
    """Raise :class:`EnvironmentUnfitError` if the manifest shows that there is no such split."""
    if settings.train_split not in manifest.tasks:
        splits = ", ".join(manifest.tasks) or "none"
        raise EnvironmentUnfitError(
            f"{manifest.id} has no split {settings.train_split!r} (it has {splits}): "
            "name one to train on by --set train_split=SPLIT"
        )
