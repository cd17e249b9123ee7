"""Resumable uploads: parts of a wheel, which is published once all are there."""

from hub_client.transport.requests.call import API, ApiCall, nothing
from schemas.names import digest_of
from schemas.package import Upload, UploadPart


def get_upload(digest: str) -> ApiCall[Upload]:
    """Which parts of the wheel with this digest have arrived."""
    return ApiCall.get(f"/uploads/{digest}", Upload.read)


def send_part(digest: str, number: int, part: bytes) -> ApiCall[UploadPart]:
    """One part; its own digest travels along, so that damage on the way is noticed."""
    headers = {"Content-Type": "application/octet-stream", "Digest-Sha256": digest_of(part)}
    return ApiCall("PUT", f"{API}/uploads/{digest}/parts/{number}", UploadPart.read, content=part, headers=headers)


def forget(digest: str) -> ApiCall[None]:
    """Give up an upload."""
    return ApiCall.send("DELETE", f"/uploads/{digest}", nothing)
