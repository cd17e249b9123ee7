"""What becomes of each table when an account is deleted: rows that go, that stay, and why; and what comes too late."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from hub_server.accounts import actions as accounts
from hub_server.database.base import Base
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import queries
from hub_server.publishing import actions as publishing
from hub_server.settings import MailSettings
from schemas.names import digest_of
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver, caller
from tests.making.hub import Api, make_package

DELETION = "/api/v1/account/deletion"

ERASED = {
    "memberships", "invitations", "idempotency_keys", "author_keys", "device_logins", "mailed_secrets",
    "recovery_codes", "second_factors", "security_keys", "tokens", "trusted_publishers", "upload_days", "upload_parts",
    "watchers", "discussion_watches", "news", "web_sessions", "webhooks", "webhook_deliveries",
}  # fmt: skip
"""Rows of the account: all of them go."""
IN_PART = {"collections", "collection_entries", "transfers", "accounts", "jobs", "watches", "rate_buckets"}
"""Private collections, offers to the account, all of its row but the name, the receivers of mails that were sent; what
others watch stays, and paces are forgotten by themselves.
"""
KEPT = {
    "activity": "the log of changes",
    "packages": "handed over or without content", "former_owners": "whose evidence is not independent",
    "former_members": "whose evidence is not independent",
    "releases": "pins", "events": "what followers have read", "journal_entries": "what is signed",
    "counter_examples": "grades", "case_seconds": "grades", "case_disputes": "grades",
    "labels": "grades", "posts": "answers to them stay",
    "discussions": "posts of others", "comparisons": "what was measured", "benchmark_results": "what was measured",
    "runs": "public ones: what was measured", "reports": "moderation", "moderation_events": "moderation",
    "blocked_names": "moderation",
}  # fmt: skip
OF_NOBODY = {
    "audits", "benchmark_relations", "benchmark_reports", "download_days", "download_senders", "draws", "event_followers",
    "followed_journal", "journal_nodes", "label_questions", "left_out_responses", "metric_points", "mirrored_packages",
    "neighbours", "package_changes", "package_facets", "read_only", "release_files", "release_needs", "rollouts",
    "run_packages", "signing_keys", "source_minhashes", "suite_results", "task_rates", "used_identities",
}  # fmt: skip


def test_whoever_adds_a_table_says_what_becomes_of_it_when_an_account_is_deleted() -> None:
    decided = [*ERASED, *IN_PART, *KEPT, *OF_NOBODY]
    assert sorted(decided) == sorted(Base.metadata.tables)
    named = {table.name for table in Base.metadata.sorted_tables if "account_id" in table.c}
    assert named <= ERASED | {"activity", "watches"}


def test_of_a_populated_account_the_address_is_nowhere_and_the_name_only_where_it_was_decided(
    alice: Api, services: Services
) -> None:
    bob = alice.sign_up("bob")
    _populate(alice, bob, services)
    person = alice.as_person()
    before = _tables_with(services, "alice")
    assert {"collections", "watches", "webhooks", "tokens", "invitations", "discussion_watches"} <= before
    assert person.post(DELETION, json={"name": "alice"}).status_code == 204
    assert _tables_with(services, "alice@example.org") == set()
    assert _tables_with(services, "alice") <= {*KEPT, *IN_PART} - {"runs"}
    with services.database.reading() as session:
        assert session.execute(text("SELECT name FROM collections WHERE owner = 'alice'")).scalars().all() == ["public"]
        assert session.execute(text("PRAGMA foreign_key_check")).all() == [] if services.database.is_sqlite else True
    for path in ("/organizations/lab", "/bob/sums/discussions", "/collections", "/moderation", "/bob"):
        assert alice.as_token(None).get(path, headers={"accept": "text/html"}).status_code < 500, path


def test_private_runs_go_with_all_that_they_hold_and_public_ones_stay(alice: Api, services: Services) -> None:
    """They stayed for ever, with every prompt and response, where nobody could see or delete them."""
    assert alice.publish(make_package()).status_code == 201
    for name, is_private in (("hush", True), ("loud", False)):
        pin = {"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:" + "0" * 64}
        made = alice.post("/api/v1/runs", json={"name": name, "is_private": is_private, "packages": [pin]}).json()
        path = f"/api/v1/runs/{made['id']}"
        _sent(alice.post(f"{path}/metrics", json={"items": [{"step": 1, "values": {"reward": 1.0}}]}))
        rollout = {"step": 1, "package": "alice/small-sums", "task_id": "t1", "prompt": name, "response": name}
        _sent(alice.post(f"{path}/rollouts", json={"items": [rollout | {"rewards": {"correct": 1.0}}]}))
    with services.database.writing() as session:
        for case_id, key in ((None, "open"), ("c1", "settled")):
            question = {
                "id": key, "package_id": "alice/small-sums", "case_key": key, "version": "1.0.0", "case": {},
                "run_id": session.execute(text("SELECT id FROM runs WHERE name = 'hush'")).scalar_one(), "rollout_id": 1,
                "step": 1, "verdicts": [], "bits": 1.0, "priority": 1.0, "state": "open", "case_id": case_id,
                "created_at": services.clock.now(),
            }  # fmt: skip
            session.execute(Base.metadata.tables["label_questions"].insert().values(**question))
        assert sorted(queries.erase_private_runs(session, "alice")) == []
    with services.database.reading() as session:
        assert session.execute(text("SELECT name FROM runs")).scalars().all() == ["loud"]
        assert session.execute(text("SELECT prompt FROM rollouts")).scalars().all() == ["loud"]
        for table in ("metric_points", "run_packages"):
            assert session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 1, table
        asked = session.execute(text("SELECT id, run_id, rollout_id FROM label_questions")).all()
        assert asked == [("settled", None, None)]


def test_an_account_whose_private_run_has_finished_is_deleted(alice: Api, services: Services) -> None:
    """An event names such a run: to delete the account was an internal error."""
    made = alice.post("/api/v1/runs", json={"name": "hush", "is_private": True}).json()
    _sent(alice.request("PATCH", f"/api/v1/runs/{made['id']}", json={"state": "finished"}))
    assert alice.as_person().post(DELETION, json={"name": "alice"}).status_code == 204
    with services.database.reading() as session:
        told = session.execute(text("SELECT kind, run_id, position FROM events WHERE kind = 'run.finished'")).all()
        assert told == [("run.finished", None, None)], "that it happened stays, and nobody is told of what"


def test_a_token_that_was_made_meanwhile_opens_nothing(alice: Api, services: Services) -> None:
    person, tables = alice.as_person(), Base.metadata.tables
    with services.database.reading() as session:
        rows = {
            name: dict(session.execute(tables[name].select()).mappings().one()) for name in ("tokens", "web_sessions")
        }
    assert person.post(DELETION, json={"name": "alice"}).status_code == 204
    with services.database.writing() as session:
        for name, row in rows.items():
            session.execute(tables[name].insert().values(**row))
    for credential in (alice, person):
        assert credential.get("/api/v1/account").status_code == 401


def test_a_publish_that_comes_behind_the_deletion_leaves_no_package_without_an_owner(
    alice: Api, services: Services, tmp_path: Path
) -> None:
    with services.database.reading() as session:
        account_id = session.execute(text("SELECT id FROM accounts WHERE name = 'alice'")).scalar_one()
    begun = caller("alice", account_id=account_id)  # as its transaction found it, before it waited
    assert alice.as_person().post(DELETION, json={"name": "alice"}).status_code == 204
    wheel = tmp_path / "alice_small_sums-1.0.0-py3-none-any.whl"
    wheel.write_bytes(make_package())
    inspection = services.inspector.inspect(wheel, digest_of(wheel.read_bytes()))
    with services.database.writing() as session, pytest.raises(NotAuthenticatedError, match="deleted"):
        publishing.make_release(UnitOfWork(session, services, begun), inspection)


def test_a_moderator_hides_what_an_account_published_before_it_left(alice: Api, services: Services) -> None:
    bob, moda = alice.sign_up("bob"), alice.sign_up("moda")
    _populate(alice, bob, services)
    assert alice.as_person().post(DELETION, json={"name": "alice"}).status_code == 204
    page = "/collections/alice/public"
    anyone = alice.as_token(None)
    assert anyone.get(page, headers={"accept": "text/html"}).status_code == 200
    body = {"reason": "It only advertises.", "hide_content": True}
    assert moda.post("/api/v1/accounts/alice/suspend", json=body).status_code == 204
    assert anyone.get(page, headers={"accept": "text/html"}).status_code == 410
    assert moda.post("/api/v1/accounts/alice/unsuspend", json={"reason": "It did not."}).status_code == 204
    assert anyone.get(page, headers={"accept": "text/html"}).status_code == 200
    assert anyone.get("/api/v1/accounts/alice").status_code == 404, "it stays deleted"


def _populate(alice: Api, bob: Api, services: Services) -> None:
    """All sorts of rows of alice, and of bob who deals with her."""
    assert bob.publish(make_package("bob/sums")).status_code == 201
    person, other = alice.as_person(), bob.as_person()
    for name in ("public", "private"):
        body = {"title": "Mine", "entries": [{"package": "bob/sums"}], "visibility": name}
        _sent(alice.request("PUT", f"/api/v1/collections/alice/{name}", json=body))
    _sent(alice.post("/api/v1/runs", json={"name": "hush", "is_private": True}))
    _sent(alice.request("PUT", "/api/v1/account/watches/bob"))
    _sent(other.request("PUT", "/api/v1/account/watches/alice"))
    _sent(alice.post("/api/v1/packages/bob/sums/discussions", json={"title": "Which?", "text": "Which sums?"}))
    _sent(person.post("/api/v1/webhooks", json={"owner": "alice", "url": "https://example.org/hook"}))
    for founder, guest, name in ((other, "alice", "lab"), (other, "alice", "club"), (person, "bob", "ours")):
        _sent(founder.post("/api/v1/organizations", json={"name": name}))
        body = {"account": guest, "role": "owner"}
        _sent(founder.request("PUT", f"/api/v1/organizations/{name}/members", json=body))
    _sent(person.post("/api/v1/organizations/lab/invitation", json={"accept": True}))
    _sent(other.post("/api/v1/organizations/ours/invitation", json={"accept": True}))
    _sent(other.post("/api/v1/packages/bob/sums/transfer", json={"to": "alice"}))
    _sent(alice.post("/api/v1/device/code", json={"client_name": "laptop"}))
    mail = services.settings.model_copy(update={"mail": MailSettings(host="mail.example.org")})
    driver = ActionDriver(replace(services, settings=mail, mailer=FakeMailer()))
    driver.do(None, accounts.ask_for_reset, "alice@example.org")
    driver.run_jobs()


def _sent(answer: httpx.Response) -> None:
    assert answer.status_code < 300, answer.text


def _tables_with(services: Services, word: str) -> set[str]:
    """Tables with a row that holds the word, or the id of its account, in any column."""
    with services.database.reading() as session:
        account_id = session.execute(text("SELECT id FROM accounts WHERE name = 'alice'")).scalar_one()
        return {
            table.name
            for table in Base.metadata.sorted_tables
            for row in session.execute(text(f"SELECT * FROM {table.name}"))
            if word in str(tuple(row)) or (word == "alice" and account_id in str(tuple(row)))
        }
