"""The parts of an upload without HTTP: put together in order, kept while they are needed, gone afterwards."""

import io

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import Caller
from hub_server.publishing import actions
from hub_server.publishing.errors import UploadNotFoundError
from hub_server.publishing.rules import PARTS_KEPT
from schemas.names import digest_of
from tests.making.action_driver import ActionDriver, person
from tests.making.hub import make_package

PARTS = [b"one ", b"two ", b"three"]
WHOLE = digest_of(b"".join(PARTS))


@pytest.fixture
def alice(driver: ActionDriver) -> Caller:
    driver.person("bob")
    return driver.person("alice")


def keep(driver: ActionDriver, by: Caller, parts: dict[int, bytes], digest: str = WHOLE) -> None:
    for number, part in parts.items():
        driver.do(by, actions.keep_part, digest, number, driver.services.blobs.put(part), len(part))


def assembled(driver: ActionDriver, by: Caller) -> bytes:
    file = io.BytesIO()
    actions.assemble_upload(driver.services, by, WHOLE, file)
    return file.getvalue()


def blobs(driver: ActionDriver) -> set[str]:
    return {blob.digest for blob in driver.services.blobs.entries()}


def test_the_parts_are_put_together_in_the_order_of_their_numbers(driver: ActionDriver, alice: Caller) -> None:
    keep(driver, alice, {2: PARTS[2], 0: b"other", 1: PARTS[1]})
    keep(driver, alice, {0: PARTS[0]})
    assert assembled(driver, alice) == b"one two three"
    with pytest.raises(UploadNotFoundError, match="Part 0"):
        assembled(driver, person("bob"))


@pytest.mark.parametrize("numbers", [[0, 2], [1, 2], [2]])
def test_the_first_part_that_lacks_is_named(driver: ActionDriver, alice: Caller, numbers: list[int]) -> None:
    keep(driver, alice, {number: PARTS[number] for number in numbers})
    missing = min({0, 1, 2} - set(numbers))
    with pytest.raises(UploadNotFoundError, match=f"Part {missing} of"):
        assembled(driver, alice)


def test_a_last_part_that_lacks_shows_in_the_digest(driver: ActionDriver, alice: Caller) -> None:
    keep(driver, alice, {0: PARTS[0], 1: PARTS[1]})
    with pytest.raises(InvalidRequestError, match="The 2 parts are the bytes of"):
        assembled(driver, alice)


def test_a_part_that_is_a_release_or_of_another_upload_stays_when_an_upload_goes(
    driver: ActionDriver, alice: Caller
) -> None:
    release = driver.publish(alice)
    wheel = make_package()
    assert digest_of(wheel) == release.digest
    keep(driver, alice, {0: wheel, 1: b"shared", 2: b"own"})
    keep(driver, person("bob"), {0: b"shared"}, "sha256:" + "2" * 64)
    driver.do(alice, actions.forget_upload, WHOLE)
    actions.delete_old_parts(driver.services)
    assert blobs(driver) == {release.digest, digest_of(b"shared")}


def test_the_newest_part_says_how_long_all_wait(driver: ActionDriver, alice: Caller) -> None:
    keep(driver, alice, {0: PARTS[0]})
    driver.clock.advance(PARTS_KEPT.total_seconds() - 60)
    keep(driver, alice, {1: PARTS[1]})
    until = driver.ask(alice, actions.read_upload, WHOLE).kept_until
    assert until is not None
    assert until.replace(microsecond=0) == (driver.clock.now() + PARTS_KEPT).replace(microsecond=0)
    driver.clock.advance(PARTS_KEPT.total_seconds() - 60)
    actions.delete_old_parts(driver.services)
    assert len(driver.ask(alice, actions.read_upload, WHOLE).parts) == 2
