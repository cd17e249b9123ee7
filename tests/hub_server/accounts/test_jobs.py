"""Mail as a job: a mail that is never taken is given up, and the log names nobody."""

import logging
from dataclasses import replace

import pytest

from hub_server.accounts import actions
from schemas.account import AccountCreate
from tests.fakes.mailer import FakeMailer
from tests.making.desk import Desk

PASSWORD = "correct horse battery"


def test_a_mail_that_nobody_takes_is_given_up_without_a_name(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    mailer = FakeMailer()
    mailer.refusals = 100
    worker = desk.services.settings.worker.model_copy(update={"attempts": 2})
    settings = desk.services.settings.model_copy(update={"worker": worker})
    desk.services = replace(desk.services, mailer=mailer, settings=settings)
    body = AccountCreate(name="carol", email="carol@example.org", password=PASSWORD)
    desk.do(None, actions.sign_up, body, actions.hash_password(PASSWORD))
    desk.do(None, actions.ask_for_reset, "carol@example.org")
    with caplog.at_level(logging.INFO):
        desk.run_jobs()
    assert mailer.refusals == 98
    assert "was not sent: MailError" in caplog.text
    assert "carol" not in caplog.text
