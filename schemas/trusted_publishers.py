"""Publishing from continuous integration without a stored token: who may, and the exchange of an identity token."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from schemas.base import WireModel
from schemas.names import PackageId


class Provider(StrEnum):
    """Whose identity tokens a publisher has: which claims say what it is."""

    GITHUB = "github"
    GITLAB = "gitlab"


Repository = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$", max_length=200)]
Workflow = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*\.ya?ml$", max_length=200)]
Environment = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=100)]


class TrustedPublisherCreate(WireModel):
    """Who may publish a package: one workflow of one repository, and only in ``environment`` unless it is empty."""

    provider: Provider
    issuer: str = Field(max_length=200)
    """Address of the identity provider; the hub's operator says which are accepted."""
    repository: Repository
    """``owner/name`` at GitHub, ``group/…/project`` at GitLab."""
    workflow: Workflow
    """File name below ``.github/workflows`` at GitHub; path of the pipeline's file at GitLab."""
    environment: Environment = ""


class TrustedPublisher(TrustedPublisherCreate):
    """A publisher as it was registered. It publishes in the name of ``registered_by``."""

    id: str
    package: PackageId
    registered_by: str
    created_at: datetime
    last_used_at: datetime | None = None


class IdentityTokenExchange(WireModel):
    """An identity token of the provider, for a token that may publish one package for some minutes."""

    package: PackageId
    identity_token: str = Field(max_length=16_384)
