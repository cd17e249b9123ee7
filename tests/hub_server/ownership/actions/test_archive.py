"""Archiving is for who may publish, and for people: a workflow's token neither closes nor opens a package."""

from typing import Any

import pytest

from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import Caller
from hub_server.ownership.actions import archive_package, unarchive_package
from hub_server.publishing.errors import ArchivedError
from schemas.account import Scope
from tests.making.action_driver import ActionDriver, caller

SUMS = "alice/small-sums"


def test_a_closed_package_opens_again(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    driver.publish(alice)
    assert driver.do(alice, archive_package, SUMS, " use another ").archived_reason == "use another"
    with pytest.raises(ArchivedError, match="use another"):
        driver.publish(alice, version="1.1.0")
    assert driver.publish(alice, version="1.0.0").version == "1.0.0", "the same bytes again are no new release"
    assert driver.do(alice, unarchive_package, SUMS).archived_reason is None
    driver.publish(alice, version="1.1.0")


@pytest.mark.parametrize(
    ("by", "refusal"),
    [
        (caller("bob"), NotAllowedError),
        (caller("alice", scopes=frozenset({Scope.READ})), NotAllowedError),
        (caller("alice", only_package=SUMS), NotAllowedError),
        (caller("bob", organizations=frozenset({"alice"})), NotAllowedError),
        (caller("bob", maintained=frozenset({"alice"})), None),
        (caller("alice"), None),
    ],
)
def test_who_may_publish_may_archive(driver: ActionDriver, by: Caller, refusal: Any) -> None:
    driver.publish(driver.person("alice"))
    if refusal is None:
        driver.do(by, archive_package, SUMS, "done")
        return
    with pytest.raises(refusal):
        driver.do(by, archive_package, SUMS, "done")


def test_it_needs_a_reason(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    driver.publish(alice)
    with pytest.raises(InvalidRequestError, match="will read it"):
        driver.do(alice, archive_package, SUMS, "  ")
