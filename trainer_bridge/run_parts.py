"""All parts of a run, what a checkpoint stores of them, and the run's identity and receipt."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

import trainer_bridge.learn.checkpoints as checkpoint_files
from hub_client.run_logger import RunLogger
from schemas.known_audit import KnownAudit
from schemas.run import SHOWN_FIRST, PinnedPackage, RunCreate
from trainer_bridge.learn.checkpoints import Checkpoint
from trainer_bridge.learn.learner import Learner
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.ports import Progress
from trainer_bridge.ranks import Ranks
from trainer_bridge.recipe import Recipe
from trainer_bridge.reports.receipt import Receipt, machine, versions, weights_digest
from trainer_bridge.rewards import RewardSpace
from trainer_bridge.rollout.demonstrations import digest_of
from trainer_bridge.rollout.rollouts import Draw
from trainer_bridge.rollout.task_stream import TaskPool, TaskStream
from trainer_bridge.rollout.worker import RolloutWorker
from trainer_bridge.run_state import TrainingState
from trainer_bridge.settings import TrainSettings
from trainer_bridge.suspects import Suspects

_OF_THE_MODEL = ("parameters", "dtype", "device", "processes", "model_revision")


@dataclass(frozen=True)
class RunParts:
    """The objects that the loop works with.

    Only ``state``, the task stream's position and the weights change during a run.
    """

    settings: TrainSettings
    recipe: Recipe
    space: RewardSpace
    pools: list[TaskPool]
    stream: TaskStream
    held_out: list[Draw]
    loaded: LoadedModel
    worker: RolloutWorker
    learner: Learner
    state: TrainingState
    run_logger: RunLogger
    progress: Progress
    ranks: Ranks = field(default_factory=Ranks)
    """The processes of the run."""
    suspects: Suspects = field(default_factory=Suspects)
    """Collects samples on which the two verifiers disagree."""
    audits: Mapping[str, KnownAudit] = field(default_factory=dict)
    """The audit of each environment's verifier at the start of the run, by the environment's name."""
    threads: int = 1
    """The most CPU threads that a step may choose; 1 if there is no choice."""

    def identity(self) -> dict[str, Any]:
        """What must not change when a run is resumed. Checkpoints of another identity are refused."""
        table = self.settings.model_dump(mode="json", exclude={"output", "cache", "resume", "recipe_overrides"})
        packages = {pool.name: pool.environment.digest for pool in self.pools}
        held_out = hashlib.sha256("".join(draw.task.key for draw in self.held_out).encode()).hexdigest()
        number_type = str(next(self.loaded.model.parameters()).dtype)
        # Format 2 stored the whole reference model; format 1 stored the task stream's state differently.
        table["checkpoint_format"] = 3
        if self.loaded.revision:  # the owner of a model on the Hugging Face hub can change the weights behind a name
            table["model_revision"] = self.loaded.revision
        table["demonstrations"] = digest_of(self.settings.demonstrations)
        return {**table, **self.recipe.as_table(), "packages": packages, "held_out": held_out, "dtype": number_type}

    def save(self) -> None:
        """Write a checkpoint of the present state. All processes must call this; the first one writes."""
        facts = {
            **self.state.to_json(),
            "stream": self.stream.state(),
            "run_id": self.run_logger.run_id,
        }
        tensors = {**self.learner.weights.state(), "generator": self.worker.generator.get_state()}
        if self.learner.reference is not None and self.settings.sft_steps:
            tensors["reference"] = self.learner.weights.whole(self.learner.reference)
        checkpoint, folder = Checkpoint(tensors, facts, self.identity()), self.settings.output
        with self.ranks.fail_together():
            if self.ranks.is_first:
                kept = self.settings.save_total_limit
                checkpoint_files.save(checkpoint_files.checkpoint_folder(folder), checkpoint, keep=kept)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue exactly where :meth:`save` was called."""
        facts = self.ranks.broadcast_object(checkpoint.facts)
        self.stream.restore(facts["stream"])
        vars(self.state).update(vars(TrainingState.from_json(facts, self.space)))
        self.run_logger.run_id = facts["run_id"]
        tensors = checkpoint.tensors
        self.learner.weights.restore(tensors)
        if self.learner.reference is not None and self.ranks.broadcast_object("reference" in tensors):
            self.learner.reference = self.learner.weights.shares(tensors.get("reference"))
        drawn: torch.Tensor = self.ranks.broadcast_object(tensors.get("generator", torch.empty(0)))
        self.worker.generator.set_state(drawn.cpu())

    def receipt(self, opened: Mapping[str, PinnedPackage]) -> Receipt:
        """The run's receipt: settings, recipe, package digests and library versions. ``opened``: packages by name."""
        told = self.run_to_create()
        return Receipt(
            settings=self.settings.model_dump(mode="json"),
            recipe=self.recipe.as_table(),
            packages=told.packages,
            model={name: told.config[name] for name in _OF_THE_MODEL if name in told.config},
            versions=versions(),
            machine=machine(),
            opened=dict(opened),
            files={"weights": weights_digest(self.loaded.model.named_parameters())}
            | ({"demonstrations": shown} if (shown := digest_of(self.settings.demonstrations)) else {}),
            audits=dict(self.audits),
        )

    def run_to_create(self) -> RunCreate:
        """The description of this run that is sent to the hub when the run is created."""
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
        if self.ranks.count > 1:
            facts["processes"] = self.ranks.count
        if self.loaded.revision:
            facts["model_revision"] = self.loaded.revision
        audits = {
            f"audit.{name}": f"{known.audit or 'a file'}: {known.in_words}" for name, known in self.audits.items()
        }
        chosen = self.settings.names_changed(self.recipe.settings)
        chosen += _overridden(self.recipe.as_table(), self.settings.recipe_overrides)
        return RunCreate(
            name=self.settings.run_name or f"{self.settings.recipe} on {self.pools[0].name}",
            model=self.settings.model,
            recipe=self.recipe.name,
            packages=packages,
            rewards=dict(self.space.declarations),
            config={
                **self.settings.as_table(),
                **self.recipe.as_table(),
                **facts,
                **audits,
                SHOWN_FIRST: [*chosen, *facts, *audits],
            },
        )


def _overridden(table: Mapping[str, Any], overrides: Mapping[str, Any]) -> list[str]:
    """The names of a recipe's table that overrides set: whole kinds, and parameters of a component."""
    asked = [path.split(".") for path in overrides]
    return [name for name in table if any(_is_set_by(name.split("."), path) for path in asked)]


def _is_set_by(name: list[str], path: list[str]) -> bool:
    """``kind.component.parameter`` by itself, by ``kind.parameter``, and with all of its kind by ``kind``."""
    if name[0] != path[0] or len(path) == 1:
        return name[0] == path[0]
    return name[-1] == path[-1] and set(path) <= set(name)
