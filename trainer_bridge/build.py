"""Builds all parts of a run from settings and a hub."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import cast

import torch

import trainer_bridge.learn.checkpoints as checkpoint_files
from hub_client.environments import Environment as PackagedEnvironment
from hub_client.evaluation.harness_loader import open_harness, open_tool
from hub_client.run_logger import RunLogger
from schemas.known_audit import KnownAudit
from trainer_bridge.components.contract import RunFacts
from trainer_bridge.errors import SettingsError
from trainer_bridge.known_audits import KnownAudits, what_changed
from trainer_bridge.learn.checkpoints import Checkpoint
from trainer_bridge.learn.learner import Learner
from trainer_bridge.models.devices import pick_device, pick_dtype
from trainer_bridge.models.loaded_model import LoadedModel, load_model
from trainer_bridge.models.lora import add_adapters
from trainer_bridge.ports import Hub, Progress, Verifier
from trainer_bridge.ranks import Ranks
from trainer_bridge.recipe import Recipe
from trainer_bridge.reports.receipt import NAME as RECEIPT
from trainer_bridge.reports.receipt import Receipt
from trainer_bridge.reports.silent_logger import SilentLogger
from trainer_bridge.reports.trackers import open_trackers
from trainer_bridge.rewards import RewardSpace, merge_spaces
from trainer_bridge.rollout.chat import ChatModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.requests import GenerationEngine
from trainer_bridge.rollout.rollouts import Draw
from trainer_bridge.rollout.scorer import Scorer
from trainer_bridge.rollout.task_stream import TaskPool, TaskStream, open_pool
from trainer_bridge.rollout.vllm_engine import VllmInProcess, VllmServer, WeightsFolder
from trainer_bridge.rollout.worker import PlayLimits, RolloutWorker
from trainer_bridge.run_parts import RunParts
from trainer_bridge.run_state import TrainingState
from trainer_bridge.settings import TrainSettings, is_one_of_several, model_key
from trainer_bridge.suspects import Suspects, open_suspects


@contextmanager
def open_parts(
    settings: TrainSettings,
    recipe: Recipe,
    hub: Hub,
    progress: Progress,
    *,
    ranks: Ranks | None = None,
    report: bool,
    audits: Mapping[str, KnownAudit] | None = None,
) -> Iterator[RunParts]:
    """Open environments, model and threads, and close them at the end. With ``resume``, load the newest checkpoint.

    ``audits``: those of a run that is replayed. Error rates are then taken from them, and no limit is checked.

    Raises:
        AuditLimitError: a verifier's audit is missing or exceeds the limits in the settings.
        EnvironmentUnfitError: an environment cannot be trained on. ModelError: the model cannot be fetched or loaded.
        CheckpointMismatchError: with ``resume``, the folder holds a checkpoint of another run.

    """
    ranks = ranks or Ranks()
    with ranks.fail_together():
        if ranks.is_first:
            _refuse_used_folder(settings)
            _warn_of_cut(settings, progress)
    with ExitStack() as stack:
        pools, found = _open_pools(settings, hub, progress, ranks, stack)
        space = merge_spaces({pool.name: pool.environment.rewards for pool in pools})
        space = space.weighted(settings.reward_weights)
        audits = _audits_of_run(settings, found, progress) if audits is None else audits
        recipe = recipe.for_run(run_facts(settings, [pool.name for pool in pools], space, audits))
        device = ranks.device or pick_device(settings.device)
        loaded = _model(settings, device, progress, ranks, offline=hub.is_offline)
        scorer, suspects, unsaid = _open_judging(settings, hub, pools, progress, ranks, stack)
        worker = _worker(settings, hub, pools, loaded, scorer, progress)
        parts = RunParts(
            settings=settings,
            recipe=recipe,
            space=space,
            pools=pools,
            stream=TaskStream(pools, settings.target_weights, recipe.sampler, settings.seed),
            held_out=[Draw(number, pool.name, task) for number, pool in enumerate(pools) for task in pool.held_out],
            loaded=loaded,
            worker=replace(worker, ranks=ranks, unsaid=unsaid),
            learner=Learner(loaded.model, recipe, settings, ranks),
            state=TrainingState(),
            run_logger=_run_logger(settings, recipe, pools, hub, progress, report=report, speaks=ranks.is_first),
            progress=progress,
            ranks=ranks,
            audits=audits,
            suspects=suspects,
            threads=_threads(settings, device),
        )
        stack.callback(parts.worker.engine.close)
        ranks.require_same(parts.identity())
        if settings.resume:
            _resume(parts)
        yield parts


def _warn_of_cut(settings: TrainSettings, progress: Progress) -> None:
    if settings.top_p < 1 or settings.top_k:
        progress.warn(
            "top_p and top_k cut off what is sampled, and the importance ratio is computed without the cut: updates "
            "are biased. Watch mismatch_kl/mean, or leave them at 1 and 0"
        )


def run_facts(
    settings: TrainSettings, packages: Sequence[str], space: RewardSpace, audits: Mapping[str, KnownAudit]
) -> RunFacts:
    """The facts of a run that components may read."""
    return RunFacts(
        settings.max_completion_length,
        settings.steps,
        settings.num_iterations * settings.steps_per_generation,
        {name: space.of_environment(number) for number, name in enumerate(packages)},
        audits,
    )


def _open_pools(
    settings: TrainSettings, hub: Hub, progress: Progress, ranks: Ranks, stack: ExitStack
) -> tuple[list[TaskPool], dict[str, KnownAudit]]:
    """The tasks of each target, and the audit of its verifier. The first process asks the hub for all processes."""
    pools: list[TaskPool] = []
    audits: dict[str, KnownAudit] = {}
    with ranks.fail_together():
        known = KnownAudits(hub, settings.audit_limits, settings.audit_report) if ranks.is_first else None
    for target in settings.targets:
        progress.say(f"Opening {target}")
        environment = hub.environment(target)
        stack.callback(environment.close)
        with ranks.fail_together():
            found = known.find(environment) if known is not None else None
        found = ranks.broadcast_object(found)
        if found is not None:
            audits[environment.manifest.id] = found
        pools.append(open_pool(environment, settings))
    if len({pool.name for pool in pools}) < len(pools):
        raise SettingsError("the same environment is named twice: give it a larger weight instead")
    return pools, audits


def _open_judging(
    settings: TrainSettings, hub: Hub, pools: Sequence[TaskPool], progress: Progress, ranks: Ranks, stack: ExitStack
) -> tuple[Scorer, Suspects, list[str]]:
    """The scorer, the collector of samples on which two verifiers disagree, and a list of warnings for the first
    process.

    With several processes, only the first warns and keeps such samples. The others collect their warnings in the list.
    """
    held_out = _held_out_verifier(settings, hub, stack)
    judges = [pool.environment for pool in pools]
    suspects = open_suspects(settings, judges=judges, held_out=held_out, hub=hub, progress=progress)
    if ranks.is_first:
        stack.callback(suspects.close)
    unsaid: list[str] = []
    warn = progress.warn if ranks.is_first else unsaid.append
    scorer = stack.enter_context(Scorer([*judges, *([held_out] if held_out else [])], warn))
    return scorer, suspects if ranks.is_first else Suspects(), unsaid


def _held_out_verifier(settings: TrainSettings, hub: Hub, stack: ExitStack) -> Verifier | None:
    if not settings.held_out_verifier:
        return None
    found = hub.verifier(settings.held_out_verifier)
    stack.callback(found.close)
    return found


def _audits_of_run(
    settings: TrainSettings, found: dict[str, KnownAudit], progress: Progress
) -> Mapping[str, KnownAudit]:
    """The audits to use: for a run that goes on those in its receipt, so that its rates stay the same; else those that
    were found.
    """
    goes_on = settings.resume and checkpoint_files.newest_checkpoint(settings.output) is not None
    if not goes_on or not (settings.output / RECEIPT).exists():
        return found
    began = Receipt.read(settings.output).audits
    for line in what_changed(began, found):
        progress.warn(f"{line}. The run keeps to what it began with")
    return began


def _model(
    settings: TrainSettings, device: torch.device, progress: Progress, ranks: Ranks, *, offline: bool
) -> LoadedModel:
    """The policy, with LoRA adapters if the settings ask for them."""
    dtype = ranks.broadcast_object(pick_dtype(settings.dtype, device, is_tiny=settings.model == "tiny"))
    loaded = load_model(
        settings.model, dtype=dtype, device=device, cache=settings.cache, say=progress.say, offline=offline
    )
    if settings.lora_r:
        add_adapters(
            loaded.model,
            rank=settings.lora_r,
            alpha=settings.lora_alpha or 2 * settings.lora_r,
            targets=settings.lora_target_modules,
            seed=settings.seed,
        )
    return loaded


def _run_logger(
    settings: TrainSettings,
    recipe: Recipe,
    pools: Sequence[TaskPool],
    hub: Hub,
    progress: Progress,
    *,
    report: bool,
    speaks: bool,
) -> RunLogger:
    """What reports the run to files, hub and trackers. With several processes only the first one reports."""
    if not speaks:
        return SilentLogger()
    trackers = open_trackers(
        settings.report_to,
        settings.output,
        project=settings.project,
        name=settings.run_name or f"{recipe.name} on {pools[0].name}",
        config={**settings.as_table(), **recipe.as_table()},
        warn=progress.warn,
    )
    return RunLogger(hub.runs if report else None, settings.output, progress.warn, trackers=trackers)


def _threads(settings: TrainSettings, device: torch.device) -> int:
    """Set torch's number of CPU threads. Returns the most threads that a step may choose.

    Returns 1 (no choice) if the settings fix a number, and on a GPU, where CPU threads do not matter.
    """
    if settings.threads:
        torch.set_num_threads(settings.threads)
        return 1
    return torch.get_num_threads() if device.type == "cpu" and settings.model != "tiny" else 1


def _worker(
    settings: TrainSettings,
    hub: Hub,
    pools: Sequence[TaskPool],
    loaded: LoadedModel,
    scorer: Scorer,
    progress: Progress,
) -> RolloutWorker:
    """The worker that plays rollouts, with harness, engine and limits.

    In the scorer, the pools' verifiers come first and the held-out one last.
    """
    if not settings.harness and any(pool.environment.manifest.own_tools for pool in pools):
        progress.warn("an environment has tools, which the default harness does not offer: name a --harness that does")
    return RolloutWorker(
        engine=_engine(settings, loaded),
        model=ChatModel(loaded, settings.model),
        harness=open_harness(hub, settings.harness, [open_tool(hub, name) for name in settings.tools]),
        environments=[cast("PackagedEnvironment", pool.environment) for pool in pools],
        scorer=scorer,
        generator=torch.Generator(device=loaded.model.device).manual_seed(settings.seed),
        progress=progress,
        limits=PlayLimits(
            _most_live(settings, hub, pools),
            settings.max_turns,
            settings.max_rollout_tokens,
            lockstep=settings.lockstep,
        ),
        held_out_verifier=len(pools) if settings.held_out_verifier else None,
    )


def _most_live(settings: TrainSettings, hub: Hub, pools: Sequence[TaskPool]) -> int:
    """How many rollouts live at once: no more than there may be sessions. Others would be refused."""
    has_sessions = any(pool.environment.manifest.session is not None for pool in pools)
    most = hub.runner().most_sessions if has_sessions else 0
    return min(settings.max_live_rollouts, most or settings.max_live_rollouts)


def _engine(settings: TrainSettings, loaded: LoadedModel) -> GenerationEngine:
    """The engine that generates the samples."""
    if settings.engine == "own":
        return open_engine(loaded, slots=settings.decode_slots, apart=settings.max_staleness > 0)
    if is_one_of_several():
        raise SettingsError("engine=vllm is for one process: over several, each process has the trainer's own engine")
    weights = WeightsFolder(loaded, settings.engine_weights or settings.output / "engine")
    if settings.engine_url:
        return VllmServer(settings.engine_url, weights, key=model_key(), slots=settings.decode_slots)
    return VllmInProcess(weights, slots=settings.decode_slots, memory=settings.engine_memory)


def _refuse_used_folder(settings: TrainSettings) -> None:
    """Refuse an output folder that holds another run: its files would be overwritten."""
    used = any((settings.output / name).exists() for name in ("metrics.jsonl", "checkpoints", "model"))
    if used and not settings.resume:
        raise SettingsError(f"{settings.output} holds an earlier run: choose another --output, or add --resume")


def _resume(parts: RunParts) -> None:
    """Load the newest checkpoint. If there is none, the run starts at step 0."""
    ranks, latest = parts.ranks, checkpoint_files.newest_checkpoint(parts.settings.output)
    if not ranks.broadcast_object(latest is not None):
        parts.run_logger.go_on_after(-1)
        return
    checkpoint = Checkpoint({}, {}, {})
    with ranks.fail_together():
        if ranks.is_first and latest is not None:
            # the first process sends whole tensors, one by one
            at = parts.learner.device if ranks.count == 1 else torch.device("cpu")
            checkpoint = checkpoint_files.load(latest, parts.identity(), at)
    parts.restore(checkpoint)
    parts.run_logger.go_on_after(parts.state.step)
    if not ranks.broadcast_object(
        (parts.settings.output / "best").exists()
    ):  # the process was killed while the file was replaced; the next evaluation writes it again
        parts.state.best = float("-inf")
    parts.progress.say(f"Resuming after step {parts.state.step}")
