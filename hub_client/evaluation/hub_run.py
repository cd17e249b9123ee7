"""Reports an evaluation to the hub: one run with every rollout, each sent once, and a benchmark's results."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hub_client.client import Hub
from hub_client.errors import HubClientError, NotFoundError
from hub_client.evaluation.evaluate import Cell, CellResult
from hub_client.files import write_atomically
from hub_client.releases.resolve import LoadedPackage
from hub_client.transport.requests.benchmarks import submit_results
from schemas.benchmark import ResultsCreate
from schemas.kinds import PackageKind
from schemas.manifest import RewardDeclaration
from schemas.run import PinnedPackage, RolloutRow, RunCreate, RunState, RunUpdate

_RUN, _SENT = "run.json", "sent.txt"
_TOGETHER = 100


class EvaluationRun:
    """The hub run that belongs to a folder of attempts.

    It is created once and found again when the evaluation is resumed. ``config``: the settings of the model, which the
    run's page shows.
    """

    def __init__(
        self,
        hub: Hub,
        folder: Path,
        target: LoadedPackage,
        model: str,
        cells: Sequence[Cell],
        config: Mapping[str, Any],
    ) -> None:
        self._hub = hub
        self._target, self._model, self._cells, self._config = target, model, cells, config
        self._path, self._sent_path = folder / _RUN, folder / _SENT
        self._id = ""
        self._sent: set[str] = set()

    @property
    def url(self) -> str:
        """The run's page."""
        return f"{self._hub.url}/runs/{self._id}"

    @property
    def is_open(self) -> bool:
        """Whether there is a run on the hub."""
        return bool(self._id)

    def open(self) -> None:
        """Find the folder's run on this hub, or start one; once."""
        if self._id:
            return
        place = {"hub": self._hub.url, "target": self._target.reference}
        known = _read(self._path)
        if {name: known.get(name) for name in place} == place and self._exists(known["run"]):
            self._id = known["run"]
            self._sent = set(self._sent_path.read_text().split()) if self._sent_path.exists() else set()
            self._hub.runs.update(self._id, RunUpdate(state=RunState.RUNNING, note=""))
            return
        self._sent_path.unlink(missing_ok=True)
        self._id = self._hub.runs.create(
            RunCreate(
                name=f"eval-{self._target.package.replace('/', '-')}-{Path(self._model).name}"[:120],
                kind="evaluation",
                model=self._model,
                packages=_pinned(self._target, self._cells),
                rewards=_rewards(self._cells),
                config=dict(self._config),
            )
        ).id
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path, json.dumps({**place, "run": self._id}).encode())

    def _exists(self, run_id: str) -> bool:
        try:
            self._hub.runs.get(run_id)
        except NotFoundError:
            return False
        return True

    def send(self, result: CellResult) -> None:
        """Send every rollout that was not sent yet. A batch whose answer was lost is sent again under the same key."""
        self.open()
        keys = [_key(result.cell, rollout) for rollout in result.rollouts]
        fresh = [(key, row) for key, row in zip(keys, result.rollouts, strict=True) if key not in self._sent]
        for start in range(0, len(fresh), _TOGETHER):
            batch = fresh[start : start + _TOGETHER]
            self._hub.runs.rollouts(self._id, [rollout for _, rollout in batch])
            with self._sent_path.open("a", encoding="utf-8") as file:
                file.writelines(key + "\n" for key, _ in batch)
            self._sent.update(key for key, _ in batch)

    def finish(self, results: Iterable[CellResult]) -> None:
        """Send the pass rates, and for a published benchmark one result for each environment and harness."""
        found = list(results)
        is_benchmark = self._target.release and self._target.contents.manifest.kind is PackageKind.BENCHMARK
        for result in found if is_benchmark else []:
            if result.counts:
                environment = result.cell.environment.package
                body = ResultsCreate(
                    environment=environment.package,
                    environment_version=environment.version,
                    model=self._model,
                    harness=result.cell.harness.name,
                    run_id=self._id,
                    outcomes=result.outcomes(),
                    failed=result.failed,
                    unjudged=result.unjudged,
                )
                self._hub.send(submit_results(self._target.package, self._target.version, body))
        outcomes = [result.summary() for result in found]
        self._hub.runs.update(self._id, RunUpdate(state=RunState.FINISHED, outcomes=outcomes))

    def note_stop(self, reason: str, state: RunState | None = None) -> None:
        """Tell the hub why the evaluation stopped, and with ``state`` that it did: else the run waits to go on.

        If the hub does not answer, the original error is raised all the same.
        """
        try:
            self._hub.runs.update(self._id, RunUpdate(state=state, note=f"Stopped: {reason}"[:2000]))
        except HubClientError:
            return


def _read(path: Path) -> dict[str, Any]:
    """The stored facts of a run. Empty if the file is missing or damaged."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _key(cell: Cell, rollout: RolloutRow) -> str:
    text = f"{cell.key} {rollout.task_id} {rollout.step}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _pinned(target: LoadedPackage, cells: Sequence[Cell]) -> list[PinnedPackage]:
    """Every release that the results depend on, each once."""
    used = [target]
    for cell in cells:
        environment = cell.environment
        used += [environment.package, environment.judge, *environment.tool_packages]
        used += cell.harness.packages
    by_digest = {package.digest: package for package in used}
    return [
        PinnedPackage(package=package.package, version=package.version, digest=digest)
        for digest, package in by_digest.items()
    ]


def _rewards(cells: Sequence[Cell]) -> dict[str, RewardDeclaration]:
    return {name: reward for cell in cells for name, reward in cell.environment.rewards.items()}
