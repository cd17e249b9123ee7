"""Packages and releases: search, read, publish, yank."""

from urllib.parse import quote

from hub_client.requests.call import API, ApiCall
from schemas.kinds import PackageKind
from schemas.names import split_package_id
from schemas.package import PackageCard, PackageDetail, PublishReceipt, Release
from schemas.page import Page


def package_path(package_id: str) -> str:
    """``/packages/owner/name``."""
    owner, name = split_package_id(package_id)
    return f"/packages/{owner}/{name}"


def release_path(package_id: str, version: str) -> str:
    """``/packages/owner/name/releases/1.0.0``."""
    return f"{package_path(package_id)}/releases/{quote(version, safe='')}"


def search(
    query: str = "",
    *,
    kind: PackageKind | None = None,
    tag: str | None = None,
    sort: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> ApiCall[Page[PackageCard]]:
    """One page of the catalogue."""
    return ApiCall.get(
        "/packages",
        Page[PackageCard].read,
        q=query or None,
        kind=kind,
        tag=tag,
        sort=sort,
        limit=limit,
        cursor=cursor,
    )


def get_package(package_id: str) -> ApiCall[PackageDetail]:
    """A package with all its releases."""
    return ApiCall.get(package_path(package_id), PackageDetail.read)


def get_release(package_id: str, version: str) -> ApiCall[Release]:
    """One release by version."""
    return ApiCall.get(release_path(package_id, version), Release.read)


def publish(wheel: bytes, digest: str) -> ApiCall[PublishReceipt]:
    """Send a wheel. Its digest travels along: damage on the way is noticed, and it is the idempotency key."""
    headers = {
        "Content-Type": "application/zip",
        "X-Verihub-Digest": digest,
        "Idempotency-Key": digest,
    }
    return ApiCall("POST", f"{API}/packages", PublishReceipt.read, content=wheel, headers=headers)


def change_state(package_id: str, version: str, act: str, reason: str = "") -> ApiCall[Release]:
    """``act``: yank, unyank, deprecate or quarantine."""
    return ApiCall.send("POST", f"{release_path(package_id, version)}/{act}", Release.read, {"reason": reason})


def wheel_url_path(package_id: str, version: str) -> str:
    """Where the bytes of a release are."""
    return f"{API}{release_path(package_id, version)}/wheel"
