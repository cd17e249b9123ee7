"""Packages and releases: search, read, publish, yank."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

from hub_client.transport.requests.call import API, ApiCall
from schemas.journal.author_signature import AuthorSignature
from schemas.names import split_package_id
from schemas.package import (
    Dependant,
    PackageCard,
    PackageDetail,
    PackagePage,
    PackageSort,
    PublishReceipt,
    Release,
    Visibility,
)
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
    filters: Mapping[str, str | Sequence[str]] | None = None,
    sort: PackageSort | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> ApiCall[PackagePage]:
    """One page of the catalogue.

    ``filters``: facet -> a value, or several of which a package needs one. The facets are ``kind``, ``interaction``,
    ``family``, ``difficulty``, ``source``, ``tag``, ``grade``, ``licence`` and ``owner``.
    """
    chosen = {facet: values for facet, values in (filters or {}).items() if values}
    return ApiCall.get("/packages", PackagePage.read, q=query or None, sort=sort, limit=limit, cursor=cursor, **chosen)


def get_package(package_id: str) -> ApiCall[PackageDetail]:
    """A package with all its releases."""
    return ApiCall.get(package_path(package_id), PackageDetail.read)


def get_release(package_id: str, version: str) -> ApiCall[Release]:
    """One release by version."""
    return ApiCall.get(release_path(package_id, version), Release.read)


def list_similar(package_id: str) -> ApiCall[Page[PackageCard]]:
    """Packages that ask something alike of a model, the most alike first."""
    return ApiCall.get(f"{package_path(package_id)}/similar", Page[PackageCard].read)


def list_dependants(
    package_id: str, *, kinds: Sequence[str] = (), cursor: str | None = None, limit: int | None = None
) -> ApiCall[Page[Dependant]]:
    """One page of the packages that depend on it or name it."""
    path = f"{package_path(package_id)}/dependants"
    return ApiCall.get(path, Page[Dependant].read, kind=kinds or None, cursor=cursor, limit=limit)


def publish(
    wheel: bytes,
    digest: str,
    *,
    dry_run: bool = False,
    visibility: Visibility | None = None,
    author: AuthorSignature | None = None,
) -> ApiCall[PublishReceipt]:
    """Send a wheel; its digest travels along, so that damage on the way is noticed. Sending it twice is harmless.

    ``dry_run`` asks whether it would be accepted, and changes nothing. ``visibility`` is that of a new package.
    """
    headers = {
        "Content-Type": "application/octet-stream",
        "Digest-Sha256": digest,
        **_author_header(author),
    }
    params = _publish_params(visibility, dry_run=dry_run)
    call = ApiCall("POST", f"{API}/packages", PublishReceipt.read, params, wheel, headers)
    return replace(call, is_harmless_twice=True)


def publish_upload(
    digest: str,
    *,
    dry_run: bool = False,
    visibility: Visibility | None = None,
    author: AuthorSignature | None = None,
) -> ApiCall[PublishReceipt]:
    """Publish a wheel whose parts have all arrived; the rest as in :func:`publish`."""
    params = {"upload": digest, **_publish_params(visibility, dry_run=dry_run)}
    call = ApiCall("POST", f"{API}/packages", PublishReceipt.read, params, headers=_author_header(author))
    return replace(call, is_harmless_twice=True)


def _author_header(author: AuthorSignature | None) -> dict[str, str]:
    return {} if author is None else {"Author-Signature": f"{author.public_key} {author.signature}"}


def _publish_params(visibility: Visibility | None, *, dry_run: bool) -> dict[str, str]:
    params = {"dry_run": "true"} if dry_run else {}
    return params if visibility is None else {**params, "visibility": visibility.value}


def make_public(package_id: str) -> ApiCall[PackageDetail]:
    """Show a private package to everybody, for good."""
    call = ApiCall.send("POST", f"{package_path(package_id)}/public", PackageDetail.read)
    return replace(call, is_harmless_twice=True)


def change_state(package_id: str, version: str, act: str, reason: str = "") -> ApiCall[Release]:
    """Yank, unyank, deprecate or undeprecate. Yank and deprecate need a reason."""
    body = {"reason": reason} if reason else None
    return ApiCall.send("POST", f"{release_path(package_id, version)}/{act}", Release.read, body)


def wheel_url_path(package_id: str, version: str) -> str:
    """The path of a release's wheel."""
    return f"{API}{release_path(package_id, version)}/wheel"
