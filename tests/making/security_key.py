"""A security key in software: it makes and signs what a browser sends of a real one (WebAuthn level 2, section 6)."""

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import bytes_to_base64url

_USER_PRESENT, _ATTESTED = 0x01, 0x40


@dataclass
class SoftwareKey:
    """One key, at a browser that shows ``origin``. Every field may be made to lie."""

    origin: str = "https://hub.example"
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    count: int = 0
    flags: int = _USER_PRESENT
    claimed_id: bytes | None = None

    def register(self, question: dict[str, Any], **lies: str) -> str:
        """The answer to the question that adds it."""
        numbers = self.private.public_key().public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (numbers.x, numbers.y))
        cose = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        named = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + cose
        data = self._data(question["rp"]["id"], self.flags | _ATTESTED) + named
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", question, lies)
        return self._answer({"clientDataJSON": client, "attestationObject": attestation})

    def prove(self, question: dict[str, Any], **lies: str) -> str:
        """The answer to the question whether it is there."""
        self.count += 1
        data = self._data(question["rpId"], self.flags)
        client = self._client("webauthn.get", question, lies)
        signature = self.private.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer({"clientDataJSON": client, "authenticatorData": data, "signature": signature})

    def _data(self, site: str, flags: int) -> bytes:
        return hashlib.sha256(site.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client(self, kind: str, question: dict[str, Any], lies: dict[str, str]) -> bytes:
        told = {"type": kind, "challenge": question["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(told | lies).encode()

    def _answer(self, response: dict[str, bytes]) -> str:
        name = bytes_to_base64url(self.claimed_id or self.credential_id)
        encoded = {key: bytes_to_base64url(value) for key, value in response.items()}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": encoded})
