"""Reports from a shell: who signed them, whether they speak of what was asked for, and what is refused first."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hub_client.commands.audit import is_at_least
from sandbox.audit.signatures import public_key_text, sign
from schemas.evidence.rates import Grade
from schemas.journal.signed_note import key_id
from tests.making.reports import make_report
from tests.making.scripted_hub import NOW
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums"
KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
PUBLIC = public_key_text(KEY.public_key())


def stored(scripted, **changes):
    """The hub has this signed report of the release."""
    release = scripted.add(make_wheel())
    about = {"subject": f"{TARGET}@1.0.0", "digest": release.digest} | changes
    report = sign(make_report(**about), KEY)
    record = {"id": "a1", "package": TARGET, "version": "1.0.0", "state": "done", "created_at": NOW.isoformat()}
    data = report.model_dump(mode="json")
    scripted.on("GET", f"/packages/{TARGET}/releases/1.0.0/audits", {"items": [{**record, "report": data}]})
    scripted.on("GET", "/audits/a1/report.json", data)
    scripted.on("GET", "/keys", {"items": [{"id": key_id(PUBLIC), "public_key": PUBLIC, "is_current": True}]})
    return data


def test_a_report_of_this_hub_is_its_own(verihub, scripted):
    stored(scripted)
    said = verihub("audit", TARGET, "--verify", "-q")
    assert (said.code, said.out.strip()) == (0, key_id(PUBLIC)), said.err


def test_a_signed_report_of_another_release_is_not_this_ones(verihub, scripted):
    stored(scripted, subject="alice/better@1.0.0")
    said = verihub("audit", TARGET, "--verify")
    assert said.code == 7
    assert "the report is about alice/better@1.0.0" in said.err


def test_a_sound_signature_of_a_strangers_key_is_refused(verihub, scripted):
    stored(scripted)
    scripted.on("GET", "/keys", {"items": []})
    said = verihub("audit", TARGET, "--verify")
    assert said.code == 7
    assert "is none of http://hub.example" in said.err


def test_a_changed_report_is_refused(verihub, scripted, own_folders):
    (own_folders / "r.json").write_text(json.dumps({**stored(scripted), "grade": "A", "case_count": 9999}))
    assert verihub("audit", "r.json", "--verify").code == 7


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 200_000, "\ud800", '{"report": 7}'])
def test_a_file_that_is_no_report_is_said(verihub, scripted, own_folders, text):
    (own_folders / "r.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    said = verihub("audit", "r.json", "--verify")
    assert (said.code, scripted.asked) == (2, []), said.err
    assert "no report" in said.err


def test_a_release_that_was_never_measured_has_no_report(verihub, scripted):
    scripted.add(make_wheel())
    said = verihub("audit", TARGET, "--stored")
    assert said.code == 4
    assert "was not measured by http://hub.example yet" in said.err


@pytest.mark.parametrize("option", ["--markdown", "--openenv", "--badge", "--report"])
@pytest.mark.parametrize(("place", "code"), [("nowhere/x", 4), (".", 2)])
def test_a_file_that_cannot_be_written_is_said_before_the_hub_is_asked(verihub, scripted, option, place, code):
    said = verihub("audit", TARGET, "--stored", option, place)
    assert (said.code, scripted.asked) == (code, [])
    assert option in said.err


def test_a_letter_below_the_wanted_one_fails_after_it_is_written(verihub, scripted, own_folders):
    stored(scripted, grade="C")
    said = verihub("audit", TARGET, "--stored", "--fail-below", "b", "--report", "r.json")
    assert said.code == 6
    assert "has grade C; B or better was asked for" in said.err
    assert json.loads((own_folders / "r.json").read_text())["signature"]
    assert verihub("audit", TARGET, "--stored", "--fail-below", "C").code == 0


@pytest.mark.parametrize("letter", ["E", "F", "U", "", "AB"])
def test_a_letter_that_cannot_be_wanted_is_refused(verihub, scripted, letter):
    assert verihub("audit", TARGET, "--stored", "--fail-below", letter).code == 2
    assert scripted.asked == []


def test_letters_stand_in_order_and_unmeasured_is_below_all():
    order = [Grade.A, Grade.B, Grade.C, Grade.D, Grade.F, Grade.UNMEASURED]
    assert all(
        is_at_least(first, second) is (order.index(first) <= order.index(second)) for first in order for second in order
    )
