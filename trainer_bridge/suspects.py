"""Samples that the training verifier accepts and a held-out verifier rejects: candidates for counter-examples.

One of the two verifiers is wrong, and only a person can tell which. So a candidate goes to a file, or to the hub, where
it counts in no rate until somebody else has seconded it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hub_client.errors import ConflictError
from hub_client.transport.requests import audits
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.counter_examples import CounterExample
from schemas.rows import json_lines
from schemas.task import Task
from schemas.wording import counted
from trainer_bridge.errors import SettingsError
from trainer_bridge.ports import Hub, Progress, Verifier
from trainer_bridge.rewards import RewardSpace, is_accepted
from trainer_bridge.rollout.rollouts import Rollout
from trainer_bridge.settings import TrainSettings

TO_HUB = "hub"


def is_suspicious(rollout: Rollout, space: RewardSpace) -> bool:
    """Whether the training verifier accepts the rollout and the held-out one rejects it. False if one did not judge
    it.
    """
    accepted = bool(is_accepted(rollout.verdict, space))
    return accepted and rollout.held_out is not None and is_accepted(rollout.held_out, space) is False


@dataclass
class Suspects:
    """Collects at most ``most`` candidates of a run, one for each task. Half of the places are kept for steps during
    the alarm.

    Before the alarm the verifiers also disagree for other reasons, which would otherwise fill all places.
    """

    where: str = ""
    """``hub``, a file, or empty to collect nothing."""
    most: int = 0
    judges: Sequence[Verifier] = ()
    """The environments, by number."""
    held_out: str = ""
    """The held-out verifier, as the case names it."""
    file: Path = Path()
    """The file for candidates, as cases for ``verihub cases submit``. Each verifier gets its own file."""
    hub: Hub | None = None
    progress: Progress | None = None
    _seen: set[str] = field(default_factory=set)
    _thread: ThreadPoolExecutor | None = None
    _sent: list[Future[CounterExample]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """A resumed run reads what it collected before."""
        for file in self._files if self.where else ():
            if file.exists():
                lines = json_lines(file.read_text(encoding="utf-8"))
                self._seen |= {Task.read(json.loads(line)["task"]).content_key for line in lines}

    @property
    def _files(self) -> list[Path]:
        """The file of each environment, in their order. Environments with the same verifier share one."""
        packages = [one.judge.package for one in self.judges]
        if len(set(packages)) <= 1:
            return [self.file] * len(packages)
        return [self.file.with_stem(f"{self.file.stem}-{name.replace('/', '-')}") for name in packages]

    def take(self, rollouts: Sequence[Rollout], space: RewardSpace, *, step: int, run_id: str, alarm: str) -> None:
        """Write and send the new candidates among a step's rollouts."""
        if not self.where:
            return
        room = self.most if alarm else self.most // 2
        for rollout in rollouts:
            if len(self._seen) >= room:
                return
            if rollout.draw.task.content_key not in self._seen and is_suspicious(rollout, space):
                self._seen.add(rollout.draw.task.content_key)
                self._keep(rollout, as_case(rollout, self.held_out, step=step, run_id=run_id, alarm=alarm))

    def close(self, seconds: float = 60.0) -> None:
        """Wait until all candidates are sent, and report the result."""
        if not self._seen or self.progress is None:
            return
        files = ", ".join(dict.fromkeys(str(file) for file in self._files if file.exists()))
        said = f"{counted(len(self._seen), 'suspicious sample')} in {files}"
        if self.where != TO_HUB:
            self.progress.say(f"{said}. Read them, then `verihub cases submit OWNER/NAME FILE`")
            return
        wait(self._sent, timeout=seconds)
        done = [one for one in self._sent if one.done()]
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
        failed = [one.exception() for one in done if one.exception() is not None]
        known = sum(isinstance(error, ConflictError) for error in failed)
        refused = [error for error in failed if not isinstance(error, ConflictError)]
        self.progress.say(
            f"{said}; {len(done) - len(failed)} submitted as counter-examples, {known} refused as known or too many. "
            "They count in no rate until somebody else has seconded them"
        )
        if refused or len(done) < len(self._sent):
            why = f": {refused[0]}" if refused else ""
            self.progress.warn(f"{len(self._sent) - len(done) + len(refused)} could not be submitted{why}")

    def _keep(self, rollout: Rollout, case: AuditCase) -> None:
        with self._files[rollout.draw.environment].open("a", encoding="utf-8") as file:
            file.write(json.dumps(case.model_dump(mode="json", exclude_defaults=True)) + "\n")
        if self.where == TO_HUB and self.hub is not None:
            judge, hub = self.judges[rollout.draw.environment].judge, self.hub
            self._thread = self._thread or ThreadPoolExecutor(1, "verihub-suspects")
            self._sent.append(self._thread.submit(hub.send, audits.submit_case(judge.package, judge.version, case)))


def as_case(rollout: Rollout, held_out: str, *, step: int, run_id: str, alarm: str) -> AuditCase:
    """A candidate as a case with the label of the held-out verifier: the response must be rejected."""
    task = rollout.draw.row
    content: dict[str, Any] = {"response": rollout.text}
    if rollout.judged is not None and (rollout.turns > 1 or rollout.judged.state is not None):
        content = {"messages": rollout.judged.messages, "state": rollout.judged.state}
    said = json.dumps({"task": task, **content}, sort_keys=True, default=str)
    verdict, other = rollout.verdict.rewards, rollout.held_out.rewards if rollout.held_out is not None else {}
    return AuditCase(
        id=f"suspect-{hashlib.sha256(said.encode()).hexdigest()[:12]}",
        task=task,
        **content,
        label=Label.INCORRECT,
        origin=Origin.COMMUNITY,
        tags=["rollout", "suspect"],
        source=f"run {run_id}, step {step}" if run_id else f"step {step} of a training run",
        note=f"Found by a trainer, read by nobody yet. The verifier says {_vector(verdict)}, {held_out} says "
        f"{_vector(other)}.{f' At that step {alarm}.' if alarm else ''}",
    )


def _vector(rewards: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {'not judged' if value is None else f'{value:g}'}" for name, value in rewards.items())


def open_suspects(
    settings: TrainSettings, *, judges: Sequence[Verifier], held_out: Verifier | None, hub: Hub, progress: Progress
) -> Suspects:
    """Open the collector of a run.

    Raises:
        SettingsError: there is no held-out verifier, or a verifier has no release on the hub.

    """
    where, most, output = settings.report_suspects, settings.max_suspects, settings.output
    if not where:
        return Suspects()
    if held_out is None:
        raise SettingsError(
            "--report-suspects needs a --held-out-verifier: samples are reported on which the two verifiers disagree"
        )
    for one in judges if where == TO_HUB else ():
        if one.judge.release is None:
            raise SettingsError(
                f"{one.judge.reference} is a project folder, against which a hub takes no cases: write them to a file "
                "(--report-suspects FILE.jsonl)"
            )
    file = output / "suspects.jsonl" if where == TO_HUB else Path(where)
    if not file.parent.is_dir() and where != TO_HUB:
        raise SettingsError(f"--report-suspects: there is no folder {file.parent} to write {file.name} into")
    return Suspects(where, most, judges, held_out.judge.reference, file, hub, progress)
