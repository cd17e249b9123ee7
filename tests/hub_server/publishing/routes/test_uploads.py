"""Wheels that come in parts: any part may be sent again, nobody else sees them, and what is left over goes away."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from obstore.store import from_url
from sqlalchemy import text
from sqlalchemy.orm import Session

from hub_server.accounts.actions import create_token
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.kernel.services import Services
from hub_server.publishing import queries
from hub_server.publishing.actions import collect_unused, delete_old_parts
from schemas.account import Scope, TokenCreate
from schemas.names import digest_of
from tests.making.action_driver import ActionDriver, person
from tests.making.engines import INTERLEAVING
from tests.making.hub import Api, make_package
from tests.making.hub_processes import Store

PART, HOUR = 700, 3600
WHEEL = make_package()
DIGEST = digest_of(WHEEL)
PARTS = [WHEEL[start : start + PART] for start in range(0, len(WHEEL), PART)]


@pytest.fixture
def small(driver: ActionDriver) -> ActionDriver:
    """A hub that takes 700 bytes at a time."""
    settings = driver.services.settings
    limits = settings.limits.model_copy(update={"body_bytes": PART, "wheel_bytes": 4 * len(WHEEL)})
    driver.services = replace(driver.services, settings=settings.model_copy(update={"limits": limits}))
    for name in ("alice", "bob"):
        driver.person(name)
    return driver


@pytest.fixture
def alice(small: ActionDriver) -> Api:
    return as_account(small, "alice")


def as_account(driver: ActionDriver, name: str, *scopes: Scope) -> Api:
    wanted = TokenCreate(name="t", scopes=list(scopes) or None) if scopes else TokenCreate(name="t")
    return Api(create_app(driver.services), driver.do(person(name), create_token, wanted).secret)


def send(api: Api, number: int, part: bytes, digest: str = DIGEST):
    return api.request("PUT", f"/api/v1/uploads/{digest}/parts/{number}", content=part)


def publish(api: Api, digest: str = DIGEST, **more: str):
    return api.post("/api/v1/packages", params={"upload": digest, **more})


def change(driver: ActionDriver, statement: str, **values: object) -> None:
    with driver.writing() as work:
        work.session.execute(text(statement), values)


def arrived(api: Api) -> list[int]:
    return [part["number"] for part in api.get(f"/api/v1/uploads/{DIGEST}").json()["parts"]]


def blobs(driver: ActionDriver) -> set[str]:
    return {blob.digest for blob in driver.services.blobs.entries()}


def test_parts_in_any_order_some_of_them_twice_become_the_release(small: ActionDriver, alice: Api) -> None:
    assert alice.get(f"/api/v1/uploads/{DIGEST}").json() == {
        "digest": DIGEST,
        "part_bytes": PART,
        "parts": [],
        "kept_until": None,
    }
    for number in [*reversed(range(len(PARTS))), 1, 0]:
        answer = send(alice, number, PARTS[number])
        assert (answer.status_code, answer.json()["digest"]) == (200, digest_of(PARTS[number]))
    assert arrived(alice) == list(range(len(PARTS)))
    assert publish(alice, dry_run="true").status_code == 200
    assert small.rows("SELECT id FROM releases") == []
    assert publish(alice).status_code == 201
    assert alice.get("/api/v1/packages/alice/small-sums/releases/1.0.0/wheel").content == WHEEL
    assert arrived(alice) == []
    delete_old_parts(small.services)
    assert blobs(small) == {DIGEST}
    assert small.rows("SELECT * FROM upload_parts") == []


def test_a_part_that_is_missing_or_lost_is_named(small: ActionDriver, alice: Api) -> None:
    answer = publish(alice)
    assert (answer.status_code, answer.json()["code"]) == (404, "upload_not_found")
    for number in (0, 2):
        send(alice, number, PARTS[number])
    assert "Part 1 of" in publish(alice).json()["detail"]
    for number, part in enumerate(PARTS):
        send(alice, number, part)
    small.services.blobs.delete(digest_of(PARTS[-1]))
    assert f"Part {len(PARTS) - 1} of" in publish(alice).json()["detail"]
    send(alice, len(PARTS) - 1, PARTS[-1])
    assert publish(alice).status_code == 201


def test_other_bytes_than_those_that_were_named_are_refused(small: ActionDriver, alice: Api) -> None:
    for number, part in enumerate([PARTS[1], PARTS[0], *PARTS[2:]]):
        send(alice, number, part)
    answer = publish(alice)
    assert (answer.status_code, "are the bytes of" in answer.json()["detail"]) == (422, True)
    headers = {"Digest-Sha256": digest_of(PARTS[0])}
    assert (
        alice.request("PUT", f"/api/v1/uploads/{DIGEST}/parts/0", content=PARTS[1], headers=headers).status_code == 422
    )
    assert small.rows("SELECT id FROM releases") == []


def test_nobody_publishes_or_sees_the_parts_of_another(small: ActionDriver, alice: Api) -> None:
    for number, part in enumerate(PARTS):
        send(alice, number, part)
    bob = as_account(small, "bob")
    assert arrived(bob) == []
    assert publish(bob).status_code == 404
    assert bob.request("DELETE", f"/api/v1/uploads/{DIGEST}").status_code == 204
    assert arrived(alice) == list(range(len(PARTS)))
    stranger = Api(create_app(small.services))
    for answer in (send(stranger, 0, PARTS[0]), stranger.get(f"/api/v1/uploads/{DIGEST}"), publish(stranger)):
        assert answer.status_code == 401
    reader = as_account(small, "bob", Scope.READ)
    for answer in (send(reader, 0, PARTS[0]), reader.get(f"/api/v1/uploads/{DIGEST}")):
        assert answer.status_code == 403


@pytest.mark.parametrize(
    ("path", "part", "status"),
    [
        (f"{DIGEST}/parts/0", b"", 422), (f"{DIGEST}/parts/0", b"x" * (PART + 1), 413),
        (f"{DIGEST}/parts/-1", b"x", 422), (f"{DIGEST}/parts/4096", b"x", 422), (f"{DIGEST}/parts/{'9' * 5000}", b"x", 422),
        ("sha256:00/parts/0", b"x", 422), (f"{DIGEST.upper()}/parts/0", b"x", 422), (f"{DIGEST}/parts/0%00", b"x", 422),
    ],
)  # fmt: skip
def test_what_is_no_part_is_refused(small: ActionDriver, alice: Api, path: str, part: bytes, status: int) -> None:
    assert alice.request("PUT", f"/api/v1/uploads/{path}", content=part).status_code == status
    assert small.rows("SELECT * FROM upload_parts") == []


def test_an_account_holds_a_few_unfinished_wheels_and_no_larger_one_than_the_hub_takes(
    small: ActionDriver, alice: Api
) -> None:
    most = small.services.settings.limits.wheel_bytes
    sent = [
        send(alice, number, bytes([number]) * PART, "sha256:" + "1" * 64).status_code
        for number in range(most // PART + 2)
    ]
    assert (sent.count(200), sent[-1]) == (most // PART, 413)
    others = [send(alice, 0, bytes([number, 1]) * (PART // 2), f"sha256:{number:064x}") for number in range(250)]
    refused = [answer for answer in others if answer.status_code != 200]
    assert refused[0].status_code == 429
    ((held,),) = small.rows("SELECT sum(size_bytes) FROM upload_parts")
    assert held <= 2 * most
    assert alice.request("DELETE", f"/api/v1/uploads/sha256:{'1' * 64}").status_code == 204
    assert send(alice, 0, b"again").status_code == 200


def test_bytes_of_parts_count_for_the_day_and_a_full_day_takes_no_more(small: ActionDriver, alice: Api) -> None:
    send(alice, 0, PARTS[0])
    assert small.rows("SELECT attempts, size_bytes FROM upload_days") == [(0, PART)]
    change(small, "UPDATE upload_days SET size_bytes = 5000000000")
    assert (send(alice, 1, PARTS[1]).status_code, publish(alice).status_code) == (429, 429)


def test_parts_are_kept_while_somebody_waits_for_them_and_go_after_a_day(small: ActionDriver, alice: Api) -> None:
    for number, part in enumerate(PARTS):
        send(alice, number, part)
    small.clock.advance(23 * HOUR)
    send(alice, 0, PARTS[0])
    small.clock.advance(23 * HOUR)
    delete_old_parts(small.services)
    assert list(collect_unused(small.services, timedelta(0))) == []
    assert arrived(alice) == list(range(len(PARTS)))
    small.clock.advance(2 * HOUR)
    delete_old_parts(small.services)
    assert (arrived(alice), blobs(small)) == ([], set())


def test_bytes_that_are_refused_or_replaced_do_not_stay(small: ActionDriver, alice: Api) -> None:
    """No job looks for bytes without a row: an account could fill the disk with them, day after day."""
    for letter in b"abc":
        assert send(alice, 0, bytes([letter]) * PART).status_code == 200
    assert blobs(small) == {digest_of(b"c" * PART)}
    assert send(alice, 0, b"c" * PART).status_code == 200
    assert send(alice, 1, b"c" * PART).status_code == 200
    assert send(alice, 1, b"d" * PART).status_code == 200
    assert blobs(small) == {digest_of(b"c" * PART), digest_of(b"d" * PART)}, "another part has those bytes too"
    change(small, "UPDATE upload_parts SET size_bytes = 1000000")
    refused = send(alice, 2, b"e" * PART), send(alice, 0, b"f" * PART, "sha256:" + "2" * 64)
    assert [answer.status_code for answer in refused] == [413, 429]
    assert blobs(small) == {digest_of(b"c" * PART), digest_of(b"d" * PART)}


def test_a_crowd_of_tiny_parts_fills_the_day_and_the_room(small: ActionDriver, alice: Api) -> None:
    """Each takes a file and a row: of one byte each, an account could send millions a day."""
    limits = small.services.settings.limits.model_copy(update={"body_bytes": 128 * 100})
    small.services = replace(small.services, settings=small.services.settings.model_copy(update={"limits": limits}))
    alice = as_account(small, "alice")
    least, most = 100, small.services.settings.limits.wheel_bytes
    tiny = [
        send(alice, 0, b"%d" % number, f"sha256:{number:064x}").status_code for number in range(2 * most // least + 1)
    ]
    assert (tiny.count(200), tiny[-1]) == (2 * most // least, 429)
    assert small.rows("SELECT size_bytes FROM upload_days") == [(len(tiny) * least,)]


def test_parts_of_more_uploads_than_are_looked_up_at_a_time_all_go(
    small: ActionDriver, alice: Api, monkeypatch
) -> None:
    monkeypatch.setattr(queries, "_MOST_UPLOADS", 2)
    for number in range(5):
        send(alice, 0, b"%d" % number, f"sha256:{number:064x}")
    small.clock.advance(25 * HOUR)
    delete_old_parts(small.services)
    assert (blobs(small), small.rows("SELECT * FROM upload_parts")) == (set(), [])


def test_a_worker_that_dies_between_bytes_and_rows_leaves_nothing_behind(
    small: ActionDriver, alice: Api, monkeypatch
) -> None:
    for number, part in enumerate(PARTS):
        send(alice, number, part)
    small.clock.advance(25 * HOUR)
    delete, calls = small.services.blobs.delete, []

    def dies(digest: str) -> None:
        calls.append(digest)
        if len(calls) == 2:
            raise KeyboardInterrupt
        delete(digest)

    monkeypatch.setattr(small.services.blobs, "delete", dies)
    with pytest.raises(KeyboardInterrupt):
        delete_old_parts(small.services)
    delete_old_parts(small.services)
    assert (blobs(small), small.rows("SELECT * FROM upload_parts")) == (set(), [])


def test_a_wheel_that_is_published_already_leaves_no_parts_that_take_room(small: ActionDriver, alice: Api) -> None:
    """The answer to the first publish was lost, and the client sent everything again."""
    for status in (201, 200):
        for number, part in enumerate(PARTS):
            send(alice, number, part)
        assert publish(alice).status_code == status
        assert arrived(alice) == []


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A real S3 server, which can be stopped and started again with what it had."""
    store = Store()
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    store.start()
    yield store
    store.stop()


def test_an_upload_goes_on_after_the_store_was_away_in_its_middle(small: ActionDriver, s3: Store) -> None:
    blobs = ObjectBlobStore("s3://hub/blobs")
    blobs._store = from_url("s3://hub/blobs", retry_config={"max_retries": 0})  # else it tries for seconds
    small.services = replace(small.services, blobs=blobs)
    alice = as_account(small, "alice")
    last = len(PARTS) - 1
    assert {send(alice, number, PARTS[number]).status_code for number in range(last)} == {200}
    s3.stop()
    answer = send(alice, last, PARTS[last])
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
    assert "127.0.0.1" not in answer.text
    assert arrived(alice) == list(range(last))
    assert publish(alice).status_code == 503
    s3.start()
    assert send(alice, last, PARTS[last]).status_code == 200
    s3.stop()
    assert (publish(alice).status_code, small.rows("SELECT id FROM releases")) == (503, [])
    s3.start()
    assert publish(alice).status_code == 201
    assert alice.get("/api/v1/packages/alice/small-sums/releases/1.0.0/wheel").content == WHEEL


@INTERLEAVING
def test_of_two_parts_with_one_number_at_once_one_stays(
    bob: Api, services: Services, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second comes while the first is written and not committed: its bytes stay, and those of the first go."""
    begun: list[Future[int]] = []
    real = queries.room_of_parts

    def counted(session: Session, account_id: str, least: int) -> int:
        if not begun:
            begun.append(pool.submit(lambda: send(bob, 0, b"second").status_code))
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not begun[0].done() and not session.scalar(waiting):
                pass
        return real(session, account_id, least)

    monkeypatch.setattr(queries, "room_of_parts", counted)
    bob.request("DELETE", f"/api/v1/uploads/{DIGEST}")  # notes that the token was used: no lock of that is waited for
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: send(bob, 0, b"first").status_code)
        assert (first.result(60), begun[0].result(60)) == (200, 200)
    assert [part["digest"] for part in bob.get(f"/api/v1/uploads/{DIGEST}").json()["parts"]] == [digest_of(b"second")]
    assert {blob.digest for blob in services.blobs.entries()} == {digest_of(b"second")}
