"""What a transaction that only reads has asked, it asks no second time; and nobody sees by it what they may not."""

from sqlalchemy import text

from hub_server.database.asked_once import ask_once
from hub_server.database.engine import Database
from hub_server.database.visibility import EVERYTHING, seeing


def test_a_reader_asks_once_and_each_transaction_anew(database: Database) -> None:
    asked: list[str] = []
    for _ in range(2):
        with database.reading() as session:
            for _ in range(3):
                assert ask_once(session, ("one",), lambda: asked.append("one")) is None  # also what was not found
            ask_once(session, ("other",), lambda: asked.append("other"))
    assert asked == ["one", "other"] * 2


def test_a_writer_asks_each_time_because_it_changes_what_it_reads(database: Database) -> None:
    with database.writing() as session:
        answers = [ask_once(session, ("n",), lambda: session.scalar(text("SELECT random()"))) for _ in range(2)]
    assert answers[0] != answers[1]


def test_what_upkeep_saw_is_not_what_a_reader_sees(database: Database) -> None:
    with database.reading() as session:
        with seeing(session, EVERYTHING):
            assert ask_once(session, ("private",), lambda: "a private package") == "a private package"
        assert ask_once(session, ("private",), lambda: None) is None
