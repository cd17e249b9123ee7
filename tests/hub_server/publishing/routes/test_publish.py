"""Publishing over HTTP: what comes in is counted and gone afterwards, whatever becomes of it."""

from dataclasses import replace

import pytest

from hub_server.accounts.actions import create_token
from hub_server.app import create_app
from schemas.account import Scope, TokenCreate
from schemas.names import digest_of
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.hub import Api, make_package

ALICE, BOB = caller("alice"), caller("bob")
WHEEL = make_package()
RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"


@pytest.fixture
def alice(driver: ActionDriver) -> Api:
    driver.person("alice")
    driver.person("bob")
    return as_account(driver, ALICE)


def as_account(driver: ActionDriver, by) -> Api:
    return Api(create_app(driver.services), driver.do(person(by.name), create_token, TokenCreate(name="t")).secret)


def left_over(driver: ActionDriver) -> list[str]:
    return [path.name for path in (driver.services.settings.data / "uploads").glob("*")]


def test_a_receipt_leads_to_the_release_and_a_second_one_says_that_it_was_there(
    driver: ActionDriver, alice: Api
) -> None:
    first, again = alice.publish(WHEEL), alice.publish(WHEEL)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.headers["Location"] == again.headers["Location"] == RELEASE
    assert first.json()["url"] == "http://hub.test/packages/alice/small-sums/releases/1.0.0"
    assert left_over(driver) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Digest-Sha256": digest_of(WHEEL)}, 201), ({"Digest-Sha256": f" {digest_of(WHEEL)} "}, 201),
     ({"Digest-Sha256": "sha256:" + "0" * 64}, 422), ({"Digest-Sha256": digest_of(WHEEL).upper()}, 422), ({"Digest-Sha256": ""}, 422)],
)  # fmt: skip
def test_bytes_that_are_not_those_that_were_meant_are_refused(
    driver: ActionDriver, alice: Api, headers, status: int
) -> None:
    answer = alice.post("/api/v1/packages", content=WHEEL, headers=headers)
    assert answer.status_code == status, answer.text
    assert len(driver.rows("SELECT id FROM releases")) == (status == 201)


def test_what_is_refused_counts_and_leaves_neither_file_nor_release(driver: ActionDriver, alice: Api) -> None:
    for body, status in ((b"", 422), (b"no wheel", 422), (make_package("bob/sums"), 403), (WHEEL[:-50], 422)):
        assert alice.publish(body).status_code == status
    ((attempts, size),) = driver.rows("SELECT attempts, size_bytes FROM upload_days")
    assert (attempts, size > len(WHEEL)) == (4, True)
    assert left_over(driver) == []
    assert driver.rows("SELECT id FROM releases") == []


def test_a_dry_run_refuses_what_a_publish_would_and_writes_nothing(driver: ActionDriver, alice: Api) -> None:
    dry = alice.post("/api/v1/packages?dry_run=true", content=WHEEL)
    assert (dry.status_code, dry.json()["created"]) == (200, False)
    assert alice.post("/api/v1/packages?dry_run=true", content=make_package("bob/sums")).status_code == 403
    assert driver.rows("SELECT id FROM packages") == []
    stored = [path for path in (driver.services.settings.data / "blobs").rglob("*") if path.is_file()]
    assert stored == [], "bytes are kept only for what is published"


def test_nobody_and_a_narrow_token_are_refused_before_a_byte_counts(driver: ActionDriver, alice: Api) -> None:
    narrow = driver.do(person("alice"), create_token, TokenCreate(name="n", scopes=[Scope.RUNS])).secret
    for api, status in ((alice.as_token(None), 401), (alice.as_token(narrow), 403)):
        assert api.publish(WHEEL).status_code == status
    assert driver.rows("SELECT * FROM upload_days") == []


def test_an_accounts_day_has_an_end(driver: ActionDriver, alice: Api) -> None:
    limits = driver.services.settings.limits.model_copy(update={"uploads_per_day": 2})
    driver.services = replace(driver.services, settings=driver.services.settings.model_copy(update={"limits": limits}))
    api = as_account(driver, ALICE)
    statuses = [api.publish(b"no wheel").status_code for _ in range(3)]
    assert statuses == [422, 422, 429]
    assert api.publish(WHEEL).headers["Retry-After"]
    assert as_account(driver, BOB).publish(make_package("bob/sums")).status_code == 201, "others have days of their own"
    driver.clock.advance(86400)
    assert api.publish(WHEEL).status_code == 201


def test_a_releases_facts_are_its_owners_to_change(driver: ActionDriver, alice: Api) -> None:
    assert alice.publish(WHEEL).status_code == 201
    bob, stranger = as_account(driver, BOB), alice.as_token(None)
    for change in ("yank", "unyank", "deprecate", "undeprecate"):
        body = {"reason": "wrong"}
        assert stranger.post(f"{RELEASE}/{change}", json=body).status_code == 401, change
        assert bob.post(f"{RELEASE}/{change}", json=body).status_code == 403, change
        assert alice.post(f"{RELEASE}/{change}", json=body).status_code == 200, change
    assert alice.post(f"{RELEASE}/yank", json={"reason": "x" * 2001}).status_code == 422
    assert stranger.get(RELEASE).json()["state"] == "active"
