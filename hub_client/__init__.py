"""The hub from Python: resolve, verify, cache, score, publish. Names are loaded when they are first used."""

import importlib
import importlib.util
from pathlib import Path
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


def _refuse_hidden_packages(ours: Path) -> None:
    """Raise ImportError where another ``schemas`` or ``sandbox`` is found before Verihub's (docs/decisions/0011)."""
    for name in ("schemas", "sandbox"):
        spec = importlib.util.find_spec(name)
        places = [Path(place).resolve() for place in (spec.submodule_search_locations or [])] if spec else []
        if ours / name not in places[:1]:
            found = spec.origin if spec and spec.origin else ", ".join(map(str, places)) or "nothing"
            raise ImportError(
                f"Verihub needs its own package `{name}`, and Python finds {found} first. Rename that file or folder, "
                "or start Python from another folder: packages are looked for beside the program and in the working "
                "folder before they are looked for among what is installed."
            )


_refuse_hidden_packages(Path(__file__).resolve().parents[1])


def __getattr__(name: str) -> Any:
    """Load a public name from its module, so that the command line starts without all of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hub_client' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
