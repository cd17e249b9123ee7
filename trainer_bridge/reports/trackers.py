"""Sends a run's metrics to experiment trackers: Weights & Biases, TensorBoard, trackio. Each is optional."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from schemas.extras import how_to_install
from schemas.wording import nearest
from trainer_bridge.errors import SettingsError

Values = Mapping[str, float]


class Tracker(Protocol):
    """Takes the finite metrics of one step at a time. A step may be logged twice: an evaluation adds metrics to it."""

    def log(self, step: int, values: Values) -> None: ...
    def finish(self) -> None: ...


def _stable_id(folder: Path) -> str:
    """An id that a resumed run keeps, and that differs for every other folder."""
    return hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:12]


class TensorBoard:
    """Event files in ``FOLDER/tensorboard``."""

    def __init__(self, folder: Path, project: str, name: str, config: Mapping[str, Any]) -> None:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 -- an extra of its own

        self._writer: Any = SummaryWriter(str(folder / "tensorboard"))
        rows = "\n".join(f"    {key}: {value}" for key, value in config.items())
        self._writer.add_text("config", f"    {project}: {name}\n{rows}", 0)

    def log(self, step: int, values: Values) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def finish(self) -> None:
        self._writer.close()


class Wandb:
    """A run of the project. With WANDB_MODE=offline nothing is sent."""

    def __init__(self, folder: Path, project: str, name: str, config: Mapping[str, Any]) -> None:
        import wandb  # noqa: PLC0415 -- an extra of its own

        self._run: Any = wandb.init(
            project=project,
            name=name,
            config=dict(config),
            dir=str(folder),
            id=_stable_id(folder),
            resume="allow",
        )

    def log(self, step: int, values: Values) -> None:
        self._run.log(dict(values), step=step)

    def finish(self) -> None:
        self._run.finish()


class Trackio:
    """A run of the project in trackio's own folder (TRACKIO_DIR names another)."""

    def __init__(self, folder: Path, project: str, name: str, config: Mapping[str, Any]) -> None:
        import trackio  # noqa: PLC0415 -- an extra of its own

        self._trackio: Any = trackio
        own_name = f"{name} {_stable_id(folder)}"  # trackio identifies a run by its name
        trackio.init(project=project, name=own_name, config=dict(config), resume="allow")

    def log(self, step: int, values: Values) -> None:
        self._trackio.log(dict(values), step=step)

    def finish(self) -> None:
        self._trackio.finish()


TRACKERS: Mapping[str, Callable[[Path, str, str, Mapping[str, Any]], Tracker]] = {
    "tensorboard": TensorBoard,
    "wandb": Wandb,
    "trackio": Trackio,
}


class Trackers:
    """Several trackers as one. An error in one is reported once; training and the other trackers go on."""

    def __init__(self, named: Mapping[str, Tracker], warn: Callable[[str], None]) -> None:
        self._named, self._warn = dict(named), warn

    def log(self, step: int, values: Values) -> None:
        """Log a step's metrics to all trackers."""
        self._each(lambda tracker: tracker.log(step, values))

    def finish(self) -> None:
        """Tell all trackers that the run has ended."""
        self._each(lambda tracker: tracker.finish())

    def _each(self, tell: Callable[[Tracker], None]) -> None:
        for name, tracker in list(self._named.items()):
            try:
                tell(tracker)
            except Exception as error:  # noqa: BLE001 -- a report must never stop a training run
                del self._named[name]
                self._warn(f"{name} gets no more metrics of this run: {type(error).__name__}: {error}")


def open_trackers(
    names: Sequence[str],
    folder: Path,
    *,
    project: str,
    name: str,
    config: Mapping[str, Any],
    warn: Callable[[str], None],
) -> Trackers | None:
    """Open the trackers ``names`` for the run whose files are in ``folder``.

    Raises:
        SettingsError: a name is unknown, or its library is not installed.

    """
    opened: dict[str, Tracker] = {}
    for one in names:
        if one not in TRACKERS:
            raise SettingsError(f"report_to: there is no tracker {one!r}; {nearest(one, TRACKERS)}")
        try:
            opened[one] = TRACKERS[one](folder, project, name, config)
        except ImportError as error:
            raise SettingsError(
                f"report_to names {one}, which is not installed ({error}): {how_to_install('trackers')}"
            ) from None
    return Trackers(opened, warn) if opened else None
