"""One try of a message: no transaction is open meanwhile, and a receiver that takes its time holds up nobody else."""

from dataclasses import replace

from hub_server.kernel.job_names import JobName
from hub_server.webhooks.jobs import KINDS
from hub_server.webhooks.models import WebhookRow
from hub_server.worker import KINDS as ALL
from hub_server.worker import start_workers
from tests.hub_server.webhooks.test_models import add, delivery, webhook
from tests.making.action_driver import ActionDriver
from tests.making.hub import run_jobs


class Looking:
    """A receiver during whose answer the database is written to: an open transaction would lock it (SQLite)."""

    def __init__(self, driver: ActionDriver) -> None:
        self.driver, self.calls = driver, 0

    def post(self, url, headers, body):
        self.calls += 1
        with self.driver.writing() as work:
            assert work.session.get(WebhookRow, "w1") is not None
        return 200


def queued(driver: ActionDriver) -> None:
    driver.person("al")
    add(driver, webhook(driver), delivery(driver, "w1"))
    with driver.writing() as work:
        work.queue(JobName.DELIVER_WEBHOOK, {"delivery": "m1"})


def test_the_database_is_free_while_the_receiver_is_waited_for(driver: ActionDriver) -> None:
    queued(driver)
    receiver = Looking(driver)
    run_jobs(replace(driver.services, outgoing=receiver))
    assert receiver.calls == 1
    assert driver.rows("SELECT state, status FROM webhook_deliveries") == [("delivered", 200)]


def test_a_hub_that_sends_nothing_says_so_in_the_log(driver: ActionDriver) -> None:
    queued(driver)
    run_jobs(driver.services)
    ((note, attempts),) = driver.rows("SELECT note, attempts FROM webhook_deliveries")
    assert ("sends nothing" in note, attempts) == (True, 1)


def test_receivers_have_threads_of_their_own(driver: ActionDriver) -> None:
    """Else a hundred receivers that never answer would stop every audit and mail."""
    started = start_workers(driver.services, 2)
    for worker, _ in started:
        worker.stop()
    for _, thread in started:
        thread.join(30)
    kinds = [set(worker._kinds) for worker, _ in started]
    assert kinds.count(set(KINDS)) == 2
    assert kinds.count(set(ALL) - set(KINDS)) == 2
