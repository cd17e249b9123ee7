"""Whether an identity token is that of a publisher."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.trusted_publishers import Provider

LIFETIME_MINUTES = 15
"""Of the token that is given for an identity token."""


@dataclass(frozen=True)
class Expected:
    """What a publisher's token must say. ``owner_id``: empty until a first token has said it."""

    provider: Provider
    repository: str
    workflow: str
    environment: str
    owner_id: str


def why_not(expected: Expected, claims: Mapping[str, Any]) -> str:
    """What of a token is not the publisher's, in one sentence; empty when all is."""
    _, workflow, names = _claims_of(expected.provider)
    if not is_of_repository(expected, claims):
        return f"it is of another repository ({repository_in(claims)})"
    if not _is_workflow(expected, _text(claims, workflow)):
        return f"it is of another workflow ({_text(claims, workflow)[:200] or 'none'})"
    environment = _text(claims, "environment")
    if expected.environment and environment.casefold() != expected.environment.casefold():
        return f"it is of another environment ({environment[:100] or 'none'})"
    owner_id = owner_id_of(expected.provider, claims)
    if not owner_id:
        return f"it does not say {names}"
    if expected.owner_id and owner_id != expected.owner_id:
        return "the repository belongs to somebody else now, under the same name: register the publisher again"
    return ""


def is_of_repository(expected: Expected, claims: Mapping[str, Any]) -> bool:
    """Whether the token is of the publisher's repository, by name."""
    repository, _, _ = _claims_of(expected.provider)
    return _text(claims, repository).casefold() == expected.repository.casefold()


def repository_in(claims: Mapping[str, Any]) -> str:
    """The repository that a token names, for a message; ``none`` where it names none."""
    names = (_text(claims, _claims_of(provider)[0]) for provider in Provider)
    return next((name[:200] for name in names if name), "none")


def owner_id_of(provider: Provider, claims: Mapping[str, Any]) -> str:
    """The provider's own ids of the repository and its owner, which no later owner of the names has."""
    _, _, names = _claims_of(provider)
    parts = [_text(claims, name) for name in names.split(" and ")]
    return "/".join(parts) if all(parts) else ""


def used_key(claims: Mapping[str, Any]) -> str:
    """The name under which a token is remembered as used: its id is unique for its issuer."""
    return hashlib.sha256(f"{claims['iss']}\n{claims['jti']}".encode()).hexdigest()


def _claims_of(provider: Provider) -> tuple[str, str, str]:
    if provider is Provider.GITHUB:
        return "repository", "workflow_ref", "repository_owner_id and repository_id"
    return "project_path", "ci_config_ref_uri", "namespace_id and project_id"


def _is_workflow(expected: Expected, found: str) -> bool:
    """GitHub: ``owner/name/.github/workflows/FILE@ref``; GitLab: ``host/group/project//FILE@ref``."""
    path, separator, _ = found.partition("@")
    if expected.provider is Provider.GITHUB:
        repository, _, file = path.partition("/.github/workflows/")
        return bool(separator) and file == expected.workflow and repository.casefold() == expected.repository.casefold()
    project, _, file = path.partition("//")
    return (
        bool(separator)
        and file == expected.workflow
        and project.partition("/")[2].casefold() == expected.repository.casefold()
    )


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    return value if isinstance(value, str) else ""
