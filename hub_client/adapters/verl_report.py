"""A verl run on the hub, reported by its reward function: it sees every sample of one answer with its verdict.

verl does not tell a reward function which step it is. But each step judges equally many training samples
(``data.train_batch_size`` times ``actor_rollout_ref.rollout.n``), and all of them before the next step begins. So
steps are counted. Samples of a validation file (their row's split is not ``train``) are neither counted nor reported.
"""

import threading
import warnings
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from hub_client.environments import Pair, Verifier
from hub_client.errors import UsageError
from hub_client.run_report import RunReport
from hub_client.tables import RewardTable
from schemas.verdict import Verdict

_Sample = tuple[Verifier, Pair, Verdict]


class StepReports:
    """Gathers ``samples_per_step`` judged samples and reports them as one step. Any thread may add.

    ``open_report`` makes the run of a verifier: with tasks of several environments each has a run of its own. A
    held-out verifier judges on a thread here, so that training never waits for it.

    Raises UsageError if ``samples_per_step`` is not positive.
    """

    def __init__(self, samples_per_step: int, open_report: Callable[[Verifier], RunReport]) -> None:
        if samples_per_step < 1:
            raise UsageError("a report needs samples_per_step: data.train_batch_size times actor_rollout_ref.rollout.n")
        self._size, self._open = samples_per_step, open_report
        self._waiting: list[_Sample] = []
        self._step = 0
        self._lock = threading.Lock()
        self._reports: dict[int, RunReport] = {}
        self._ends = ExitStack()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="verihub-report")

    def add(self, verifier: Verifier, pair: Pair, verdict: Verdict) -> None:
        """One sample of the step that is judged now."""
        with self._lock:
            self._waiting.append((verifier, pair, verdict))
            if len(self._waiting) < self._size:
                return
            step, self._waiting, self._step = self._waiting, [], self._step + 1
            self._thread.submit(self._send, self._step, step)

    def _send(self, number: int, step: list[_Sample]) -> None:
        by_verifier: dict[int, list[_Sample]] = defaultdict(list)
        for sample in step:
            by_verifier[id(sample[0])].append(sample)
        for key, samples in by_verifier.items():
            verifier = samples[0][0]
            try:
                if key not in self._reports:
                    self._reports[key] = self._ends.enter_context(self._open(verifier))
                table = RewardTable(list(verifier.rewards), [verdict for _, _, verdict in samples])
                self._reports[key].judged(number, [pair for _, pair, _ in samples], table)
            except Exception as error:  # noqa: BLE001 -- training goes on without its report
                warnings.warn(f"step {number} was not reported: {error}", stacklevel=2)

    def close(self) -> None:
        """End the runs once all whole steps are reported. Samples of a step that was begun are left out.

        They end as finished: whether verl failed is not known here.
        """
        self._thread.shutdown(wait=True)
        self._ends.close()
