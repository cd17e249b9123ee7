"""One mail about all that waits: the database is free meanwhile, and what was not sent stays noted."""

from dataclasses import replace

from sqlalchemy import text

from hub_server.kernel.job_names import JobName
from hub_server.ports.mailer import Mail
from hub_server.watches import actions
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver


class Looking(FakeMailer):
    """A mail server while which the database is written to: an open transaction would lock it (SQLite)."""

    def __init__(self, driver: ActionDriver) -> None:
        super().__init__()
        self.driver = driver

    def send(self, mail: Mail) -> None:
        with self.driver.writing() as work:
            work.session.execute(text("SELECT 1"))
        super().send(mail)


def watched(driver: ActionDriver) -> None:
    alice, bob = driver.person("alice"), driver.person("bob")
    with driver.writing() as work:
        work.session.execute(text("UPDATE accounts SET email = 'bob@example.org', email_confirmed_at = created_at"))
    driver.do(bob, actions.watch, "alice", None)
    driver.publish(alice)


def test_the_database_is_free_while_the_mail_server_is_waited_for(driver: ActionDriver) -> None:
    watched(driver)
    mailer = Looking(driver)
    driver.services = replace(driver.services, mailer=mailer)
    driver.run_jobs()
    assert [mail.to for mail in mailer.sent] == ["bob@example.org"]
    assert driver.rows("SELECT count(*) FROM news") == [(0,)]


def test_news_that_could_not_be_mailed_stay_noted_for_the_next_mail(driver: ActionDriver) -> None:
    watched(driver)
    for _ in range(20):  # this hub has no mailer: every try fails, and the job is given up
        driver.run_jobs()
    assert driver.rows("SELECT state FROM jobs WHERE name = :name", name=JobName.SEND_NEWS.value) == [("failed",)]
    assert driver.rows("SELECT count(*) FROM news") == [(1,)]
