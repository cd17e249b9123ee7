"""A mirror's signer reads signatures and makes none."""

from pathlib import Path

import pytest

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.adapters.keyless_signer import KeylessSigner
from hub_server.errors import MirrorError
from tests.hub_server.site import samples


def test_it_checks_what_others_signed_and_signs_nothing(tmp_path: Path) -> None:
    hub, mirror = Ed25519Signer(tmp_path / "key.pem", make=True), KeylessSigner()
    report = hub.sign(samples.report())
    assert mirror.check(report) == mirror.key_of(report) == hub.key_id
    assert mirror.digest(report) == hub.digest(report)
    assert mirror.sign(report).signature is None, "what is left out here, nobody has signed"
    for act in (
        lambda: mirror.sign_statement(b"x"),
        lambda: mirror.sign_note("n", "x\n"),
        lambda: mirror.secret_of("x"),
    ):
        with pytest.raises(MirrorError):
            act()
