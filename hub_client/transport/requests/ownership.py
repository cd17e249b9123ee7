"""Packages that are given away, archived or deleted."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall, nothing
from hub_client.transport.requests.packages import package_path, release_path
from schemas.ownership import AccountDeletion, Transfer, TransferAnswer, TransferCreate
from schemas.package import PackageDetail
from schemas.page import Page


def archive(package_id: str, reason: str) -> ApiCall[PackageDetail]:
    """Publish no more of a package."""
    return ApiCall.send("POST", f"{package_path(package_id)}/archive", PackageDetail.read, {"reason": reason})


def unarchive(package_id: str) -> ApiCall[PackageDetail]:
    """Go on with an archived package."""
    return ApiCall.send("POST", f"{package_path(package_id)}/unarchive", PackageDetail.read)


def delete_package(package_id: str) -> ApiCall[None]:
    """Delete every release of a package for good."""
    return ApiCall.send("DELETE", package_path(package_id), nothing)


def delete_run(run_id: str) -> ApiCall[None]:
    """Delete one run for good."""
    return ApiCall.send("DELETE", f"/runs/{quote(run_id, safe='')}", nothing)


def delete_release(package_id: str, version: str) -> ApiCall[None]:
    """Delete one release for good."""
    return ApiCall.send("DELETE", release_path(package_id, version), nothing)


def list_transfers(package_id: str) -> ApiCall[Page[Transfer]]:
    """To whom a package was given; for its owners also what is offered."""
    return ApiCall.get(f"{package_path(package_id)}/transfers", Page[Transfer].read)


def offer(package_id: str, to: str) -> ApiCall[Transfer]:
    """Offer a package to an account or organisation."""
    return ApiCall.send("POST", f"{package_path(package_id)}/transfer", Transfer.read, TransferCreate(to=to))


def take_back(package_id: str) -> ApiCall[None]:
    """Take an offer back."""
    return ApiCall.send("DELETE", f"{package_path(package_id)}/transfer", nothing)


def answer(package_id: str, *, accept: bool) -> ApiCall[Transfer]:
    """Take a package over, or decline it."""
    body = TransferAnswer(accept=accept)
    return ApiCall.send("POST", f"{package_path(package_id)}/transfer/answer", Transfer.read, body)


def list_offers() -> ApiCall[Page[Transfer]]:
    """What is offered to the caller, and to organisations that it is an owner of."""
    return ApiCall.get("/account/transfers", Page[Transfer].read)


def delete_account(name: str) -> ApiCall[None]:
    """Delete the caller's account for good."""
    return ApiCall.send("POST", "/account/deletion", nothing, AccountDeletion(name=name))
