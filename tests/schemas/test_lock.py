"""verihub.lock: what a reward depends on, pinned so that nothing else can be meant."""

from datetime import UTC, datetime

import pytest

from schemas.lock import Lock, LockedPackage
from tests.making.wire import check_wire, refusal

DIGEST = "sha256:" + "a" * 64
PACKAGE = {"id": "alice/sums", "version": "1.0", "archive": DIGEST, "size_bytes": 5, "published_at": datetime(2030, 1, 2, tzinfo=UTC).isoformat(),
           "requires": ["alice/judge@1.0"], "dependencies": DIGEST, "image": DIGEST, "audit": DIGEST}  # fmt: skip
LOCK = {"lock_version": 1, "origin": "https://hub.example.org", "references": ["alice/sums@>=1"], "package": [PACKAGE]}


def test_each_travels() -> None:
    check_wire(LockedPackage, PACKAGE)
    check_wire(Lock, LOCK)


def test_a_package_is_found_by_its_whole_name_only() -> None:
    lock = Lock.model_validate(LOCK)
    assert lock.find("alice/sums") == lock.package[0]
    for other in ("alice/sum", "alice/sums2", "ALICE/SUMS", "sums", "alice/sums@1.0", ""):
        assert lock.find(other) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [("id", "Alice/sums"), ("id", "../sums"), ("version", "1.*"), ("version", ">=1"), ("archive", ""), ("archive", "sha256:" + "A" * 64),
     ("archive", "sha1:" + "a" * 40), ("archive", DIGEST + " "), ("size_bytes", "big")],
)  # fmt: skip
def test_what_does_not_pin_is_refused(field: str, value: object) -> None:
    assert field in refusal(LockedPackage, PACKAGE | {field: value})


@pytest.mark.parametrize("version", [0, 3, None, "one"])
def test_a_lock_of_another_format_is_refused_rather_than_guessed_at(version: object) -> None:
    assert "lock_version" in refusal(Lock, LOCK | {"lock_version": version})


def test_what_was_not_known_is_empty() -> None:
    bare = LockedPackage.model_validate({key: PACKAGE[key] for key in ("id", "version", "archive", "size_bytes")})
    assert (bare.image, bare.audit, bare.dependencies, bare.requires, bare.published_at) == ("", "", "", [], None)
