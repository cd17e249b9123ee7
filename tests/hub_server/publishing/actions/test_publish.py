"""Publishing: bytes in, one release out, whatever is sent twice, at once or by the wrong person."""

import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select

from hub_server.errors import StorageUnavailableError
from hub_server.kernel.services import Services
from hub_server.publishing.models import UploadDayRow
from schemas.names import digest_of
from tests.fakes.clock import FakeClock
from tests.making.asgi import ask
from tests.making.hub import Api, make_package, run_jobs
from tests.making.wheel import MANIFEST


def constant(value: float) -> str:
    return f"def verify(response):\n    return {{'correct': {value}}}\n"


def test_a_wheel_becomes_a_release_with_what_its_bytes_say(alice: Api) -> None:
    wheel = make_package()
    answer = alice.publish(wheel)
    assert answer.status_code == 201
    receipt = answer.json()
    assert receipt["created"] is True
    assert receipt["release"]["package"] == "alice/small-sums"
    assert receipt["release"]["digest"] == digest_of(wheel)
    assert receipt["release"]["task_counts"] == {"train": 2}
    assert receipt["release"]["case_count"] == 2
    assert receipt["url"] == "http://hub.test/packages/alice/small-sums/releases/1.0.0"
    assert answer.headers["Location"] == "/api/v1/packages/alice/small-sums/releases/1.0.0"


def test_the_same_bytes_again_are_no_error_and_change_nothing(alice: Api, services: Services) -> None:
    wheel = make_package()
    first = alice.publish(wheel).json()
    run_jobs(services)
    again = alice.publish(wheel)
    assert again.status_code == 200
    assert again.json()["created"] is False
    assert again.json()["release"]["published_at"] == first["release"]["published_at"]
    assert again.json()["audit_job"] is None


@pytest.mark.parametrize("version", ["1.0.0", "1.0"])
def test_other_bytes_for_a_version_are_refused_even_if_it_is_written_differently(alice: Api, version: str) -> None:
    alice.publish(make_package())
    other = alice.publish(make_package(version=version, code=constant(1.0)))
    assert other.status_code == 409
    assert other.json()["code"] == "version_exists"
    assert "publish a higher version" in other.json()["detail"]


def test_a_stranger_is_told_that_she_may_not_before_she_learns_what_exists(alice: Api, bob: Api) -> None:
    alice.publish(make_package())
    refused = bob.publish(make_package(code=constant(0.0)))
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")


def test_without_a_token_not_a_byte_is_kept(api: Api, services: Services) -> None:
    wheel = make_package()
    assert api.publish(wheel).status_code == 401
    assert not services.blobs.exists(digest_of(wheel))


def test_a_token_without_the_scope_may_not_publish(alice: Api) -> None:
    made = alice.as_person().post("/api/v1/tokens", json={"name": "reader", "scopes": ["read"]}).json()
    refused = alice.as_token(made["secret"]).publish(make_package())
    assert refused.status_code == 403
    assert "publish" in refused.json()["detail"]


def test_a_package_keeps_its_kind(alice: Api) -> None:
    alice.publish(make_package())
    as_verifier = MANIFEST.replace('kind = "environment"\ntasks = { train = "tasks.jsonl" }', 'kind = "verifier"')
    case = '{"id": "a1", "task": {"id": "t1", "prompt": "1+1?", "answer": 2}, "response": "2", "label": "correct"}\n'
    wheel = make_package(version="2.0.0", manifest=as_verifier, package_files={"audit.jsonl": case})
    refused = alice.publish(wheel)
    assert (refused.status_code, refused.json()["code"]) == (409, "kind_changed")


@pytest.mark.parametrize("garbage", [b"\x00" * 100, b"PK\x03\x04 not really", b"#!/bin/sh\nrm -rf /\n"])
def test_garbage_is_refused_in_words(alice: Api, garbage: bytes) -> None:
    refused = alice.publish(garbage)
    assert refused.status_code == 422
    assert refused.json()["code"] == "invalid_package"
    assert refused.json()["errors"]


def test_every_fault_of_a_wheel_is_listed(alice: Api) -> None:
    tasks = '{"prompt": "no id"}\nnot json\n'
    refused = alice.publish(make_package(package_files={"tasks.jsonl": tasks}))
    pointers = [part["pointer"] for part in refused.json()["errors"]]
    assert "alice_small_sums/tasks.jsonl:1" in pointers
    assert "alice_small_sums/tasks.jsonl:2" in pointers


def test_an_empty_body_and_a_wrong_digest_are_refused(alice: Api) -> None:
    assert alice.publish(b"").status_code == 422
    refused = alice.post("/api/v1/packages", content=make_package(), headers={"Digest-Sha256": "sha256:" + "0" * 64})
    assert refused.status_code == 422
    assert "send them again" in refused.json()["detail"]


def test_a_body_beyond_the_limit_is_cut_off(alice: Api, services: Services) -> None:
    limit = services.settings.limits.wheel_bytes

    async def endless():  # comes without a Content-Length
        for _ in range(limit // 2**20 + 2):
            yield b"\x00" * 2**20

    refused = alice.post("/api/v1/packages", content=endless())
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    announced = alice.post("/api/v1/packages", content=b"x", headers={"Content-Length": str(limit + 1)})
    assert announced.status_code == 413


def test_a_verifier_that_is_elsewhere_must_be_on_this_hub(alice: Api) -> None:
    manifest = MANIFEST.replace('"alice_small_sums:verify"', '"bob/judge@>=1"')
    refused = alice.publish(make_package(manifest=manifest))
    assert refused.status_code == 422
    assert "publish it first" in refused.json()["detail"]


def test_a_dry_run_says_what_a_publish_would_and_writes_nothing(alice: Api) -> None:
    wheel = make_package()
    tried = alice.post("/api/v1/packages?dry_run=true", content=wheel)
    assert (tried.status_code, tried.json()["created"]) == (200, False)
    assert alice.get("/api/v1/packages/alice/small-sums").status_code == 404
    alice.publish(wheel)
    assert alice.post("/api/v1/packages?dry_run=true", content=make_package(code=constant(0.5))).status_code == 409


def publish_at_once(api: Api, wheels: list[bytes]) -> Counter[int]:
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda w=wheel: statuses.append(api.publish(w).status_code)) for wheel in wheels]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(statuses)


def test_of_many_publishes_at_once_one_wins_and_none_breaks(alice: Api) -> None:
    for count, version in enumerate(("1.0.0", "1.1.0"), start=1):  # of the first, making the package queues them too
        wheels = [make_package(version=version, code=constant(number / 8)) for number in range(8)]
        assert publish_at_once(alice, wheels) == {201: 1, 409: 7}, version
        assert len(alice.get("/api/v1/packages/alice/small-sums/releases").json()["items"]) == count


def test_the_same_wheel_from_many_at_once_is_published_once(alice: Api) -> None:
    assert publish_at_once(alice, [make_package()] * 6) == {201: 1, 200: 5}


def test_a_full_disk_is_said_and_leaves_no_release(
    alice: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: object, _digest: object) -> None:
        raise StorageUnavailableError("The blob store cannot store bytes now: No space left on device")

    monkeypatch.setattr(services.blobs, "put_file", full)
    refused = alice.publish(make_package())
    assert (refused.status_code, refused.json()["code"]) == (503, "storage_unavailable")
    assert "No space left" in refused.json()["detail"]
    monkeypatch.undo()
    assert alice.publish(make_package()).status_code == 201


def test_a_publish_queues_its_audit_with_the_release(alice: Api, services: Services) -> None:
    receipt = alice.publish(make_package()).json()
    assert receipt["audit_job"]
    card = alice.get("/api/v1/packages/alice/small-sums").json()["card"]
    assert card["audit_state"] == "queued"
    assert run_jobs(services) == 1
    card = alice.get("/api/v1/packages/alice/small-sums").json()["card"]
    assert card["audit_state"] == "done"
    assert card["audit"]["overall"]["fp"] == 0


def test_a_days_worth_of_releases_is_a_limit(alice: Api, services: Services) -> None:
    limits = services.settings.limits.model_copy(update={"releases_per_day": 2})
    object.__setattr__(services, "settings", services.settings.model_copy(update={"limits": limits}))
    assert alice.publish(make_package(version="1.0.0")).status_code == 201
    assert alice.publish(make_package(version="1.0.1")).status_code == 201
    refused = alice.publish(make_package(version="1.0.2"))
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0


def limited(services: Services, **limits: int) -> None:
    changed = services.settings.limits.model_copy(update=limits)
    object.__setattr__(services, "settings", services.settings.model_copy(update={"limits": changed}))


def stored(services: Services) -> list[Path]:
    return [path for path in Path(services.settings.blobs_url).rglob("*") if path.is_file() and path.name != "probe"]


def test_what_is_refused_or_a_dry_run_is_not_kept(alice: Api, bob: Api, services: Services) -> None:
    alice.post("/api/v1/packages?dry_run=true", content=make_package())
    alice.publish(b"\x00" * 100_000)
    alice.publish(make_package(package_files={"tasks.jsonl": "not json\n"}))
    alice.publish(make_package(manifest=MANIFEST.replace('"alice_small_sums:verify"', '"bob/judge@>=1"')))
    bob.publish(make_package())
    assert stored(services) == []
    alice.publish(make_package())
    kept = stored(services)
    assert len(kept) == 1
    alice.publish(make_package(code=constant(1.0)))  # other bytes for the same version
    assert stored(services) == kept
    assert list((services.settings.data / "uploads").iterdir()) == []


@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_refused_uploads_and_dry_runs_count_against_the_days_attempts(
    alice: Api, services: Services, query: str
) -> None:
    limited(services, uploads_per_day=3)
    statuses = [alice.post(f"/api/v1/packages{query}", content=b"PK nonsense").status_code for _ in range(5)]
    assert statuses == [422, 422, 422, 429, 429]


def test_bytes_count_even_if_they_are_refused_and_a_new_day_begins_anew(
    alice: Api, bob: Api, services: Services, clock: FakeClock
) -> None:
    limited(services, upload_bytes_per_day=1000)

    async def endless():  # comes without a Content-Length
        while True:
            yield b"\x00" * 2**22

    assert alice.publish(b"x" * 400).status_code == 422
    assert alice.post("/api/v1/packages", content=endless()).status_code == 413
    refused = alice.publish(make_package())
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert bob.publish(b"x").status_code == 422  # others have a budget of their own
    clock.advance(86400)
    assert alice.publish(b"x").status_code == 422


def test_uploads_at_once_are_all_counted(alice: Api, services: Services) -> None:
    limited(services, uploads_per_day=3)
    publish_at_once(alice, [b"PK nonsense"] * 3)
    assert alice.publish(b"PK nonsense").status_code == 429


@pytest.mark.parametrize(
    ("needs", "word"), [("timeout_seconds = 500", "timeout_seconds"), ("memory_mb = 9000", "memory_mb")]
)
def test_what_asks_for_more_than_the_operator_gives_is_refused(alice: Api, needs: str, word: str) -> None:
    refused = alice.publish(make_package(manifest=f"{MANIFEST}\n[sandbox]\n{needs}\n"))
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_package")
    assert word in refused.json()["detail"]


class Watched:
    """The hub's inspector, with something that happens while it reads the wheel."""

    def __init__(self, inner, happens):
        self.inner, self.happens = inner, happens

    def inspect(self, path, digest):
        self.happens()
        return self.inner.inspect(path, digest)


def test_a_token_that_is_revoked_while_its_wheel_is_read_publishes_nothing(alice: Api, services: Services) -> None:
    made = alice.as_person().post("/api/v1/tokens", json={"name": "leaked", "scopes": ["publish"]}).json()

    def revoke():
        assert alice.post("/api/v1/tokens/revoke", json={"token": made["secret"]}).status_code == 204

    object.__setattr__(services, "inspector", Watched(services.inspector, revoke))
    refused = alice.as_token(made["secret"]).publish(make_package())
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
    assert alice.get("/api/v1/packages/alice/small-sums").status_code == 404


def test_others_can_write_while_a_wheel_is_read_and_stored(alice: Api, bob: Api, services: Services) -> None:
    statuses = []

    def write():
        statuses.append(bob.as_person().post("/api/v1/tokens", json={"name": "t", "scopes": ["read"]}).status_code)

    object.__setattr__(services, "inspector", Watched(services.inspector, write))
    assert alice.publish(make_package()).status_code == 201
    assert statuses == [201]


def test_who_comes_second_while_the_first_one_is_read_is_told_so_by_the_last_step(
    alice: Api, services: Services
) -> None:
    inner, other = services.inspector, make_package(code=constant(0.5))

    def overtake():
        object.__setattr__(services, "inspector", inner)
        assert alice.publish(other).status_code == 201

    object.__setattr__(services, "inspector", Watched(inner, overtake))
    refused = alice.publish(make_package())
    assert (refused.status_code, refused.json()["code"]) == (409, "version_exists")


def test_an_upload_that_is_cut_off_counts_leaves_no_file_and_is_no_fault_of_the_hub(
    alice: Api, services: Services, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {"Authorization": f"Bearer {alice.token}"}
    with caplog.at_level("WARNING"):
        sent = ask(
            alice.app, "/api/v1/packages", method="POST", headers=headers, body=[b"x" * 1000, b"y" * 500], hangs_up=True
        )
    assert sent.messages == []
    assert [record for record in caplog.records if record.name.startswith("hub_server")] == []
    assert list((services.settings.data / "uploads").iterdir()) == []
    with services.database.reading() as session:
        rows = session.execute(select(UploadDayRow.attempts, UploadDayRow.size_bytes)).all()
    assert [tuple(row) for row in rows] == [(1, 1500)]
