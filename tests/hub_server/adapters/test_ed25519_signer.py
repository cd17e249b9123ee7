"""The signing key: made once, read by its owner alone, and what it signed cannot be changed."""

import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.errors import StorageUnavailableError
from tests.making.reports import make_report


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "signing.pem"
    first, second = Ed25519Signer(path, make=True), Ed25519Signer(path, make=True)
    assert first.key_id == second.key_id
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["signing.pem"]  # nothing is left of its making


def test_processes_that_start_together_have_one_key(tmp_path: Path) -> None:
    found: list[str] = []
    ready = threading.Barrier(8)

    def start() -> None:
        ready.wait()
        found.append(Ed25519Signer(tmp_path / "signing.pem", make=True).key_id)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_what_was_signed_is_known_by_its_key_and_a_changed_report_is_not(tmp_path: Path) -> None:
    signer = Ed25519Signer(tmp_path / "a.pem", make=True)
    signed = signer.sign(make_report())
    assert signer.check(signed) == signer.key_id == signer.key_of(signed)
    changed = signed.model_copy(update={"case_count": signed.case_count + 1})
    with pytest.raises(ValueError, match=r"\w"):
        signer.check(changed)
    assert signer.digest(changed) != signer.digest(signed)


def test_another_hubs_signature_names_the_other_key(tmp_path: Path) -> None:
    ours, theirs = (Ed25519Signer(tmp_path / f"{name}.pem", make=True) for name in ("ours", "theirs"))
    assert ours.check(theirs.sign(make_report())) == theirs.key_id != ours.key_id


@pytest.mark.parametrize("signature", [None, "", "nonsense", "ed25519:", "ed25519:!!:??", "a:b:c:d"])
def test_a_report_without_a_sound_signature_has_no_key_and_is_refused(tmp_path: Path, signature: str | None) -> None:
    signer = Ed25519Signer(tmp_path / "a.pem", make=True)
    report = make_report().model_copy(update={"signature": signature})
    assert signer.key_of(report) != signer.key_id
    with pytest.raises(ValueError, match=r"\w"):
        signer.check(report)


def _other_kind() -> bytes:
    return generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize("content", [b"", b"not a key", _other_kind()], ids=["empty", "text", "another kind"])
def test_what_is_no_key_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "signing.pem"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(StorageUnavailableError, match="no Ed25519 private key"):
        Ed25519Signer(path, make=False)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_may_read_signs_nothing(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "signing.pem"
    Ed25519Signer(path, make=True)
    path.chmod(mode)
    with pytest.raises(StorageUnavailableError, match="chmod 600"):
        Ed25519Signer(path, make=True)


def test_a_key_that_an_operator_names_is_never_made(tmp_path: Path) -> None:
    with pytest.raises(StorageUnavailableError, match="cannot be read"):
        Ed25519Signer(tmp_path / "absent.pem", make=False)
    assert list(tmp_path.iterdir()) == []
