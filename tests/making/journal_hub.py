"""A hub in this process that keeps a journal and signs it, and whose past a test can falsify."""

from datetime import UTC, datetime
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from schemas.journal import merkle
from schemas.journal.entries import PAYLOAD_TYPE, Act, JournalCheckpoint, Statement, encode, rotation_text
from schemas.journal.hub_keys import HubKey
from schemas.journal.signed_note import NoteSignature, SignedNote, key_hash
from schemas.package import Release
from tests.making.scripted_hub import ScriptedHub, problem

NOW = datetime(2026, 11, 25, tzinfo=UTC)


class Key:
    """A signing key of the hub."""

    def __init__(self, seed: int = 1) -> None:
        self.private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.raw = self.private.public_key().public_bytes_raw()

    def public(self, origin: str) -> HubKey:
        return HubKey(origin, self.raw)

    def sign_note(self, origin: str, text: str) -> NoteSignature:
        return NoteSignature(origin, key_hash(origin, self.raw), self.private.sign(text.encode()))

    def seal(self, statement: bytes) -> dict[str, Any]:
        signed = b"DSSEv1 %d %b %d %b" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(statement), statement)
        signature = {"keyid": self.public("x").id, "sig": encode(self.private.sign(signed))}
        return {"payload": encode(statement), "payloadType": PAYLOAD_TYPE, "signatures": [signature]}


class JournalHub(ScriptedHub):
    """``add`` also enters the release. ``key`` may be replaced, ``statements`` rewritten, ``origin`` changed."""

    def __init__(self) -> None:
        super().__init__()
        self.key = Key()
        self.origin = "verihub/test"
        self.statements: list[bytes] = []
        self.envelopes: list[dict[str, Any]] = []
        self.places: dict[str, int] = {}
        self.introductions: list[tuple[Key, str]] = [(self.key, "")]

    def add(self, wheel: bytes, **more: Any) -> Release:
        release = super().add(wheel, **more)
        path = f"/journal/releases/{release.package}/{release.version}"
        self.places[path] = len(self.statements)
        self.enter(release)
        self.on("GET", path, lambda _: httpx.Response(200, json=self.proof(path)))
        self.on("GET", "/journal/consistency", self._consistency)
        self.on("GET", "/keys", lambda _: httpx.Response(200, json={"items": self.listed_keys()}))
        return release

    def enter(self, release: Release, act: Act = Act.PUBLISH) -> None:
        sha256 = release.digest.removeprefix("sha256:")
        entry = Statement(act=act, package=release.package, version=release.version, sha256=sha256, at=NOW)
        self.statements.append(entry.statement())
        self.envelopes.append(self.key.seal(entry.statement()))

    def forge(self, place: int, **changes: Any) -> None:
        """Rewrite an entry, and sign it."""
        entry = Statement.parse(self.statements[place]).model_copy(update=changes)
        self.statements[place] = entry.statement()
        self.envelopes[place] = self.key.seal(entry.statement())

    def rotate(self, following: Key, *, properly: bool = True) -> None:
        text = rotation_text(self.origin, encode(self.key.raw), encode(following.raw))
        note = SignedNote(text, (self.key.sign_note(self.origin, text), following.sign_note(self.origin, text)))
        self.key = following
        self.introductions.insert(0, (following, str(note) if properly else ""))

    def listed_keys(self) -> list[dict[str, Any]]:
        return [
            {"id": key.public("x").id, "public_key": encode(key.raw), "introduction": note, "is_current": index == 0}
            for index, (key, note) in enumerate(self.introductions)
        ]

    def root(self, span: merkle.Range) -> bytes:
        return merkle.join([_whole(self.statements[i << n : (i + 1) << n]) for n, i in merkle.nodes_of(span)])

    def checkpoint(self) -> str:
        size = len(self.statements)
        text = JournalCheckpoint(self.origin, size, self.root((0, size))).text
        return str(SignedNote(text, (self.key.sign_note(self.origin, text),)))

    def proof(self, path: str) -> dict[str, Any]:
        place, size = self.places[path], len(self.statements)
        hashes = [encode(self.root(span)) for span in merkle.inclusion_ranges(place, size)]
        return {"position": place, "envelope": self.envelopes[place], "hashes": hashes, "checkpoint": self.checkpoint()}

    def _consistency(self, request: httpx.Request) -> httpx.Response:
        old, new = int(request.url.params["old"]), int(request.url.params["new"])
        if new > len(self.statements):
            return problem(422, "invalid_request", f"the journal has {len(self.statements)} entries")
        hashes = [encode(self.root(span)) for span in merkle.consistency_ranges(old, new)]
        return httpx.Response(200, json={"old": old, "new": new, "hashes": hashes})


def _whole(statements: list[bytes]) -> bytes:
    hashes = [merkle.leaf_hash(one) for one in statements]
    while len(hashes) > 1:
        hashes = [merkle.node_hash(*hashes[i : i + 2]) for i in range(0, len(hashes), 2)]
    return hashes[0]
