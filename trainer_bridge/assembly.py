"""Settings and a hub in, the parts of a run out, wired once."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

import trainer_bridge.checkpoints as checkpoint_files
from schemas.run import PinnedPackage, RunCreate
from trainer_bridge.batch import State
from trainer_bridge.checkpoints import Checkpoint
from trainer_bridge.decoding.completions import Decoder
from trainer_bridge.decoding.llama_forward import LlamaForward, is_supported
from trainer_bridge.decoding.static_decoder import StaticDecoder
from trainer_bridge.decoding.transformers_decoder import TransformersDecoder
from trainer_bridge.devices import pick_device, pick_dtype
from trainer_bridge.errors import SettingsError
from trainer_bridge.evaluation import Evaluation
from trainer_bridge.learner import Learner
from trainer_bridge.models.loading import LoadedModel, load_model
from trainer_bridge.progress import Progress
from trainer_bridge.recipe import Recipe
from trainer_bridge.reporting import RunReporter
from trainer_bridge.rewards import RewardSpace, merge_spaces
from trainer_bridge.rollouts import RolloutWorker
from trainer_bridge.scoring import Scorer
from trainer_bridge.settings import TrainSettings
from trainer_bridge.stream import Draw, Hub, TaskPool, TaskStream, open_pool


@dataclass
class Parts:
    """Everything the loop works with."""

    settings: TrainSettings
    recipe: Recipe
    space: RewardSpace
    pools: list[TaskPool]
    stream: TaskStream
    held_out: list[Draw]
    loaded: LoadedModel
    worker: RolloutWorker
    learner: Learner
    state: State
    reporter: RunReporter
    progress: Progress
    before: Evaluation | None = None
    last_metrics: dict[str, float] = field(default_factory=dict)
    threads: int = 1
    """How many CPU threads a step may choose: 1 where the choice is made already."""

    def identity(self) -> dict[str, Any]:
        """What must be the same for a resumed run to be the same run."""
        table = self.settings.model_dump(mode="json", exclude={"output", "cache", "resume", "recipe_overrides"})
        packages = {pool.name: pool.environment.digest for pool in self.pools}
        held_out = hashlib.sha256("".join(draw.task.key for draw in self.held_out).encode()).hexdigest()
        number_type = str(next(self.loaded.model.parameters()).dtype)
        return {**table, **self.recipe.as_table(), "packages": packages, "held_out": held_out, "dtype": number_type}

    def save(self) -> None:
        """Write a checkpoint of this moment."""
        facts = {
            "step": self.state.step,
            "coefficients": self.state.coefficients,
            "memory": self.state.memory,
            "stream": self.stream.state(),
            "run_id": self.reporter.run_id,
            "before": self.before.to_json() if self.before else None,
            "last_metrics": self.last_metrics,
        }
        tensors = {**self.learner.weights.state(), "generator": self.worker.generator.get_state()}
        checkpoint = Checkpoint(tensors, facts, self.identity())
        checkpoint_files.save(self.settings.output / "checkpoints", checkpoint, keep=self.settings.save_total_limit)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue exactly where :meth:`save` was called."""
        facts = checkpoint.facts
        self.state = State(facts["step"], facts["coefficients"], facts["memory"])
        self.stream.restore(facts["stream"])
        self.before = Evaluation.from_json(facts["before"]) if facts["before"] else None
        self.last_metrics = facts["last_metrics"]
        self.reporter.run_id = facts["run_id"]
        self.learner.weights.restore(checkpoint.tensors)
        self.worker.generator.set_state(checkpoint.tensors["generator"].cpu())

    def run_to_create(self) -> RunCreate:
        """What the hub is told of this run."""
        packages = [
            PinnedPackage(package=pool.name, version=pool.environment.version, digest=pool.environment.digest)
            for pool in self.pools
        ]
        packages += [self.recipe.package] if self.recipe.package else []
        model = self.loaded.model
        facts = {
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "dtype": str(next(model.parameters()).dtype).removeprefix("torch."),
            "device": str(self.learner.device),
            "torch": torch.__version__,
        }
        return RunCreate(
            name=self.settings.run_name or f"{self.settings.recipe} on {self.pools[0].name}",
            model=self.settings.model,
            recipe=self.recipe.name,
            packages=packages,
            rewards=dict(self.space.declarations),
            config={**self.settings.as_table(), **self.recipe.as_table(), **facts},
        )


@contextmanager
def open_parts(
    settings: TrainSettings, recipe: Recipe, hub: Hub, progress: Progress, *, report: bool
) -> Iterator[Parts]:
    """Open environments, model and threads; close them again. Resumes when the settings say so.

    Raises:
        EnvironmentUnfitError: an environment cannot be trained on.
        ModelError: the model cannot be had.
        CheckpointMismatchError: ``resume`` finds another run's checkpoint.

    """
    _refuse_used_folder(settings)
    device = pick_device(settings.device)
    dtype = pick_dtype(settings.dtype, device, is_tiny=settings.model == "tiny")
    with ExitStack() as stack:
        pools = []
        for target in settings.targets:
            progress.say(f"Opening {target}")
            environment = hub.environment(target)
            stack.callback(environment.close)
            pools.append(open_pool(environment, settings))
        if len({pool.name for pool in pools}) < len(pools):
            raise SettingsError("the same environment is named twice: give it a larger weight instead")
        space = merge_spaces({pool.name: pool.environment.rewards for pool in pools})
        loaded = load_model(settings.model, dtype=dtype, device=device, cache=settings.cache, say=progress.say)
        watchers = [hub.verifier(settings.held_out_verifier)] if settings.held_out_verifier else []
        for watcher in watchers:
            stack.callback(watcher.close)
        scorer = stack.enter_context(Scorer([*(pool.environment for pool in pools), *watchers], progress.warn))
        generator = torch.Generator(device=device).manual_seed(settings.seed)
        parts = Parts(
            settings=settings,
            recipe=recipe,
            space=space,
            pools=pools,
            stream=TaskStream(pools, settings.target_weights, recipe.sampler, settings.seed),
            held_out=[Draw(number, pool.name, task) for number, pool in enumerate(pools) for task in pool.held_out],
            loaded=loaded,
            worker=RolloutWorker(
                make_decoder(loaded, settings),
                loaded.tokenizer,
                scorer,
                generator,
                progress,
                len(pools) if watchers else None,
            ),
            learner=Learner(loaded.model, recipe, settings),
            state=State(),
            reporter=RunReporter(hub.runs if report else None, settings.output, progress.warn),
            progress=progress,
            threads=_threads(settings, device),
        )
        if settings.resume:
            _resume(parts)
        yield parts


def _threads(settings: TrainSettings, device: torch.device) -> int:
    """A fixed number is set once, and leaves nothing to choose; on a GPU the CPU's threads do not matter."""
    if settings.threads:
        torch.set_num_threads(settings.threads)
        return 1
    return torch.get_num_threads() if device.type == "cpu" and settings.model != "tiny" else 1


def make_decoder(loaded: LoadedModel, settings: TrainSettings) -> Decoder:
    """The own decoder where it knows the architecture, else transformers' generate."""
    if not is_supported(loaded.model.config):
        return TransformersDecoder(loaded.model, loaded.eos_ids)
    on_gpu = loaded.model.device.type == "cuda"
    return StaticDecoder(
        LlamaForward(loaded.model),
        loaded.eos_ids,
        slots=settings.decode_slots,
        steps_between_looks=4 if on_gpu else 1,
        cuda_graphs=on_gpu,
    )


def _refuse_used_folder(settings: TrainSettings) -> None:
    """Never write one run over another's files."""
    used = any((settings.output / name).exists() for name in ("metrics.jsonl", "checkpoints", "model"))
    if used and not settings.resume:
        raise SettingsError(f"{settings.output} holds an earlier run: choose another --output, or add --resume")


def _resume(parts: Parts) -> None:
    """Load the newest checkpoint; without one the run begins at the beginning."""
    latest = checkpoint_files.find_latest(parts.settings.output / "checkpoints")
    if latest is not None:
        parts.restore(checkpoint_files.load(latest, parts.identity(), parts.learner.device))
        parts.progress.say(f"Resuming after step {parts.state.step}")
