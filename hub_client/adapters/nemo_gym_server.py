"""The resources server for NeMo Gym; see :mod:`hub_client.adapters.nemo_gym`."""

import asyncio
from typing import Any

from nemo_gym.base_resources_server import BaseVerifyRequest, BaseVerifyResponse, SimpleResourcesServer
from pydantic import ConfigDict

from hub_client.adapters.default_hub import DEFAULT_HUB
from hub_client.adapters.nemo_gym import REFERENCE_KEY, judge
from hub_client.environments import Verifier


class VerihubVerifyRequest(BaseVerifyRequest):  # type: ignore[misc]  # NeMo Gym has no types for mypy
    """A row's other fields are passed through."""

    model_config = ConfigDict(extra="allow")

    verifier_metadata: dict[str, Any] | None = None


class VerihubVerifyResponse(BaseVerifyResponse):  # type: ignore[misc]
    """The components are also fields of their own."""

    model_config = ConfigDict(extra="allow")

    reward_components: dict[str, float]


class VerihubResourcesServer(SimpleResourcesServer):  # type: ignore[misc]
    """Judges by the release that each row names, opened by ``open_verifier``."""

    @staticmethod
    def open_verifier(reference: str) -> Verifier:
        """The verifier of a release. It is opened once and then kept."""
        return DEFAULT_HUB.verifier(reference)

    async def verify(self, body: VerihubVerifyRequest) -> VerihubVerifyResponse:
        """One verdict; a response that could not be judged is an error of the request."""
        asked = body.model_dump(mode="json")
        reference = (asked.get("verifier_metadata") or {}).get(REFERENCE_KEY)
        if reference:
            await asyncio.to_thread(self.open_verifier, reference)  # fetched outside the event loop, then kept
        return VerihubVerifyResponse(**{**asked, **await judge(asked, self.open_verifier)})
