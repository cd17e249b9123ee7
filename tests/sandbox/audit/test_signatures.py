"""Signatures of reports: nothing can be changed, added, taken away or signed by another without notice."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sandbox.audit.errors import SignatureError
from sandbox.audit.report import report_data, report_digest
from sandbox.audit.signatures import check_signature, public_key_text, sign
from schemas.evidence.audit import Latency
from schemas.journal.signed_note import key_id
from tests.making.reports import make_report

KEY, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in (1, 2))
SIGNED = sign(make_report(), KEY)
DATA = report_data(SIGNED)


def test_a_signature_names_its_key_and_is_not_part_of_what_was_measured():
    assert check_signature(SIGNED) == public_key_text(KEY.public_key())
    assert check_signature(SIGNED, KEY.public_key())
    assert report_digest(SIGNED) == report_digest(make_report())


@pytest.mark.parametrize("field", sorted(DATA.keys() - {"signature"}))
def test_no_field_can_be_taken_away_or_changed(field):
    without = {name: value for name, value in DATA.items() if name != field}
    for changed in (without, DATA | {field: None}, DATA | {field: [DATA[field]]}):
        with pytest.raises(SignatureError, match="changed after it was signed"):
            check_signature(changed)


def test_nothing_can_be_added():
    with pytest.raises(SignatureError, match="changed"):
        check_signature(DATA | {"note": "recommended by us"})


def test_latencies_are_signed_although_they_do_not_reproduce():
    with pytest.raises(SignatureError):
        check_signature(SIGNED.model_copy(update={"latency_ms": Latency(p50=0.1, p95=0.1, p99=0.1)}))


def test_fields_of_a_newer_hub_are_checked_as_they_came():
    newer = {**report_data(make_report()), "field_of_tomorrow": {"b": 1, "a": [None, 0.5]}}
    body = sign(make_report(), KEY)
    assert check_signature(body)
    with pytest.raises(SignatureError):
        check_signature(newer | {"signature": body.signature})


def test_the_order_of_keys_means_nothing():
    assert check_signature(dict(reversed(DATA.items())))


@pytest.mark.parametrize(
    "signature",
    ["", None, "ed25519", "ed25519:", "ed25519::", "ed25519:AAAA:", "rsa:AAAA:AAAA", "ed25519:AAAA:!!!", "ed25519:ä:ä", 7, [], {"a": 1},
     f"ed25519:{public_key_text(KEY.public_key())}:{base64.b64encode(bytes(64)).decode()}",
     str(SIGNED.signature) + "AA", str(SIGNED.signature).replace("ed25519", "ED25519")],
)  # fmt: skip
def test_whatever_stands_there_is_a_signature_or_refused(signature):
    with pytest.raises(SignatureError):
        check_signature(DATA | {"signature": signature})


def test_a_report_that_another_signed_again_is_his():
    taken = sign(SIGNED.model_copy(update={"subject": "eve/check@1.0"}), OTHER)
    assert check_signature(taken) == public_key_text(OTHER.public_key())
    with pytest.raises(SignatureError, match="is signed by"):
        check_signature(taken, KEY.public_key())


def test_a_key_cannot_be_swapped_under_a_signature():
    stolen = str(SIGNED.signature).replace(public_key_text(KEY.public_key()), public_key_text(OTHER.public_key()))
    with pytest.raises(SignatureError, match="changed"):
        check_signature(DATA | {"signature": stolen})


def test_keys_have_short_names_that_differ():
    names = {key_id(public_key_text(key.public_key())) for key in (KEY, OTHER)}
    assert len(names) == 2
    assert all(len(name) == 16 and int(name, 16) >= 0 for name in names)
