"""The hub from Python: resolve, verify, cache, score, publish. Names are loaded when they are first used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hub_client.async_client import AsyncHub
    from hub_client.client import Hub
    from hub_client.environments import Environment, EnvironmentSession, Verifier
    from hub_client.errors import HubClientError
    from hub_client.settings import ClientSettings
    from hub_client.tables import RewardTable

__all__ = [
    "AsyncHub",
    "ClientSettings",
    "Environment",
    "EnvironmentSession",
    "Hub",
    "HubClientError",
    "RewardTable",
    "Verifier",
]

_HOMES = {
    "AsyncHub": "hub_client.async_client",
    "ClientSettings": "hub_client.settings",
    "Environment": "hub_client.environments",
    "EnvironmentSession": "hub_client.environments",
    "Hub": "hub_client.client",
    "HubClientError": "hub_client.errors",
    "RewardTable": "hub_client.tables",
    "Verifier": "hub_client.environments",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module, so that the command line starts without all of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hub_client' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
