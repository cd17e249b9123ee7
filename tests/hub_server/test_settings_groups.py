"""Groups of settings: what the driver is told, and what makes no sense is refused."""

import pytest
from pydantic import ValidationError

from hub_server.settings import ServerSettings
from hub_server.settings_groups import ConnectionSettings, LabelSettings


def test_the_driver_is_told_by_libpqs_names_and_in_its_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SERVER_CONNECTION__UNANSWERED_SECONDS", "1.5")
    monkeypatch.setenv("VERIHUB_SERVER_CONNECTION__PROBES", "7")
    told = ServerSettings().connection.for_driver()
    assert (told["tcp_user_timeout"], told["keepalives_count"], told["keepalives"]) == (1500, 7, 1)


@pytest.mark.parametrize("wrong", [{"unanswered_seconds": 0}, {"connect_seconds": 1}, {"probes": 0}, {"unknown": 1}])
def test_no_limit_is_switched_off_by_a_value_that_libpq_takes_for_none(wrong: dict[str, int]) -> None:
    """0 is libpq's word for the system's own time, which is a quarter of an hour."""
    with pytest.raises(ValidationError):
        ConnectionSettings(**wrong)


def test_a_question_needs_two_people_to_differ() -> None:
    with pytest.raises(ValidationError):
        LabelSettings(people=1)
