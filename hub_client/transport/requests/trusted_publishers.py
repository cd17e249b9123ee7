"""Workflows that may publish a package, and their tokens."""

from hub_client.transport.requests.call import ApiCall, nothing
from hub_client.transport.requests.packages import package_path
from schemas.account import TokenCreated
from schemas.page import Page
from schemas.trusted_publishers import IdentityTokenExchange, TrustedPublisher, TrustedPublisherCreate


def exchange_identity(package_id: str, identity_token: str) -> ApiCall[TokenCreated]:
    """A token that publishes one package for some minutes. An identity token can be used once."""
    body = IdentityTokenExchange(package=package_id, identity_token=identity_token)
    return ApiCall.send("POST", "/trusted-publishing/token", TokenCreated.read, body)


def add_publisher(package_id: str, publisher: TrustedPublisherCreate) -> ApiCall[TrustedPublisher]:
    """Let a workflow publish a package."""
    return ApiCall.send("POST", f"{package_path(package_id)}/trusted-publishers", TrustedPublisher.read, publisher)


def list_publishers(package_id: str) -> ApiCall[Page[TrustedPublisher]]:
    """The workflows that may publish a package."""
    return ApiCall.get(f"{package_path(package_id)}/trusted-publishers", Page[TrustedPublisher].read)


def remove_publisher(package_id: str, publisher_id: str) -> ApiCall[None]:
    """Remove a workflow: it can no longer publish the package."""
    return ApiCall.send("DELETE", f"{package_path(package_id)}/trusted-publishers/{publisher_id}", nothing)
