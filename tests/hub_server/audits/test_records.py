"""The record: signed by the hub that measured, checkable for ever, and the same bytes the second time."""

import json
import stat
from pathlib import Path

import pytest

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.audits.models import AuditRow
from hub_server.errors import StorageUnavailableError
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from hub_server.wiring import open_signer
from sandbox.audit.errors import SignatureError
from sandbox.audit.signatures import check_signature
from schemas.evidence.audit import AuditReport
from schemas.journal.signed_note import key_id
from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "/api/v1/packages/alice/small-sums"


def measured(alice: Api, services: Services, version: str = "1.0.0") -> dict:
    assert alice.publish(make_package(version=version)).status_code == 201
    run_jobs(services)
    return alice.get(f"{PACKAGE}/releases/{version}/audits").json()["items"][0]


def test_a_report_is_signed_with_a_key_that_the_hub_publishes(alice: Api, api: Api, services: Services) -> None:
    record = measured(alice, services)
    signed = api.get(f"/api/v1/audits/{record['id']}/report.json").json()
    signer = check_signature(signed)
    keys = api.get("/api/v1/keys").json()["items"]
    assert [(key["public_key"], key["id"], key["is_current"]) for key in keys] == [(signer, record["key_id"], True)]
    assert api.get("/.well-known/verihub.json").json()["signing_keys"] == keys
    assert {"digest", "suite_digest", "image_digest", "runner_version"} <= signed.keys()


def test_the_record_in_the_api_carries_the_same_signature(alice: Api, services: Services) -> None:
    record = measured(alice, services)
    assert key_id(check_signature(AuditReport.read(record["report"]))) == record["key_id"]


@pytest.mark.parametrize("field", ["grade", "subject", "digest", "case_count", "image_digest"])
def test_a_changed_report_is_found_out(alice: Api, api: Api, services: Services, field: str) -> None:
    record = measured(alice, services)
    signed = api.get(f"/api/v1/audits/{record['id']}/report.json").json()
    signed[field] = 7 if field == "case_count" else "A"
    with pytest.raises(SignatureError, match="changed after it was signed"):
        check_signature(signed)


def test_a_row_that_was_changed_in_the_database_is_shown_as_changed(alice: Api, api: Api, services: Services) -> None:
    record = measured(alice, services)
    with services.database.writing() as session:
        row = session.get(AuditRow, record["id"])
        assert row is not None
        row.report = {**row.report, "grade": "A"}
    page = api.get("/packages/alice/small-sums/releases/1.0.0/audit").text
    assert "it was changed after it was signed" in page
    assert "by this hub" not in page


def test_the_page_says_who_signed_and_gives_the_report_in_every_shape(alice: Api, api: Api, services: Services) -> None:
    record = measured(alice, services)
    page = api.get("/packages/alice/small-sums/releases/1.0.0/audit").text
    assert f"key {record['key_id']}" in page
    assert record["report_digest"] in page
    base = f"/api/v1/audits/{record['id']}"
    for name, kind, text in (
        ("report.json", "application/json", '"signature"'),
        ("report.md", "text/markdown", record["report_digest"]),
        ("openenv.json", "application/json", '"report_schema_version"'),
        ("badge.svg", "image/svg+xml", "unrated: too few independent cases"),
    ):
        assert f'href="{base}/{name}"' in page
        answer = api.get(f"{base}/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert text in answer.text


def test_a_badge_follows_the_latest_release_and_says_when_nothing_is_measured(
    alice: Api, api: Api, services: Services
) -> None:
    alice.publish(make_package())
    assert "not measured" in api.get("/packages/alice/small-sums/badge.svg").text
    run_jobs(services)
    assert "small-sums@1.0.0" in api.get("/packages/alice/small-sums/badge.svg").text
    assert "small-sums@1.0.0" in api.get("/packages/alice/small-sums/releases/1.0.0/badge.svg").text
    assert api.get("/packages/alice/nothing/badge.svg").status_code == 404


def test_measuring_again_gives_the_same_report_digest(alice: Api, services: Services) -> None:
    first = measured(alice, services)
    alice.post(f"{PACKAGE}/releases/1.0.0/audits")
    run_jobs(services)
    second = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"][0]
    assert second["id"] != first["id"]
    assert second["report_digest"] == first["report_digest"]


def test_after_a_rotation_old_reports_are_still_this_hubs(
    alice: Api, api: Api, services: Services, settings: ServerSettings
) -> None:
    before = measured(alice, services)
    (settings.data / "keys" / "signing.pem").unlink()
    object.__setattr__(services, "signer", open_signer(settings))
    alice.post(f"{PACKAGE}/releases/1.0.0/audits")
    run_jobs(services)
    after = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"][0]
    assert after["key_id"] != before["key_id"]
    keys = api.get("/api/v1/keys").json()["items"]
    assert [(key["id"], key["is_current"]) for key in keys] == [(after["key_id"], True), (before["key_id"], False)]
    page = api.get(f"/packages/alice/small-sums/releases/1.0.0/audits/{before['id']}").text
    assert f'by this hub, <a href="/api/v1/keys">key {before["key_id"]}' in page


def test_the_openenv_export_fits_the_fields_of_the_standard(alice: Api, api: Api, services: Services) -> None:
    record = measured(alice, services)
    exported = api.get(f"/api/v1/audits/{record['id']}/openenv.json").json()
    assert set(exported) == {
        "report_schema_version", "target", "source_digest", "signature", "manifest", "policy_version", "lane",
        "levels_run", "results", "verdict",
    }  # fmt: skip
    assert exported["signature"] in ("openenv.yaml", "task.toml", "task.md")
    manifest = exported["manifest"]
    assert {"manifest_schema_version", "name", "signature", "reward", "resources", "capabilities", "types"} <= set(
        manifest
    )
    assert set(manifest["reward"]) <= {"range", "oracle_tolerance", "floor_margin", "variance_tolerance"}
    assert manifest["reward"]["range"][0] < manifest["reward"]["range"][1]
    assert manifest["types"]["tags"]
    by_id = {result["check_id"]: result for result in exported["results"]}
    assert by_id["hub.immutable_versioning"]["measured"]["report_digest"] == record["report_digest"]


def test_the_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "data" / "keys" / "signing.pem"
    first = Ed25519Signer(path, make=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Ed25519Signer(path, make=True).public_key == first.public_key
    assert [child.name for child in path.parent.iterdir()] == ["signing.pem"]


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "signing.pem"
    Ed25519Signer(path, make=True)
    path.chmod(0o644)
    with pytest.raises(StorageUnavailableError, match="Others may read"):
        Ed25519Signer(path, make=True)


def test_what_is_no_key_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "mine.pem"
    path.write_text("no key")
    path.chmod(0o600)
    with pytest.raises(StorageUnavailableError, match="openssl genpkey"):
        Ed25519Signer(path, make=False)
    with pytest.raises(StorageUnavailableError, match="cannot be read"):
        Ed25519Signer(tmp_path / "absent.pem", make=False)


def test_a_given_key_is_used_and_none_is_made(tmp_path: Path) -> None:
    given = tmp_path / "given.pem"
    own = Ed25519Signer(given, make=True)
    settings = ServerSettings(data=tmp_path / "data", signing_key=given)
    assert open_signer(settings).key_id == own.key_id
    assert not (tmp_path / "data" / "keys").exists()


def test_a_field_that_a_later_version_adds_breaks_no_signature(alice: Api, api: Api, services: Services) -> None:
    """What is signed leaves defaults out, so that a report signed today is sound for readers that know more fields."""
    record = measured(alice, services)
    signed = api.get(f"/api/v1/audits/{record['id']}/report.json").json()
    known = {name: field.get_default(call_default_factory=True) for name, field in AuditReport.model_fields.items()}
    plain = json.loads(
        json.dumps({name: value for name, value in known.items() if isinstance(value, str | list | dict)})
    )
    assert not [name for name, value in signed.items() if name in plain and value == plain[name]]
