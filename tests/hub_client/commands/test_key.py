"""``verihub key``: a key is made, registered with the password, shown and removed; publishes are signed with it."""

import json
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from schemas.journal.author_signature import AuthorSignature
from schemas.journal.authors import is_author_signature, is_claimed, sign_release
from schemas.names import digest_of
from tests.making.journal_hub import JournalHub
from tests.making.scripted_hub import URL
from tests.making.wheel import make_wheel

ACCOUNT = {"name": "alice", "created_at": "2026-11-01T00:00:00Z"}


def key_files(own_folders: Path) -> list[Path]:
    return list((own_folders.parent / "config" / "author_keys").glob("*.pem"))


@pytest.fixture
def registered(verihub, scripted):
    """A key that the hub has taken: what the hub was sent."""
    scripted.on("GET", "/account", ACCOUNT)
    scripted.on("POST", "/account/author-keys", {"id": "k1", "public_key": "x", "added_at": "2026-11-01T00:00:00Z"})
    said = verihub("key", "new")
    assert said.code == 0, said.err
    assert "signs the releases of alice" in said.out
    return json.loads(scripted.bodies[-1])


def test_a_new_key_claims_the_account_and_stays_when_it_is_asked_for_again(verihub, registered, scripted, own_folders):
    assert is_claimed(registered["public_key"], registered["claim"], "alice")
    (file,) = key_files(own_folders)
    before = file.read_bytes()
    assert verihub("key", "new").code == 0
    assert file.read_bytes() == before


def test_a_key_that_the_hub_refuses_is_not_left_behind(verihub, scripted, own_folders):
    scripted.on("GET", "/account", ACCOUNT)
    assert verihub("key", "new").code != 0
    assert key_files(own_folders) == []


def test_the_keys_are_listed_and_one_that_the_hub_does_not_take_is_said(verihub, registered, scripted):
    scripted.on("GET", "/account/author-keys", {"items": []})
    said = verihub("key", "show")
    assert "no keys" in said.out
    assert "does not take it" in said.err


def test_a_removed_key_is_deleted_here_as_well(verihub, registered, scripted, own_folders):
    author = AuthorSignature(public_key=registered["public_key"], signature="")
    scripted.on("DELETE", f"/account/author-keys/{author.key_id}", None)
    assert verihub("key", "remove", author.key_id).code == 0
    assert key_files(own_folders) == []


def test_a_publish_is_signed_where_there_is_a_key(verihub, registered, scripted, tmp_path):
    wheel, sent = make_wheel(), []
    scripted.on("POST", "/packages", lambda request: sent.append(request) or httpx.Response(500))
    (tmp_path / "alice_small_sums-1.0.0-py3-none-any.whl").write_bytes(wheel)
    verihub("publish", tmp_path / "alice_small_sums-1.0.0-py3-none-any.whl")
    public_key, _, signature = sent[-1].headers["Author-Signature"].partition(" ")
    author = AuthorSignature(public_key=public_key, signature=signature)
    assert is_author_signature(author, "alice/small-sums", "1.0.0", digest_of(wheel))


def test_a_publish_without_the_accounts_key_says_that_it_goes_out_unsigned(verihub, scripted, tmp_path):
    kept = {"id": "3f9c1b7a5d2e4860", "public_key": "x", "added_at": "2026-11-01T00:00:00Z"}
    scripted.on("GET", "/account", ACCOUNT)
    scripted.on("GET", "/account/author-keys", {"items": [kept]})
    wheel = tmp_path / "alice_small_sums-1.0.0-py3-none-any.whl"
    wheel.write_bytes(make_wheel())
    said = verihub("publish", wheel).err
    assert "alice/small-sums goes out unsigned: the account signs with 3f9c1b7a5d2e4860" in said
    assert "verihub key new" in said
    scripted.on("GET", "/account/author-keys", {"items": []})
    assert "unsigned" not in verihub("publish", wheel).err


def signed(scripted, version: str, key: Ed25519PrivateKey | None) -> None:
    """One more release on the hub, with an author's signature or without."""
    wheel = make_wheel(version=version)
    author = sign_release(key, "alice/small-sums", version, digest_of(wheel)) if key is not None else None
    scripted.add(wheel, author_signature=author)


@pytest.mark.parametrize("command", ["pull", "verify"])
def test_a_later_release_without_a_signature_is_said_by_what_fetches_it(verihub, monkeypatch, command):
    hub = JournalHub()
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(hub))
    monkeypatch.setenv("VERIHUB_URL", URL)
    signed(hub, "1.0.0", Ed25519PrivateKey.from_private_bytes(b"a" * 32))
    first = verihub(command, "alice/small-sums@1.0.0")
    assert (first.code, "not signed" in first.err) == (0, False), first.err
    assert command != "verify" or "signed by its author, key" in first.out
    signed(hub, "1.1.0", None)
    later = verihub(command, "alice/small-sums@1.1.0")
    assert later.code == 0
    assert "alice/small-sums 1.1.0 is not signed by its author, and earlier releases were" in later.err
    assert command != "verify" or "\n  not signed by its author: the hub alone" in later.out
