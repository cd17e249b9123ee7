"""The command ``verihub train``: collects the settings, trains, and prints what changed.

Every name is checked before torch is imported, which takes seconds, so that a typo is reported at once.
"""

import json
import logging
import math
import shlex
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from hub_client.client import project_folder
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.errors import (
    CheckFailedError,
    ConflictError,
    HubClientError,
    HubUnreachableError,
    IntegrityError,
    UsageError,
)
from hub_client.evaluation.harness_loader import open_harness, open_tool
from hub_client.settings import OutputFormat, global_options, wants_colour
from schemas.wording import counted
from trainer_bridge.components.names import component_parameters
from trainer_bridge.errors import SettingsError, TrainerBridgeError
from trainer_bridge.launcher import end_with_launcher
from trainer_bridge.models.names import check_model_name
from trainer_bridge.ports import Hub
from trainer_bridge.recipe_text import find_recipe
from trainer_bridge.settings import TrainSettings, check_fit, has_launcher, is_first_process, is_one_of_several
from trainer_bridge.trl_names import translate

if TYPE_CHECKING:
    from trainer_bridge.loop import TrainResult
    from trainer_bridge.reports.evaluation import Change, Mean

_CLIENT_ERRORS: dict[int, type[HubClientError]] = {
    error.exit_code: error for error in (HubClientError, UsageError, ConflictError, IntegrityError, HubUnreachableError)
}


def run(given: dict[str, Any], more: Sequence[str], *, report: bool) -> None:
    """Run the command. Raises the client's errors, as every command does."""
    if has_launcher():
        end_with_launcher()
    settings: TrainSettings | None = None
    with open_context() as context:
        try:
            settings = make_settings({"cache": context.settings.cache_dir, **given}, more, context.hub)
            check_names(settings, context.hub)
            result = _train(context, settings, report=report)
        except TrainerBridgeError as error:
            raise _CLIENT_ERRORS[error.exit_code](str(error)) from error
        except KeyboardInterrupt:
            if settings is not None and is_first_process():
                context.output.remark(how_to_go_on(given, more, settings.output, report=report))
            raise
        if not is_first_process():
            return  # Only the first process of a run prints.
        context.output.result(as_json(result), human=as_text(result), quiet=result.run_id or str(result.model_folder))
        context.output.remark(_last_words(context, result))


def run_again(folder: Path, steps: int) -> None:
    """The command ``verihub run replay``. Raises CheckFailedError if a number differs."""
    logging.getLogger("verihub.phases").info("loading torch")
    from trainer_bridge.replay import replay  # noqa: PLC0415 -- brings torch

    with open_context() as context:
        try:
            found = replay(folder, context.hub, steps=steps, cache=context.settings.cache_dir)
        except TrainerBridgeError as error:
            raise _CLIENT_ERRORS[error.exit_code](str(error)) from error
        same = not found.differing
        lines = [f"  {step}  {name}: was {then}, is {now}" for step, name, then, now in found.differing[:20]]
        verdict = "the same to the bit" if same else f"{len(found.differing)} differ"
        human = [f"{counted(found.steps, 'step')}, {counted(found.compared, 'number')}: {verdict}", *lines]
        human += [f"  not as the receipt says: {line}" for line in found.differences]
        table = {"steps": found.steps, "compared": found.compared, "same": same, "differences": found.differences}
        context.output.result(
            {**table, "differing": [list(one) for one in found.differing]}, human="\n".join(human), quiet=str(same)
        )
        if not same:
            raise CheckFailedError("the replay's numbers differ from those of the run")


def make_settings(given: dict[str, Any], more: Sequence[str], hub: Hub) -> TrainSettings:
    """The settings from options, ``--set`` pairs and the recipe.

    Raises:
        SettingsError: a name is unknown or a value is out of range.

    """
    plain: dict[str, Any] = {}
    overrides: dict[str, Any] = {}
    for pair in more:
        name, separator, text = pair.partition("=")
        if not separator:
            raise SettingsError(f"--set {pair}: write NAME=VALUE")
        (overrides if "." in name or name in component_parameters() else plain)[name] = _parsed(text)
    (plain, changes), given = translate(plain), dict(given)
    overrides |= changes
    recipe = find_recipe(str(given.get("recipe", "dapo")), overrides, hub)
    if "output" not in given:
        if given.get("resume"):
            raise SettingsError("--resume needs --output: name the folder of the run to continue")
        given = {**given, "output": _free_folder(Path("verihub-runs"), str(given.get("run_name") or recipe.name))}
    return TrainSettings.make({**given, **plain, "recipe_overrides": overrides}, recipe.settings)


def check_names(settings: TrainSettings, hub: Hub) -> None:
    """Refuse a model, target, harness or tool that does not exist or does not fit, as names and manifests show.

    Project folders are checked later, because the run packs them anyway and packing takes time.

    Raises:
        TrainerBridgeError: the model, or an environment that does not fit.
        HubClientError: a package that the hub does not have (with names that are like it), or of another kind.

    """
    check_model_name(settings.model)
    for target in settings.targets:
        if project_folder(target) is None:
            with closing(hub.environment(target)) as environment:
                check_fit(environment.manifest, settings)
    if settings.harness and project_folder(settings.harness) is None:
        open_harness(hub, settings.harness)
    for tool in settings.tools:
        if project_folder(tool) is None:
            open_tool(hub, tool)
    if settings.held_out_verifier and project_folder(settings.held_out_verifier) is None:
        hub.verifier(settings.held_out_verifier).close()


def how_to_go_on(given: Mapping[str, Any], more: Sequence[str], output: Path, *, report: bool = True) -> str:
    """The message after an interrupt: the newest checkpoint, and the command to continue from it."""
    from trainer_bridge.learn.checkpoints import newest_checkpoint  # noqa: PLC0415 -- brings torch

    found = newest_checkpoint(output)
    if found is None:
        return f"No checkpoint had been written to {output} yet: the same command starts again from the beginning"
    words = [*map(str, given.get("targets", ()))]
    for name, value in given.items():
        option = "--weight" if name == "target_weights" else f"--{name.replace('_', '-')}"
        if name not in ("targets", "output", "resume") and value not in (None, ""):
            words += [word for one in (value if isinstance(value, tuple) else (value,)) for word in (option, str(one))]
    words += [word for pair in more for word in ("--set", pair)]
    words += [] if report else ["--no-hub"]
    again = shlex.join(["verihub", *global_options(), "train", *words, "--resume", "--output", str(output)])
    under = " (under torchrun as before, or in one process)" if is_one_of_several() else ""
    return f"The newest checkpoint is {found}. To go on from it{under}:\n  {again}"


def as_json(result: "TrainResult") -> dict[str, Any]:
    """The result as one JSON object. Missing numbers are null."""
    rewards = {
        name: {
            "before": _interval(change.before),
            "after": _interval(change.after),
            "difference": _interval(change.difference),
            "tasks": change.difference.count,
            "outside_noise": change.is_outside_noise,
        }
        for name, change in result.rewards.items()
    }
    return {
        "run_id": result.run_id,
        "steps": result.steps,
        "seconds": round(result.seconds, 1),
        "model": str(result.model_folder),
        "lost_tries": result.lost_tries,
        "rewards": rewards,
    }


def as_text(result: "TrainResult") -> str:
    """Each reward on held-out tasks, before and after, with 95 % intervals.

    Lines instead of a table: a name and six numbers would not fit into 80 columns.
    """
    lost = f"{counted(result.lost_tries, 'try', 'tries')} of rollouts: lost on the way, and played again"
    if not result.rewards:
        told = f"Trained for {counted(result.steps, 'step')}. There were no held-out tasks to compare on."
        return f"{told}\n{lost}" if result.lost_tries else told
    lines = [f"Held-out tasks before and after {counted(result.steps, 'step')}, with 95 % intervals:"]
    for name, change in result.rewards.items():
        lines += [f"  {name}: {_judgement(change)}", f"    before  {_shown(change.before)}"]
        lines += [f"    after   {_shown(change.after)}", f"    change  {_shown(change.difference, '+')}"]
    if result.warm_up:
        lines.append("Of this, the supervised warm-up alone:")
        lines += [f"  {name}: {_shown(change.difference, '+')}" for name, change in result.warm_up.items()]
    if len(result.rewards) > 2:
        lines.append("Each interval is for one reward: of twenty unchanged rewards, about one seems to change.")
    lines += [lost] if result.lost_tries else []
    return "\n".join(lines)


def _train(context: CommandContext, settings: TrainSettings, *, report: bool) -> "TrainResult":
    logging.getLogger("verihub.phases").info("loading torch")
    from trainer_bridge.loop import train  # noqa: PLC0415 -- brings torch
    from trainer_bridge.reports.step_report import NoProgress, Terminal  # noqa: PLC0415 -- brings torch

    if context.settings.format is not OutputFormat.HUMAN or not is_first_process():
        return train(settings, hub=context.hub, progress=NoProgress(), report=report)
    console = Console(stderr=True, no_color=not wants_colour())
    with Terminal(console) as progress:
        return train(settings, hub=context.hub, progress=progress, report=report)


def _last_words(context: CommandContext, result: "TrainResult") -> str:
    where = f"Run: {context.hub.url}/runs/{result.run_id}\n" if result.run_id else ""
    return f"{where}Model: {result.model_folder} ({result.seconds:.0f} s)"


def _free_folder(parent: Path, name: str) -> Path:
    """``parent/name-N`` with the first unused N."""
    stem = "".join(character if character.isalnum() else "-" for character in name.lower()).strip("-") or "run"
    return next(parent / f"{stem}-{number}" for number in count(1) if not (parent / f"{stem}-{number}").exists())


def _parsed(text: str) -> Any:
    """The text parsed as JSON, or the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _interval(mean: "Mean") -> dict[str, float | None]:
    values = {"value": mean.value, "low": mean.low, "high": mean.high}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _shown(mean: "Mean", sign: str = "") -> str:
    return f"{mean.value:{sign}.3f} [{mean.low:{sign}.3f}, {mean.high:{sign}.3f}]"


def _judgement(change: "Change") -> str:
    if not change.is_outside_noise:
        return "within noise"
    return "better" if change.difference.low > 0 else "worse"
