"""What ``verihub train`` does: settings together, train, print what changed."""

import json
import math
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from hub_client.commands.session import Session, open_session
from hub_client.errors import ConflictError, HubClientError, HubUnreachableError, IntegrityError, UsageError
from hub_client.settings import OutputFormat, wants_colour
from trainer_bridge.errors import SettingsError, TrainerBridgeError
from trainer_bridge.evaluation import Change
from trainer_bridge.hub_recipes import open_recipe
from trainer_bridge.intervals import Mean
from trainer_bridge.loop import TrainResult, train
from trainer_bridge.progress import Silent, Terminal
from trainer_bridge.settings import TrainSettings
from trainer_bridge.stream import Hub

_CLIENT_ERRORS: dict[int, type[HubClientError]] = {
    error.exit_code: error for error in (HubClientError, UsageError, ConflictError, IntegrityError, HubUnreachableError)
}


def run(given: dict[str, Any], more: Sequence[str], *, report: bool) -> None:
    """Run the command. Raises the client's errors, so that every command ends alike."""
    with open_session() as session:
        try:
            settings = make_settings({"cache": session.settings.cache_dir, **given}, more, session.hub)
            result = _train(session, settings, report=report)
        except TrainerBridgeError as error:
            raise _CLIENT_ERRORS[error.exit_code](str(error)) from error
        session.output.result(as_json(result), human=as_table(result), quiet=result.run_id or str(result.model_folder))
        session.output.remark(_last_words(session, result))


def make_settings(given: dict[str, Any], more: Sequence[str], hub: Hub) -> TrainSettings:
    """Options and ``--set`` pairs over the recipe's own settings.

    Raises:
        SettingsError: something is unknown or out of range.

    """
    plain: dict[str, Any] = {}
    overrides: dict[str, Any] = {}
    for pair in more:
        name, separator, text = pair.partition("=")
        if not separator:
            raise SettingsError(f"--set {pair}: write NAME=VALUE")
        (overrides if "." in name else plain)[name] = _parsed(text)
    recipe = open_recipe(str(given.get("recipe", "dapo")), overrides, hub)
    if "output" not in given:
        if given.get("resume"):
            raise SettingsError("--resume needs --output: which run shall go on?")
        given = {**given, "output": _free_folder(Path("verihub-runs"), str(given.get("run_name") or recipe.name))}
    return TrainSettings.make({**given, **plain, "recipe_overrides": overrides}, recipe.settings)


def as_json(result: TrainResult) -> dict[str, Any]:
    """The result as one object; numbers that do not exist are null."""
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
        "rewards": rewards,
    }


def as_table(result: TrainResult) -> Table:
    """Each reward on held-out tasks, before and after, with 95 % intervals."""
    table = Table(title=f"Held-out tasks before and after {result.steps} steps (95 % intervals)", title_justify="left")
    for column in ("reward", "before", "after", "change", ""):
        table.add_column(column, no_wrap=True)
    for name, change in result.rewards.items():
        table.add_row(
            name, _shown(change.before), _shown(change.after), _shown(change.difference, "+"), _judgement(change)
        )
    return table


def _train(session: Session, settings: TrainSettings, *, report: bool) -> TrainResult:
    if session.settings.format is not OutputFormat.HUMAN:
        return train(settings, hub=session.hub, progress=Silent(), report=report)
    console = Console(stderr=True, no_color=not wants_colour())
    with Terminal(console) as progress:
        return train(settings, hub=session.hub, progress=progress, report=report)


def _last_words(session: Session, result: TrainResult) -> str:
    where = f"Run: {session.hub.url}/runs/{result.run_id}\n" if result.run_id else ""
    return f"{where}Model: {result.model_folder} ({result.seconds:.0f} s)"


def _free_folder(parent: Path, name: str) -> Path:
    """``parent/name-N`` with the first N that is not taken."""
    stem = "".join(character if character.isalnum() else "-" for character in name.lower()).strip("-") or "run"
    return next(parent / f"{stem}-{number}" for number in count(1) if not (parent / f"{stem}-{number}").exists())


def _parsed(text: str) -> Any:
    """A JSON value where it is one, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _interval(mean: Mean) -> dict[str, float | None]:
    values = {"value": mean.value, "low": mean.low, "high": mean.high}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _shown(mean: Mean, sign: str = "") -> str:
    return f"{mean.value:{sign}.3f} [{mean.low:{sign}.3f}, {mean.high:{sign}.3f}]"


def _judgement(change: Change) -> str:
    if not change.is_outside_noise:
        return "within noise"
    return "better" if change.difference.low > 0 else "worse"
