"""Signs a report with ed25519, and checks who signed it."""

import base64
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from sandbox.audit.errors import SignatureError
from sandbox.audit.report import report_data
from schemas.evidence.audit import AuditReport
from schemas.task import canonical_json

_SCHEME = "ed25519"


def sign(report: AuditReport, key: Ed25519PrivateKey) -> AuditReport:
    """The report with a signature over everything but the signature, latencies and time included."""
    signature = base64.b64encode(key.sign(_signed_bytes(_data(report)))).decode()
    return report.model_copy(update={"signature": f"{_SCHEME}:{public_key_text(key.public_key())}:{signature}"})


def check_signature(report: AuditReport | Mapping[str, Any], key: Ed25519PublicKey | None = None) -> str:
    """Return the public key (base64) that signed ``report``. With ``key``, it must be that one.

    ``report`` may be the JSON as received, so that an older client can check fields that it does not know. Raises
    :class:`~sandbox.audit.errors.SignatureError` when the report is unsigned, changed, or signed with another key.
    """
    data = _data(report)
    scheme, _, rest = str(data.get("signature") or "").partition(":")
    signer, _, signature = rest.partition(":")
    if scheme != _SCHEME or not signature:
        raise SignatureError("the report carries no ed25519 signature")
    if key is not None and public_key_text(key) != signer:
        raise SignatureError(f"the report is signed by {signer}, not by {public_key_text(key)}")
    try:
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(signer, validate=True))
        public.verify(base64.b64decode(signature, validate=True), _signed_bytes(data))
    except (InvalidSignature, ValueError):
        raise SignatureError("the signature does not fit the report: it was changed after it was signed") from None
    return signer


def public_key_text(key: Ed25519PublicKey) -> str:
    """The raw public key in base64."""
    return base64.b64encode(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def _data(report: AuditReport | Mapping[str, Any]) -> dict[str, Any]:
    return report_data(report) if isinstance(report, AuditReport) else dict(report)


def _signed_bytes(data: Mapping[str, Any]) -> bytes:
    return canonical_json({name: value for name, value in data.items() if name != "signature"})
