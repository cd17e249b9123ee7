import pytest

from hub_client.errors import IntegrityError
from hub_client.integrity.proofs import KeptProofs
from schemas.journal.entries import ReleaseProof
from tests.making.journal_hub import JournalHub
from tests.making.wheel import make_wheel

URL = "http://hub.example"


@pytest.fixture
def release_and_proof():
    hub = JournalHub()
    release = hub.add(make_wheel())
    return release, ReleaseProof.read(hub.proof("/journal/releases/alice/small-sums/1.0.0"))


def test_a_proof_is_kept_for_its_hub_and_release(tmp_path, release_and_proof) -> None:
    release, proof = release_and_proof
    kept = KeptProofs(tmp_path)
    assert kept.find(URL, release, strict=True) is None
    kept.keep(URL, release, proof)
    assert kept.find(URL, release, strict=True) == proof
    assert kept.find("http://other.example", release, strict=True) is None
    assert kept.find(URL, release.model_copy(update={"version": "2.0"}), strict=True) is None


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data + b" ", lambda _: b"[]", lambda _: b"\xff"]
)
def test_a_damaged_proof_is_none_or_where_it_matters_an_error(tmp_path, release_and_proof, damage) -> None:
    release, proof = release_and_proof
    kept = KeptProofs(tmp_path)
    kept.keep(URL, release, proof)
    path = kept.path(URL, release)
    path.write_bytes(damage(path.read_bytes()))
    assert kept.find(URL, release, strict=False) is None
    with pytest.raises(IntegrityError, match="is damaged"):
        kept.find(URL, release, strict=True)
