"""The worker's entry: send a message once. What comes of it, and when the next try is, is written as the job ends."""

from typing import Any

from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.outgoing_http import OutgoingError
from hub_server.webhooks import actions
from hub_server.webhooks.rules.retries import is_accepted


def _deliver(job: RunningJob) -> None:
    """No transaction is open while the receiver is waited for. If the worker dies meanwhile, the message is sent again,
    with the same id.
    """
    delivery = str(job.payload["delivery"])
    with job.reading() as work:
        message = actions.write_message(work, delivery)
    if message is None:
        with job.finishing() as work:
            actions.give_up(work, delivery)
        return
    status: int | None = None
    try:
        status = job.services.outgoing.post(message.url, message.headers, message.body)
        note = "" if is_accepted(status) else "Only a status of 200 to 299 means that it was taken."
    except OutgoingError as error:
        note = str(error)
    with job.finishing() as work:
        actions.record_attempt(work, delivery, status, note)


def _give_up(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    del job_id
    actions.give_up(work, str(payload["delivery"]), reason)


KINDS = {JobName.DELIVER_WEBHOOK: JobKind(run=_deliver, give_up=_give_up)}
