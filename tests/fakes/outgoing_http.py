"""Receivers of webhooks that answer as a test says, and what they were sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hub_server.ports.outgoing_http import OutgoingError


@dataclass(frozen=True)
class Sent:
    url: str
    headers: dict[str, str]
    body: bytes


@dataclass
class FakeOutgoing:
    """``status`` None: no answer comes."""

    status: int | None = 204
    sent: list[Sent] = field(default_factory=list)

    def why_not(self, url: str) -> str:
        return "10.0.0.1 is private." if "10.0.0.1" in url else ""

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        self.sent.append(Sent(url, dict(headers), body))
        if self.status is None:
            raise OutgoingError("No answer came within 10 s.")
        return self.status
