"""Requests to addresses that accounts of the hub have named, and to the hub that this one mirrors."""

from collections.abc import Callable, Mapping
from typing import Protocol


class OutgoingError(Exception):
    """No answer came. The message may be shown to who named the address: it tells nothing of the hub's own network."""


class Outgoing(Protocol):
    """Sends to public addresses alone, and follows no redirect. It blocks for some seconds at the most."""

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """Send ``body``; the status that came back, whose body is dropped. Raises ``OutgoingError``."""
        ...

    def read(self, url: str, *, most_bytes: int, seconds: float) -> tuple[int, bytes]:
        """Status and body of an answer to GET, whole. Raises ``OutgoingError``."""
        ...

    def fetch(self, url: str, keep: Callable[[bytes], object], *, most_bytes: int, seconds: float) -> int:
        """The status of an answer to GET; ``keep`` gets its body in pieces, as they come, where the status is 200.

        Raises ``OutgoingError``, possibly after some pieces.
        """
        ...

    def why_not(self, url: str) -> str:
        """Why nothing is ever sent to ``url``, whose host is an address and no name; empty: it may be. No lookup."""
        ...


class NoOutgoing:
    """Sends nothing."""

    def why_not(self, url: str) -> str:
        """Nothing is known of any address."""
        del url
        return ""

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """Refuse."""
        del url, headers, body
        raise OutgoingError("This hub sends nothing to other addresses.")

    def read(self, url: str, *, most_bytes: int, seconds: float) -> tuple[int, bytes]:
        """Refuse."""
        del url, most_bytes, seconds
        raise OutgoingError("This hub sends nothing to other addresses.")

    def fetch(self, url: str, keep: Callable[[bytes], object], *, most_bytes: int, seconds: float) -> int:
        """Refuse."""
        del url, keep, most_bytes, seconds
        raise OutgoingError("This hub sends nothing to other addresses.")
