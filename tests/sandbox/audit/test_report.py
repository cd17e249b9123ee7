import asyncio
import re
import xml.etree.ElementTree as ET

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sandbox.audit import openenv_report, render_badge, render_markdown, render_terminal, report_digest, run_audit
from sandbox.audit.errors import SignatureError
from sandbox.audit.signatures import check_signature, public_key_text, sign
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade

TASKS = {f"t{n}": {"id": f"t{n}", "prompt": f"Q{n}", "answer": n} for n in range(30)}
EVIL = "</script><img src=x onerror=alert(1)> | [link](javascript:x) `code` *"


@pytest.fixture
def report(judge_of, make_source) -> AuditReport:
    cases = [
        AuditCase(id=f"r{n}", task_id=f"t{n}", response=f"answer {n}", label="correct", tags=[EVIL]) for n in range(30)
    ]
    cases += [AuditCase(id=f"w{n}", task_id=f"t{n}", response=f"{EVIL} {n}", label="incorrect") for n in range(30)]
    judge = judge_of(lambda call: {"correct": float(str(call.task["answer"]) in call.response)})
    return asyncio.run(run_audit(judge, make_source(), cases, tasks=TASKS, subject="al/check@1.2.0", repeats=2))


def test_a_signed_report_names_its_signer(report):
    key = Ed25519PrivateKey.generate()
    signed = sign(report, key)
    assert check_signature(signed) == public_key_text(key.public_key())
    assert check_signature(AuditReport.model_validate_json(signed.model_dump_json()), key.public_key())
    assert report_digest(signed) == report_digest(report)


def test_a_report_that_was_changed_or_signed_by_another_is_refused(report):
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    signed = sign(report, key)
    with pytest.raises(SignatureError, match="changed after it was signed"):
        check_signature(signed.model_copy(update={"grade": Grade.A}))
    with pytest.raises(SignatureError, match="is signed by"):
        check_signature(signed, other.public_key())
    with pytest.raises(SignatureError, match="carries no"):
        check_signature(report)
    with pytest.raises(SignatureError):
        check_signature(signed.model_copy(update={"signature": "ed25519:AAAA:!!!"}))


def test_the_terminal_text_says_rates_intervals_probes_and_failures(report):
    text = render_terminal(report)
    assert text.startswith("al/check@1.2.0   grade F (by its author's cases alone)   60 cases\n")
    row = r"overall +U +100 % \(30 of 30, 1 form\) +21–100 % +0 % \(0 of 30\) +0–11 % +0"
    assert re.search(row, text), "a sentence with other numbers in it is one form, not thirty cases"
    assert "leak_superstring" in text
    assert ", the first 20" in text
    assert "2 repeats; verdicts that changed: 0 of 60" in text
    assert "\x1b" not in text


def test_markdown_holds_no_markup_of_the_package(report):
    text = render_markdown(report)
    assert "<img" not in text.replace("\\<img", "")
    assert "\\[link\\]" in text
    assert f"`report {report_digest(report)}`" in text
    widths = [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("| ")]
    assert set(widths) == {8, 7}


def test_the_badge_is_plain_svg_with_the_grade_and_both_upper_ends(report):
    svg = render_badge(report)
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.attrib["aria-label"] == "al/check@1.2.0: F by its author · FPR ≤ 100 % · FNR ≤ 11 % · 60 of its author"
    assert not [node for node in root.iter() if "href" in "".join(node.attrib) or node.tag.endswith("script")]


def test_an_unmeasured_badge_shows_no_number(judge_of, make_source):
    empty = asyncio.run(run_audit(judge_of(lambda _: {}), make_source(), [], tasks={}, subject="al/check@1"))
    assert "not measured" in render_badge(empty)
    assert "unknown (no cases)" in render_terminal(empty)
    assert openenv_report(empty)["verdict"] == "warn"


def test_the_openenv_export_has_the_fields_of_the_standard(report):
    exported = openenv_report(report)
    assert exported["report_schema_version"] == "2"
    assert exported["target"] == "al/check@1.2.0"
    assert exported["source_digest"] == report.digest
    by_id = {result["check_id"]: result for result in exported["results"]}
    assert all(re.fullmatch(r"[a-z_]+\.[a-z_]+", name) for name in by_id)
    assert all(
        set(result) == {"check_id", "status", "measured", "evidence", "remediation", "duration_s"}
        for result in by_id.values()
    )
    assert by_id["statistical.false_positive_rate"]["status"] == "fail"
    assert by_id["semantic.verifier_determinism"]["status"] == "pass"
    assert by_id["semantic.floor_gap"]["status"] == "pass"
    assert by_id["statistical.adversarial_floor"]["status"] == "fail"
    assert exported["verdict"] == "fail"


def test_latency_reasons_and_disputes_are_said(judge_of, make_source):
    def moody(call):
        if call.task["id"] == "t1":
            raise TimeoutError
        return {"correct": 1.0}

    cases = [AuditCase(id=f"r{n}", task_id=f"t{n}", response="x", label="correct", disputed=n == 2) for n in range(3)]
    report = asyncio.run(
        run_audit(judge_of(moody), make_source(), cases, tasks=TASKS, subject="al/check@1", probes=False)
    )
    text = render_terminal(report)
    assert "a call takes 2.00 ms" in text
    assert "not judged, and in no rate: 1 timeout" in text
    assert "disputed, and counted: 1 of 3 cases" in text
