"""Packages, releases and cards as they travel."""

from datetime import UTC, datetime

import pytest
from pydantic import TypeAdapter, ValidationError

from schemas.package import (
    AuditSummary,
    PackageCard,
    PackageDetail,
    PackageSort,
    PublishReceipt,
    Release,
    ReleaseFile,
    ReleaseState,
)
from schemas.wheels.wheel import read_wheel
from tests.making.wheel import make_wheel
from tests.making.wire import check_wire, refusal

NOW = datetime(2030, 1, 2, tzinfo=UTC).isoformat()
DIGEST = "sha256:" + "a" * 64
RATE = {"value": 0.1, "low": 0.0, "high": 0.2}
OVERALL = {"tp": 9, "fp": 1, "tn": 9, "fn": 1, "unscored": 0, "fpr": RATE, "fnr": RATE}
AUDIT = {"version": "1.0", "grade": "D", "overall": OVERALL, "case_count": 20, "audited_at": NOW}
CARD = {"id": "alice/sums", "kind": "environment", "summary": "", "tags": [], "licence": "MIT", "latest": "1.0", "latest_digest": DIGEST,
        "updated_at": NOW, "audit": AUDIT, "audit_state": "done"}  # fmt: skip


def release(**changes: object) -> dict[str, object]:
    manifest = read_wheel(make_wheel()).manifest.model_dump(mode="json", by_alias=True)
    return {"package": "alice/small-sums", "version": "1.0.0", "digest": DIGEST, "size_bytes": 1, "published_at": NOW, "published_by": "alice",
            "licence": "MIT", "manifest": manifest, "task_counts": {"train": 2, "made": None}, "audit": AUDIT} | changes  # fmt: skip


def test_each_travels() -> None:
    check_wire(ReleaseFile, {"path": "a/b.py", "size": 1, "sha256": "a" * 64})
    check_wire(AuditSummary, AUDIT)
    check_wire(PackageCard, CARD)
    check_wire(Release, release())
    check_wire(
        PackageDetail, {"card": CARD, "owner": "alice", "created_at": NOW, "releases": [release()], "readme": "# x"}
    )
    check_wire(PublishReceipt, {"release": release(), "created": True, "url": "http://x", "audit_job": None})


def test_an_endless_split_is_not_an_empty_one() -> None:
    found = Release.model_validate_json(Release.model_validate(release()).model_dump_json())
    assert found.task_counts == {"train": 2, "made": None}


def test_a_release_that_is_not_yanked_differs_from_one_yanked_without_a_reason() -> None:
    assert Release.model_validate(release()).yanked_reason is None
    assert Release.model_validate(release(yanked_reason="")).yanked_reason == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [("package", "Alice/sums"), ("version", "newest"), ("version", "1.0+local"), ("digest", "sha256:short"), ("digest", "md5:" + "a" * 32),
     ("digest", DIGEST.upper()), ("digest", DIGEST + "\n"), ("state", "gone"), ("published_at", "yesterday")],
)  # fmt: skip
def test_what_no_release_has_is_refused(field: str, value: object) -> None:
    assert field in refusal(Release, release(**{field: value}))


def test_a_version_is_canonical_wherever_it_came_from() -> None:
    assert Release.model_validate(release(version="v1.0.0-rc.1")).version == "1.0.0rc1"


def test_a_card_of_a_package_without_a_release_has_no_version() -> None:
    card = PackageCard.model_validate(CARD | {"latest": None, "latest_digest": None, "audit": None})
    assert card.latest is None
    assert (
        PackageCard.model_validate({key: value for key, value in CARD.items() if key != "audit_state"}).audit_state
        == "none"
    )


def test_the_old_name_of_an_order_is_still_understood() -> None:
    assert PackageSort("jaw") is PackageSort.ERROR
    assert TypeAdapter(PackageSort).validate_python("error") is PackageSort.ERROR
    assert [item.value for item in PackageSort] == [
        "relevance",
        "error",
        "updated",
        "newest",
        "downloads",
        "trending",
        "name",
    ]
    for unknown in ("JAW", "", "stars", None):
        with pytest.raises(ValidationError):
            TypeAdapter(PackageSort).validate_python(unknown)


def test_states_of_a_release() -> None:
    assert {state.value for state in ReleaseState} == {"active", "deprecated", "yanked", "quarantined"}
