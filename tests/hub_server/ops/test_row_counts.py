"""A scrape does not count a large hub; a small one's numbers are always the newest."""

import pytest
from sqlalchemy import update

from hub_server.app import create_app
from hub_server.catalog.models import PackageRow
from hub_server.ops import row_counts
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api


def rows(api: Api) -> str:
    return next(line for line in api.metrics().splitlines() if line.startswith('verihub_rows{table="releases"}'))


@pytest.fixture
def api(driver: ActionDriver) -> Api:
    driver.publish(driver.person("alice"))
    return Api(create_app(driver.services))


def test_a_small_hubs_numbers_are_the_newest(driver: ActionDriver, api: Api) -> None:
    assert rows(api).endswith(" 1.0")
    driver.publish(driver.person("bob"), "bob/sums")
    assert rows(api).endswith(" 2.0")


def test_a_large_hub_is_counted_every_five_minutes(driver: ActionDriver, api: Api, monkeypatch) -> None:
    monkeypatch.setattr(row_counts, "_FEW", 2)
    assert rows(api).endswith(" 1.0")
    driver.publish(driver.person("bob"), "bob/sums")
    driver.clock.advance(299)
    with driver.statements() as sent:
        assert rows(api).endswith(" 1.0")
    assert not [one for one in sent if "FROM releases" in one]
    driver.clock.advance(1)
    assert rows(api).endswith(" 2.0")
    driver.clock.advance(-3600)
    assert rows(api).endswith(" 2.0"), "a clock that was put back keeps nothing for an hour"
    driver.publish(driver.person("carl"), "carl/sums")
    driver.clock.advance(-3600)
    assert rows(api).endswith(" 3.0")


def test_a_hub_of_private_packages_is_a_large_one_too(driver: ActionDriver, monkeypatch) -> None:
    """How many are shown was compared: a hub with 500,000 private releases was counted by every scrape."""
    monkeypatch.setattr(row_counts, "_FEW", 2)
    for name in ("alice", "bob"):
        driver.publish(driver.person(name), f"{name}/sums")
    with driver.writing() as work:
        work.session.execute(update(PackageRow).values(is_private=True))
    api = Api(create_app(driver.services))
    assert rows(api).endswith(" 0.0")
    with driver.statements() as sent:
        assert rows(api).endswith(" 0.0")
    assert not [one for one in sent if "FROM releases" in one]
