"""A report in every shape, and who signed it; a report that was changed has no signer."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hub_client.audits.report_files import report_files, signer_of
from hub_client.errors import IntegrityError
from sandbox.audit.runner import run_audit
from sandbox.audit.signatures import public_key_text, sign
from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase
from schemas.journal.signed_note import key_id


@pytest.fixture
def report(tmp_path) -> AuditReport:
    source = Sample("def verify(task, response): ...").source(tmp_path)
    cases = [AuditCase(id="a", task=TASK, response="2", label="correct")]
    with BlockingSandbox(ScriptedBackend(lambda response: {"correct": 1.0})) as sandbox:
        return sandbox.run(run_audit(sandbox.inner, source, cases, tasks={}, subject="sample/sample@1.0.0"))


def test_every_shape_is_written_and_names_what_was_measured(report) -> None:
    made = report_files(report)
    assert set(made) == {"markdown", "openenv", "badge", "report"}
    assert json.loads(made["report"])["subject"] == report.subject
    assert json.loads(made["openenv"])
    assert report.subject in made["markdown"].decode()
    assert made["badge"].lstrip().startswith(b"<svg")


def test_the_signer_is_found_and_a_changed_or_unsigned_report_has_none(report) -> None:
    key = Ed25519PrivateKey.generate()
    signed = sign(report, key)
    assert signer_of(signed) == (key_id(public_key_text(key.public_key())), public_key_text(key.public_key()))
    better = signed.model_copy(update={"case_count": signed.case_count + 1})
    for forged in (better, report):
        with pytest.raises(IntegrityError):
            signer_of(forged)
