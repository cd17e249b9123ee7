"""The journal over HTTP, on both databases: public, never cached where it moves, and never a fault of the hub."""

import pytest

from schemas.journal.entries import JournalCheckpoint, ReleaseProof
from schemas.journal.signed_note import SignedNote
from tests.making.hub import Api, make_package


@pytest.fixture
def published(api: Api, alice: Api) -> Api:
    for version in ("1.0", "2.0"):
        assert alice.publish(make_package(version=version)).status_code == 201
    return api


def test_anybody_reads_checkpoint_proofs_and_entries(published: Api) -> None:
    answer = published.get("/api/v1/journal/checkpoint")
    assert answer.headers["cache-control"] == "no-store"
    assert JournalCheckpoint.parse(SignedNote.parse(answer.text).text).size == 2
    proof = ReleaseProof.model_validate(published.get("/api/v1/journal/releases/alice/small-sums/2.0").json())
    assert proof.position == 1
    assert published.get("/api/v1/journal/consistency?old=1&new=2").json()["hashes"]
    assert len(published.get("/api/v1/journal/entries?limit=1").json()["items"]) == 1
    assert published.get("/api/v1/keys").json()["items"][0]["introduction"] == ""


@pytest.mark.parametrize(
    "path",
    ["consistency", "consistency?old=-1&new=1", "consistency?old=0&new=99", "consistency?old=1e9&new=2",
     f"consistency?old={10**30}&new={10**31}", "entries?start=-1", f"entries?start={2**63}", "entries?limit=0", "entries?limit=9999",
     "releases/alice/small-sums/" + "9" * 5000, "releases/alice/small-sums/%00", "releases/0/0/1", "releases/a/b/%ff"],
)  # fmt: skip
def test_no_value_is_a_fault_of_the_hub(published: Api, path: str) -> None:
    answer = published.get(f"/api/v1/journal/{path}")
    assert answer.status_code in (404, 422), answer.text
    assert answer.json()["code"] in ("release_not_found", "invalid_request")
