"""Parts in, job loop out: claims jobs, keeps their leases, ends them once."""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Mapping
from datetime import timedelta

from hub_server.audits import jobs as audit_jobs
from hub_server.database import idempotency, job_queue
from hub_server.errors import HubServerError, UnavailableError
from hub_server.evaluations import jobs as evaluation_jobs
from hub_server.job import JobKind, RunningJob
from hub_server.parts import Parts
from hub_server.work import Work

_log = logging.getLogger("hub_server.worker")
KINDS: Mapping[str, JobKind] = {**audit_jobs.KINDS, **evaluation_jobs.KINDS}
_FORGET_EVERY = 1000
_LONGEST_PAUSE_SECONDS = 300.0


class Worker:
    """Runs jobs until ``stop``. Several may run, in threads, processes or machines: each claims its own."""

    def __init__(self, parts: Parts, kinds: Mapping[str, JobKind] = KINDS) -> None:
        self.parts = parts
        self._kinds = kinds
        self._stopping = threading.Event()
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"

    def run(self) -> None:
        """Claim and run jobs until stopped. What goes wrong with the database is logged and tried again."""
        self._adopt_orphans()
        rounds = 0
        while not self._stopping.is_set():
            try:
                has_worked = self.run_one()
                rounds += 1
                if rounds % _FORGET_EVERY == 0:
                    self._tidy()
            except Exception:  # noqa: BLE001 -- a worker outlives whatever its database does
                _log.exception("the worker could not reach its queue; it tries again")
                has_worked = False
            if not has_worked:
                self._stopping.wait(self.parts.settings.worker.poll_seconds)

    def stop(self) -> None:
        """Claim no more jobs. The one that runs is given back to the queue when its process ends."""
        self._stopping.set()

    def run_one(self) -> bool:
        """Claim and run one job; False when none is due."""
        with self.parts.database.writing() as session:
            claim = job_queue.claim_job(
                session, list(self._kinds), self.owner, self.parts.clock.now(), self.parts.settings.worker.lease_seconds
            )
        if claim is None:
            return False
        if claim.is_last_straw:
            self._bury(claim, "Its worker was lost every time; the last time in the middle of it.")
        else:
            self._run(claim)
        return True

    def _run(self, claim: job_queue.Claim) -> None:
        job = RunningJob(claim, self.parts)
        ended = threading.Event()
        heart = threading.Thread(target=self._beat, args=(job, ended), name="lease", daemon=True)
        heart.start()
        try:
            self._kinds[claim.name].run(job)
            if not job.is_finished:
                with job.finishing():
                    pass
        except job_queue.LeaseLostError:
            _log.warning("job %s (%s) was taken over by another worker", claim.id, claim.name)
        except UnavailableError as error:
            self._return(claim, error.detail, self.parts.settings.worker.unavailable_retry_seconds, counts=False)
        except Exception as error:  # noqa: BLE001 -- the one boundary where a job's fault is named
            self._take_failure(claim, error)
        finally:
            ended.set()
            heart.join()

    def _take_failure(self, claim: job_queue.Claim, error: Exception) -> None:
        """Given back when we are stopping (a box that we ended proves nothing), given up when it can never work."""
        if self._stopping.is_set():
            self._return(claim, "The worker was stopped.", 0.0, counts=False)
        elif isinstance(error, HubServerError):
            self._bury(claim, error.detail)
        else:
            _log.error("job %s (%s) failed", claim.id, claim.name, exc_info=error)
            self._retry_or_bury(claim, f"{type(error).__name__}: {error}")

    def _beat(self, job: RunningJob, ended: threading.Event) -> None:
        """Extend the lease three times in its length, until the job ends or is lost."""
        while not ended.wait(self.parts.settings.worker.lease_seconds / 3):
            try:
                job.heartbeat()
            except job_queue.LeaseLostError:
                return
            except Exception:  # noqa: BLE001 -- tried again in a third of the lease
                _log.exception("the lease of job %s could not be extended; tried again", job.claim.id)

    def _retry_or_bury(self, claim: job_queue.Claim, reason: str) -> None:
        if claim.attempt >= self.parts.settings.worker.attempts:
            self._bury(claim, reason)
        else:
            pause = min(self.parts.settings.worker.retry_seconds * 2 ** (claim.attempt - 1), _LONGEST_PAUSE_SECONDS)
            self._return(claim, reason, pause, counts=True)

    def _return(self, claim: job_queue.Claim, reason: str, pause_seconds: float, *, counts: bool) -> None:
        _log.info("job %s (%s) waits: %s", claim.id, claim.name, reason)
        pause = 0.0 if self._stopping.is_set() else pause_seconds
        with self.parts.database.writing() as session:
            run_after = self.parts.clock.now() + timedelta(seconds=pause)
            try:
                job_queue.return_job(session, claim, run_after, reason, counts_as_attempt=counts)
            except job_queue.LeaseLostError:
                _log.warning("job %s (%s) was taken over by another worker", claim.id, claim.name)

    def _bury(self, claim: job_queue.Claim, reason: str) -> None:
        """Give the job up for good, and let its feature say so, in one transaction."""
        _log.error("job %s (%s) is given up: %s", claim.id, claim.name, reason)
        try:
            with self.parts.database.writing() as session:
                work = Work(session, self.parts)
                job_queue.fail_job(session, claim, work.now, reason)
                self._kinds[claim.name].bury(work, claim.id, claim.payload, reason)
        except job_queue.LeaseLostError:
            _log.warning("job %s (%s) was taken over by another worker", claim.id, claim.name)

    def _adopt_orphans(self) -> None:
        """Jobs of workers on this machine whose process is gone need not wait for their lease to end."""
        host = socket.gethostname()
        try:
            with self.parts.database.writing() as session:
                dead = [owner for owner in job_queue.holders(session) if _is_dead(owner, host)]
                if dead and job_queue.return_jobs_of(session, dead, self.parts.clock.now()):
                    _log.info("took over the jobs of %s", ", ".join(dead))
        except Exception:  # noqa: BLE001 -- a head start, not a duty
            _log.exception("orphaned jobs could not be looked for; their leases will end")

    def _tidy(self) -> None:
        with self.parts.database.writing() as session:
            idempotency.forget_old_answers(session, self.parts.clock.now())


def _is_dead(owner: str, host: str) -> bool:
    """Whether ``host:pid:chance`` names a process of this machine that is gone."""
    name, _, rest = owner.rpartition(":")[0].rpartition(":")
    if name != host or not rest.isdigit():
        return False
    if int(rest) == os.getpid():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def start_workers(parts: Parts, count: int) -> list[tuple[Worker, threading.Thread]]:
    """``count`` workers in threads of this process."""
    started = []
    for number in range(count):
        worker = Worker(parts)
        thread = threading.Thread(target=worker.run, name=f"worker-{number}", daemon=True)
        thread.start()
        started.append((worker, thread))
    return started
