"""A hub that lies about its journal: the mirror stops, says why, and shows what it had."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.journal.actions.entries import add_entry
from schemas.journal.entries import Act, JournalCheckpoint, Statement, encode
from schemas.journal.hub_keys import read_checkpoint
from schemas.journal.merkle import GrowingTree
from schemas.journal.signed_note import SignedNote
from tests.hub_server.mirror.conftest import ALICE
from tests.making.action_driver import ActionDriver
from tests.making.mirror import Lie, Mirror

JOURNAL = "/journal/entries"


def changed(change: Callable[[Any], None]) -> Lie:
    """A lie that changes the JSON of a good answer."""

    def lie(status: int, body: bytes) -> tuple[int, bytes]:
        if status != 200:
            return status, body
        data = json.loads(body)
        change(data)
        return status, json.dumps(data).encode()

    return lie


def stops(mirror: Mirror, *words: str) -> None:
    """The mirror does not go on, and shows what it had."""
    before = mirror.pages()
    assert not mirror.follow()
    assert mirror.state.startswith("stopped: "), mirror.state
    assert all(word in mirror.state for word in words), mirror.state
    assert mirror.pages() == before


def forged(
    origin: ActionDriver, *, size: int | None = None, name: str = "", changes: dict[int, bytes] | None = None
) -> Lie:
    """The whole journal with other entries, signed by the hub's real key: a hub with another past."""

    def change(data: Any) -> None:
        signer, tree = origin.services.signer, GrowingTree()
        statements = [row[0].encode() for row in origin.rows("SELECT statement FROM journal_entries ORDER BY position")]
        for position, statement in (changes or {}).items():
            statements[position] = statement
        statements = statements[: size if size is not None else len(statements)]
        for statement in statements:
            tree.add(statement)
        origin_name = name or read_checkpoint(data["checkpoint"])[1].origin
        text = JournalCheckpoint(origin_name, tree.size, tree.root).text
        data["checkpoint"] = str(SignedNote(text, (signer.sign_note(origin_name, text),)))
        data["size"] = tree.size
        data["items"] = [
            {"position": position, "envelope": {"payload": encode(one), "payloadType": "application/vnd.in-toto+json",
             "signatures": [{"keyid": signer.key_id, "sig": signer.sign_statement(one)}]}}
            for position, one in enumerate(statements) if position >= data["start"]
        ]  # fmt: skip

    return changed(change)


def test_a_journal_with_another_past_is_refused_though_it_is_well_signed(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.follow()
    ((first,),) = origin.rows("SELECT statement FROM journal_entries WHERE position = 0")
    other = Statement.parse(first.encode()).model_copy(update={"sha256": "0" * 64}).statement()
    origin.publish(ALICE, version="2.0.0")
    mirror.wire.lies = {JOURNAL: forged(origin, changes={0: other})}
    stops(mirror, "is not what was copied")


def test_a_shorter_journal_is_refused(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.follow()
    mirror.wire.lies = {JOURNAL: forged(origin, size=2)}
    stops(mirror, "it has 2 entries, and 3 were copied")
    mirror.wire.lies = {JOURNAL: lambda _status, _body: (422, b"{}")}
    stops(mirror, "shorter than the 3 entries")


def test_another_hub_at_the_same_address_is_refused(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.follow()
    mirror.wire.lies = {JOURNAL: forged(origin, name="verihub/0123456789abcdef")}
    stops(mirror, "it is another hub")


def test_a_key_that_nobody_has_named_is_refused(origin: ActionDriver, mirror: Mirror, tmp_path: Path) -> None:
    mirror.follow()
    stranger = Ed25519Signer(tmp_path / "stranger.pem", make=True)
    real, origin.services = origin.services, replace(origin.services, signer=stranger)
    lie = forged(origin)
    mirror.wire.lies = {JOURNAL: lie, "/keys": lambda _s, _b: (200, json.dumps({"items": []}).encode())}
    stops(mirror, "none of its former keys has named")
    origin.services = real


def test_the_first_contact_is_believed_unless_the_operator_names_the_journal(
    origin: ActionDriver, tmp_path: Path, sqlite_template: Path
) -> None:
    wrong = Mirror(origin, tmp_path / "wrong", sqlite_template, journal="verihub/0123456789abcdef")
    stops(wrong, "VERIHUB_SERVER_MIRROR__JOURNAL names verihub/0123456789abcdef")
    right = Mirror(origin, tmp_path / "right", sqlite_template, journal=f"verihub/{origin.services.signer.key_id}")
    assert right.follow()
    wrong.services.close()
    right.services.close()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda page: page["items"][0].update(position=7), "entry 0 is missing"),
        (lambda page: page["items"].pop(0), "entry 0 is missing"),
        (lambda page: page["items"].clear(), "shows no more than 0"),
        (lambda page: page["items"][1]["envelope"].update(payload="!"), "not what was copied"),
        (lambda page: page["items"][1]["envelope"]["signatures"].clear(), "not signed by a key"),
        (lambda page: page["items"].append(page["items"][0] | {"position": 3}), "3 entries, and 4 were copied"),
        (lambda page: page.update(checkpoint=""), "not sound"),
        (lambda page: page.update(checkpoint=page["checkpoint"].replace("\n3\n", "\n4\n")), "signed by none"),
    ],
)  # fmt: skip
def test_a_page_that_is_not_what_was_signed_is_refused(mirror: Mirror, change, why) -> None:
    mirror.wire.lies = {JOURNAL: changed(change)}
    stops(mirror, why)
    assert mirror.rows("SELECT * FROM journal_entries") == []


def test_entries_without_end_are_refused(origin: ActionDriver, tmp_path: Path, sqlite_template: Path) -> None:
    small = Mirror(origin, tmp_path / "small", sqlite_template, entries=2)
    stops(small, "VERIHUB_SERVER_MIRROR__ENTRIES")
    assert small.rows("SELECT * FROM journal_entries") == []
    small.services.close()


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-11-21T12:00:00"])
def test_a_time_that_cannot_be_is_refused(origin: ActionDriver, mirror: Mirror, at: str) -> None:
    ((first,),) = origin.rows("SELECT statement FROM journal_entries WHERE position = 0")
    said = json.loads(first)
    said["predicate"]["at"] = at
    entry = Statement.model_validate({"sha256": "0" * 64, **said["predicate"]})
    mirror.wire.lies = {JOURNAL: forged(origin, changes={0: entry.statement()})}
    stops(mirror, "not what was copied")


def test_one_version_with_two_wheels_or_two_spellings_is_refused(origin: ActionDriver, mirror: Mirror) -> None:
    ((first,),) = origin.rows("SELECT statement FROM journal_entries WHERE position = 0")
    entry = Statement.parse(first.encode())
    twice = entry.model_copy(update={"sha256": "0" * 64})
    mirror.wire.lies = {JOURNAL: forged(origin, changes={1: twice.statement()})}
    stops(mirror, "two different wheels")


def test_what_was_taken_down_is_not_brought_back_by_a_later_entry(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.follow()
    rows = origin.rows("SELECT statement FROM journal_entries ORDER BY position")
    entry = Statement.parse(rows[2][0].encode())
    with origin.writing() as work:
        add_entry(work, entry.model_copy(update={"act": Act.TAKEN_DOWN}))
        add_entry(work, entry.model_copy(update={"act": Act.ACTIVE}))
    mirror.follow()
    assert mirror.api.get("/api/v1/packages/bob/other/releases/1.0.0/wheel").status_code == 410


def test_answers_that_cannot_be_read_are_asked_for_again(origin: ActionDriver, mirror: Mirror) -> None:
    for lie in [
        (500, b""),
        (307, b""),
        (200, b"<html>"),
        (200, b"[" * 100_000),
        (200, b'{"start": 0}'),
        (200, b"\xff"),
    ]:
        mirror.wire.lies = {JOURNAL: lambda _status, _body, lie=lie: lie}
        assert mirror.follow(), "it is no proof of a lie"
        assert mirror.state.startswith("waits: "), mirror.state
    mirror.wire.lies = {}
    assert mirror.follow()
    assert mirror.state.startswith("ok"), mirror.state
