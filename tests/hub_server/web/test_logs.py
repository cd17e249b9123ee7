"""The log is read by more people than the database: no secret, hash or personal data stands in it, whatever fails."""

import logging
import traceback

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from hub_server.database.engine import Database
from tests.making.hub import Api

CANARIES = ("canary@example.org", "canary horse battery", "argon2")


def logged(caplog: pytest.LogCaptureFixture) -> str:
    formatter = logging.Formatter()
    return "\n".join(formatter.format(record) for record in caplog.records)


def test_a_failed_statement_is_logged_without_what_it_was_given(
    api: Api, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with database.writing() as session:
        session.execute(text("ALTER TABLE accounts DROP COLUMN display_name"))
    body = {"name": "canary", "email": CANARIES[0], "password": CANARIES[1]}
    answer = api.post("/api/v1/accounts", json=body)
    assert answer.status_code in (500, 503)
    said = logged(caplog)
    assert "display_name" in said  # the operator learns what is wrong
    assert not [canary for canary in CANARIES if canary in said]
    assert not [canary for canary in CANARIES if canary in answer.text]


def test_an_error_of_the_database_quotes_no_row(database: Database) -> None:
    """PostgreSQL adds the whole failing row to its message; every error in the chain would be in a traceback."""
    statement = text("INSERT INTO accounts (id, name, name_folded, email) VALUES ('1', 'c', 'c', :email)")
    with pytest.raises(IntegrityError) as caught, database.writing() as session:
        session.execute(statement, {"email": CANARIES[0]})
    shown = "".join(traceback.format_exception(caught.value))
    assert "accounts" in shown
    assert CANARIES[0] not in shown
