"""The worker: claims jobs from the queue, extends their leases while they run, and ends each exactly once."""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from sqlalchemy.exc import OperationalError

from hub_server import upkeep
from hub_server.accounts import jobs as account_jobs
from hub_server.audits import jobs as audit_jobs
from hub_server.catalog import jobs as catalog_jobs
from hub_server.database import events, job_queue
from hub_server.database.faults import FaultLog, fault_of
from hub_server.database.visibility import EVERYTHING
from hub_server.errors import HubServerError, ReadOnlyError, UnavailableError
from hub_server.evaluations import jobs as evaluation_jobs
from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import jobs as run_jobs
from hub_server.watches import actions as watches
from hub_server.watches import jobs as watch_jobs
from hub_server.webhooks import actions as webhooks
from hub_server.webhooks import jobs as webhook_jobs

_log = logging.getLogger("hub_server.worker")
KINDS: Mapping[JobName, JobKind] = {
    **account_jobs.KINDS,
    **audit_jobs.KINDS,
    **catalog_jobs.KINDS,
    **evaluation_jobs.KINDS,
    **run_jobs.KINDS,
    **watch_jobs.KINDS,
    **webhook_jobs.KINDS,
}
Result = TypeVar("Result")
Follow = Callable[[UnitOfWork, Sequence[events.EventRow]], None]
FOLLOWERS: Mapping[str, Follow] = {"webhooks": webhooks.queue_deliveries, "watches": watches.note_news}
"""Whatever tells others what happened, by the name under which it is remembered how far it has come."""
_EVENTS_AT_ONCE = 100  # chosen: in one transaction; the rest in the next round
_DELIVERY_THREADS = 2  # of their own: an address that does not answer holds up no audit
_DELETE_EVERY = timedelta(hours=1)  # chosen, not measured
_LONGEST_PAUSE_SECONDS = 300.0  # between tries of a job, which double


class Worker:
    """Runs jobs until ``stop``. Several may run, in threads, processes or machines: each claims its own."""

    def __init__(
        self,
        services: Services,
        kinds: Mapping[JobName, JobKind] = KINDS,
        workers: int | None = None,
        followers: Mapping[str, Follow] = FOLLOWERS,
        turn: AbstractContextManager[object] | None = None,
    ) -> None:
        """``workers``: how many run in this process for these ``kinds``, this one included. They share a ``turn``: who
        holds it looks for a job, and the others wait for it instead of asking the database as well.
        """
        self.services = services
        settings = services.settings.worker
        self._jobs_each = settings.jobs_each or max(1, (workers or settings.threads) - 1)
        self._kinds = kinds
        self._followers = followers
        self._turn = turn or threading.Lock()
        self._stopping = threading.Event()
        self._deleted_at: datetime | None = None
        self._faults = FaultLog(_log, "the worker")
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"

    def run(self) -> None:
        """Claim and run jobs until stopped. What goes wrong with the database is logged and tried again."""
        self._adopt_orphans()
        while not self._stopping.is_set():
            with self._turn:
                lease = self._wait_for_job()
            if lease is not None:
                self._try(partial(self._take_on, lease))

    def _wait_for_job(self) -> job_queue.Lease | None:
        """The next job; None when stopped."""
        while not self._stopping.is_set():
            if (lease := self._try(self._look)) is not None:
                return lease
            self._stopping.wait(self.services.settings.worker.poll_seconds)
        return None

    def _try(self, step: Callable[[], Result]) -> Result | None:
        """What ``step`` returns; None where the database cannot do it now."""
        try:
            done = step()
            self._faults.clear()
            return done
        except ReadOnlyError:  # nothing is claimed until the operator ends it; a job under way is run again then
            return None
        except Exception as error:  # noqa: BLE001 -- a worker outlives whatever its database does
            self._faults.note(error, "the worker could not reach its queue")
            return None

    def _look(self) -> job_queue.Lease | None:
        self.delete_expired_if_due()
        return self._claim()

    def stop(self) -> None:
        """Claim no more jobs. The one that runs is given back to the queue when its process ends."""
        self._stopping.set()

    def run_one(self) -> bool:
        """Let followers see what is new, then claim and run one job; False when none is due."""
        lease = self._claim()
        if lease is None:
            return False
        self._take_on(lease)
        return True

    def _claim(self) -> job_queue.Lease | None:
        """Let followers see what is new, then claim a job."""
        if not self._has_work():
            return None
        if self._followers:
            self._follow_events()
            self._queue_due_mails()
        with self.services.database.writing() as session:
            return job_queue.claim_job(
                session,
                [str(name) for name in self._kinds],
                self.owner,
                self.services.clock.now(),
                self.services.settings.worker.lease_seconds,
                self._jobs_each,
            )

    def _has_work(self) -> bool:
        """Whether there is anything to do: read in one transaction, because an idle hub asks twice a second."""
        with self.services.database.reading(sees=EVERYTHING) as session:
            work = UnitOfWork(session, self.services)
            return (
                job_queue.has_claimable(session, [str(name) for name in self._kinds], work.now)
                or any(events.has_new(session, name) for name in self._followers)
                or (bool(self._followers) and watches.has_due_mails(work))
            )

    def _take_on(self, lease: job_queue.Lease) -> None:
        if lease.is_exhausted:
            self._give_up(lease, f"Its worker was lost {lease.losses} times in the middle of it.")
        else:
            self._run(lease)

    def _follow_events(self) -> None:
        """Show each follower what happened since. One that fails sees the same again, and holds up nothing else."""
        for name, follow in self._followers.items():
            with self.services.database.reading(sees=EVERYTHING) as session:
                if not events.has_new(session, name):
                    continue
            try:
                with self.services.database.writing(sees=EVERYTHING) as session:
                    rows = events.take_new(session, name, _EVENTS_AT_ONCE)
                    follow(UnitOfWork(session, self.services), rows)
            except (ReadOnlyError, OperationalError):
                raise
            except Exception:  # noqa: BLE001 -- the jobs of the queue go on
                _log.exception("%s could not be told what happened; tried again", name)

    def _queue_due_mails(self) -> None:
        """Queue the mails about news that have waited long enough."""
        with self.services.database.reading(sees=EVERYTHING) as session:
            if not watches.has_due_mails(UnitOfWork(session, self.services)):
                return
        with self.services.database.writing(sees=EVERYTHING) as session:
            watches.queue_due_mails(UnitOfWork(session, self.services))

    def _run(self, lease: job_queue.Lease) -> None:
        """Run the job in a thread of its own and extend its lease. A job beyond its time limit is told to stop."""
        job = RunningJob(lease, self.services)
        _log.info("job %s (%s) begins, attempt %d", lease.id, lease.name, lease.attempt)
        started = time.monotonic()
        ended = threading.Event()
        failures: list[Exception] = []
        thread = threading.Thread(target=self._work, args=(job, ended, failures), name=lease.name, daemon=True)
        thread.start()
        if not self._keep_until_ended(job, ended):
            job.over.set()  # its thread ends at its next verdict or transaction
            limit = self.services.settings.worker.job_seconds
            # Whatever its thread still tries to write is refused, because the lease is gone.
            self._give_up(lease, f"It took longer than {limit:g} s, which is the most that this hub gives to one job.")
            return
        thread.join()
        for failure in failures:
            self._handle_failure(lease, failure)
        if not failures:
            _log.info("job %s (%s) is done in %.1f s", lease.id, lease.name, time.monotonic() - started)

    def _work(self, job: RunningJob, ended: threading.Event, failures: list[Exception]) -> None:
        """The job's own thread."""
        try:
            self._kinds[JobName(job.lease.name)].run(job)
            if not job.is_finished:
                with job.finishing():
                    pass
        except Exception as error:  # noqa: BLE001 -- handed to the worker, the one place where a job's fault is named
            failures.append(error)
        finally:
            ended.set()

    def _keep_until_ended(self, job: RunningJob, ended: threading.Event) -> bool:
        """Extend the lease three times in its length. False when the job's time is over before the job is."""
        settings = self.services.settings.worker
        until = time.monotonic() + settings.job_seconds
        is_held = True
        while (left := until - time.monotonic()) > 0:
            if ended.wait(min(left, settings.lease_seconds / 3)):
                return True
            is_held = is_held and self._heartbeat(job)
            if not is_held:
                job.over.set()
        return ended.is_set()

    def _heartbeat(self, job: RunningJob) -> bool:
        """Extend the lease; False when another worker has the job."""
        try:
            job.heartbeat()
        except job_queue.LeaseLostError:
            return False
        except Exception as error:  # noqa: BLE001 -- tried again in a third of the lease
            self._faults.note(error, f"the lease of job {job.lease.id} could not be extended")
        return True

    def _handle_failure(self, lease: job_queue.Lease, failure: Exception) -> None:
        if isinstance(failure, job_queue.LeaseLostError):
            _log.warning("job %s (%s) was taken over by another worker", lease.id, lease.name)
        elif isinstance(failure, UnavailableError):
            self._return(lease, failure.detail, self.services.settings.worker.unavailable_retry_seconds, counts=False)
        else:
            self._handle_error(lease, failure)

    def _handle_error(self, lease: job_queue.Lease, error: Exception) -> None:
        """Queue the job again when this worker stops: ending its boxes made it fail. Give up what can never succeed."""
        if self._stopping.is_set():
            self._return(lease, "The worker was stopped.", 0.0, counts=False)
        elif isinstance(error, HubServerError):
            self._give_up(lease, error.detail)
        elif (fault := fault_of(error)) is not None:
            self._return(lease, fault, self.services.settings.worker.unavailable_retry_seconds, counts=False)
        else:
            _log.error("job %s (%s) failed", lease.id, lease.name, exc_info=error)
            self._retry_or_give_up(lease, f"{type(error).__name__}: {error}")

    def _retry_or_give_up(self, lease: job_queue.Lease, reason: str) -> None:
        if lease.attempt - lease.losses >= self.services.settings.worker.attempts:
            self._give_up(lease, reason)
        else:
            failures = max(1, lease.attempt - lease.losses)
            pause = min(self.services.settings.worker.retry_seconds * 2 ** (failures - 1), _LONGEST_PAUSE_SECONDS)
            self._return(lease, reason, pause, counts=True)

    def _return(self, lease: job_queue.Lease, reason: str, pause_seconds: float, *, counts: bool) -> None:
        _log.info("job %s (%s) waits: %s", lease.id, lease.name, reason)
        pause = 0.0 if self._stopping.is_set() else pause_seconds
        with self.services.database.writing() as session:
            run_after = self.services.clock.now() + timedelta(seconds=pause)
            try:
                job_queue.return_job(session, lease, run_after, reason, counts_as_attempt=counts)
            except job_queue.LeaseLostError:
                _log.warning("job %s (%s) was taken over by another worker", lease.id, lease.name)

    def _give_up(self, lease: job_queue.Lease, reason: str) -> None:
        """Give the job up for good, and let its feature say so, in one transaction."""
        _log.error("job %s (%s) is given up: %s", lease.id, lease.name, reason)
        try:
            with self.services.database.writing(sees=EVERYTHING) as session:
                work = UnitOfWork(session, self.services)
                job_queue.fail_job(session, lease, work.now, reason)
                self._kinds[JobName(lease.name)].give_up(work, lease.id, lease.payload, reason)
        except job_queue.LeaseLostError:
            _log.warning("job %s (%s) was taken over by another worker", lease.id, lease.name)

    def _adopt_orphans(self) -> None:
        """Queue again what workers of this machine held whose process is gone, without waiting for the lease to end."""
        host = socket.gethostname()
        try:
            with self.services.database.writing() as session:
                dead = [owner for owner in job_queue.holders(session) if _is_dead(owner, host)]
                if dead and job_queue.return_jobs_of(session, dead, self.services.clock.now()):
                    _log.info("took over the jobs of %s", ", ".join(dead))
        except Exception as error:  # noqa: BLE001 -- only saves time: the leases end by themselves
            self._faults.note(error, "orphaned jobs could not be looked for")

    def delete_expired_if_due(self) -> None:
        """Once an hour; several workers may do it at once."""
        now = self.services.clock.now()
        if self._deleted_at is None or now >= self._deleted_at + _DELETE_EVERY:
            self._deleted_at = now
            upkeep.delete_expired(self.services)


def _is_dead(owner: str, host: str) -> bool:
    """Whether ``host:pid:nonce`` names a process of this machine that is gone."""
    name, _, rest = owner.rpartition(":")[0].rpartition(":")
    if name != host or not rest.isdigit():
        return False
    if int(rest) == os.getpid():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it lives, as another user
        return False
    return False


def start_workers(services: Services, count: int) -> list[tuple[Worker, threading.Thread]]:
    """``count`` workers in threads of this process, and two more that wait for the receivers of webhooks.

    So receivers that take their time hold up no audit, and no mail.
    """
    turn, delivering = threading.Lock(), threading.Lock()
    if services.settings.mirror.of:  # measures nothing and tells nobody: it erases what was taken down
        workers = [Worker(services, catalog_jobs.KINDS, count, followers={}, turn=turn) for _ in range(count)]
        return _started(workers)
    others = {name: kind for name, kind in KINDS.items() if name not in webhook_jobs.KINDS}
    workers = [Worker(services, others, count, followers={}, turn=turn) for _ in range(count)]
    workers += [
        Worker(services, webhook_jobs.KINDS, _DELIVERY_THREADS, turn=delivering) for _ in range(_DELIVERY_THREADS)
    ]
    return _started(workers)


def _started(workers: Sequence[Worker]) -> list[tuple[Worker, threading.Thread]]:
    started = []
    for number, worker in enumerate(workers):
        thread = threading.Thread(target=worker.run, name=f"worker-{number}", daemon=True)
        thread.start()
        started.append((worker, thread))
    return started
