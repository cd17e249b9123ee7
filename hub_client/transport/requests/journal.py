"""The hub's journal: proofs, and the keys that sign it."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall
from schemas.journal.entries import ConsistencyProof, JournalPage, ReleaseProof
from schemas.journal.signing_keys import SigningKeys
from schemas.names import split_package_id


def get_release_proof(package_id: str, version: str) -> ApiCall[ReleaseProof]:
    """That a release was published with the bytes that it has."""
    owner, name = split_package_id(package_id)
    return ApiCall.get(f"/journal/releases/{owner}/{name}/{quote(version, safe='')}", ReleaseProof.read)


def list_entries(start: int) -> ApiCall[JournalPage]:
    """Entries from a position on, as many as the hub gives at a time, with a checkpoint."""
    return ApiCall.get("/journal/entries", JournalPage.read, start=start, limit=100)


def get_consistency(old: int, new: int) -> ApiCall[ConsistencyProof]:
    """That the first ``old`` of ``new`` entries are the same."""
    return ApiCall.get("/journal/consistency", ConsistencyProof.read, old=old, new=new)


def list_keys() -> ApiCall[SigningKeys]:
    """Every key that the hub signs, and has signed, with."""
    return ApiCall.get("/keys", SigningKeys.read)
