"""Mail as a job: a mail that is never taken is given up, and the log names nobody."""

import logging
from dataclasses import replace

import pytest

from hub_server.accounts import actions
from schemas.account import AccountCreate
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver

PASSWORD = "correct horse battery"


def test_a_mail_that_nobody_takes_is_given_up_without_a_name(
    driver: ActionDriver, caplog: pytest.LogCaptureFixture
) -> None:
    mailer = FakeMailer()
    mailer.refusals = 100
    worker = driver.services.settings.worker.model_copy(update={"attempts": 2})
    settings = driver.services.settings.model_copy(update={"worker": worker})
    driver.services = replace(driver.services, mailer=mailer, settings=settings)
    body = AccountCreate(name="carol", email="carol@example.org", password=PASSWORD)
    driver.do(None, actions.sign_up, body, actions.hash_password(PASSWORD))
    driver.do(None, actions.ask_for_reset, "carol@example.org")
    with caplog.at_level(logging.INFO):
        driver.run_jobs()
    assert mailer.refusals == 98
    assert "was not sent: MailError" in caplog.text
    assert "carol" not in caplog.text
