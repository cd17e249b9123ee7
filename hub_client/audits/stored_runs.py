"""A run's stored rollouts, from the hub or from a folder that ``verihub train`` wrote, and the tasks they answer."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_client.client import Hub
from hub_client.environments import Environment
from hub_client.errors import IntegrityError, UsageError
from hub_client.transport.pages import all_items
from hub_client.transport.requests import runs
from schemas.run import PinnedPackage, RolloutRow
from schemas.strict_json import parse_json

ROLLOUTS, RECEIPT = "rollouts.jsonl", "receipt.json"
MOST_GENERATED = 20_000
"""How many tasks of a generated split are made to find those that a run's rollouts name."""
MOST_BYTES = 2**31
"""The largest file of rollouts, since it is read into memory."""
_AT_ONCE = 500


@dataclass(frozen=True)
class StoredRun:
    """What a run pinned, and each of its rollouts. ``seed``: of its generated tasks."""

    name: str
    packages: list[PinnedPackage]
    rollouts: list[RolloutRow]
    seed: int = 0

    def package_of(self, rollout: RolloutRow) -> str:
        """The package whose task it is; empty where the run does not tell."""
        return rollout.package or (self.packages[0].package if len(self.packages) == 1 else "")


def fetch_run(hub: Hub, run_id: str) -> StoredRun:
    """A run of the hub. Raises :class:`NotFoundError`."""
    run = hub.runs.get(run_id)
    rows = all_items(lambda cursor: hub.send(runs.list_rollouts(run_id, cursor, limit=100)))
    found = StoredRun(f"{run.name} ({run.id})", run.packages, rows, _whole(run.config.get("seed")))
    refuse_unclear(found)
    return found


def read_run(folder: Path) -> StoredRun:
    """The run in a folder that ``verihub train --output`` wrote. Raises :class:`UsageError`, naming the wrong line."""
    try:
        receipt = parse_json((folder / RECEIPT).read_bytes())
        packages = [PinnedPackage.model_validate(one) for one in receipt["packages"]]
        seed = _whole(receipt["settings"].get("seed"))
    except OSError as error:
        raise UsageError(
            f"{folder} is no run's folder: {RECEIPT} cannot be read ({error.strerror}). Name the folder that "
            "`verihub train --output` wrote, or a run's id"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{folder / RECEIPT} is no receipt of a run ({type(error).__name__})") from None
    found = StoredRun(str(folder), packages, list(_rows(folder / ROLLOUTS)), seed)
    refuse_unclear(found)
    return found


def refuse_unclear(run: StoredRun) -> None:
    """Raise :class:`UsageError` where rollouts would be counted twice, or judged by tasks of another release.

    That is: a package pinned in two versions, a rollout of a package that is not pinned, or an id that occurs twice.
    """
    pins = Counter(pin.package for pin in run.packages)
    twice = next((package for package, count in pins.items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"{run.name} pins {twice} more than once: which release a rollout is of cannot be told")
    seen: set[int] = set()
    for rollout in run.rollouts:
        package = run.package_of(rollout)
        where = f"{run.name}, rollout of step {rollout.step} and task {rollout.task_id}"
        if package not in pins:
            raise UsageError(f"{where}: the run pins no release of {package or 'its package, which it does not name'}")
        if rollout.id is not None and rollout.id in seen:
            raise UsageError(f"{where}: the id {rollout.id} stands twice")
        seen.add(-1 if rollout.id is None else rollout.id)


def _rows(file: Path) -> Iterable[RolloutRow]:
    try:
        if (size := file.stat().st_size) > MOST_BYTES:
            raise UsageError(f"{file} has {size} bytes, more than {MOST_BYTES}: judge a part of its lines")
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield RolloutRow.model_validate(parse_json(line))
        except ValueError as error:
            if number == len(lines):  # the last line of a run that was killed
                return
            why = str(error).splitlines()[0][:200]
            raise UsageError(f"{file}, line {number}: this is no rollout ({why})") from None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def environments_of(hub: Hub, run: StoredRun, folders: Iterable[str] = ()) -> dict[str, Environment]:
    """The environments that the run's rollouts are of, in the releases that it pinned, by package.

    ``folders``: projects to take them from instead of the hub, for a run on packages that were never published.

    Raises :class:`IntegrityError` where a release's bytes are not those of the run.
    """
    used = {run.package_of(rollout) for rollout in run.rollouts}
    local = {environment.manifest.id: environment for environment in map(hub.environment, folders)}
    found = {}
    for pin in run.packages:
        if pin.package in used:
            environment = local.get(pin.package) or hub.environment(f"{pin.package}@{pin.version}")
            if pin.digest and environment.digest != pin.digest:
                raise IntegrityError(
                    f"the run used {pin.package}@{pin.version} with digest {pin.digest}; "
                    f"{environment.package.reference} has {environment.digest}"
                )
            found[pin.package] = environment
    return found


def find_tasks(environment: Environment, ids: set[str], seed: int) -> dict[str, dict[str, Any]]:
    """Tasks by id: the stored ones, then those that a generated split makes of ``seed``.

    Ids that are nowhere are absent.
    """
    manifest = environment.manifest
    found: dict[str, dict[str, Any]] = {}
    for split in (*manifest.stored_splits, *manifest.generated_splits):
        limit = MOST_GENERATED if environment.is_generated(split) else None
        for start in range(0, limit or 1, _AT_ONCE):
            if ids <= found.keys():
                return found
            rows = environment.tasks(split, seed=seed, start=start, limit=_AT_ONCE if limit else None)
            found |= {row["id"]: row for row in rows if row["id"] in ids}
    return found
