"""Mail to one person."""

from dataclasses import dataclass
from typing import Protocol


class MailError(Exception):
    """The mail was not taken. The message names no address: it stands in the log."""


@dataclass(frozen=True)
class Mail:
    """A mail in plain text to one address. It may hold a secret, so it is neither stored nor shown."""

    to: str
    subject: str
    text: str
    unsubscribe_url: str = ""
    """Of a mail that comes again and again: where a POST without a login ends them (RFC 8058)."""


class Mailer(Protocol):
    """Sends mail. Only jobs of the worker send, because a mail server may take its time."""

    def send(self, mail: Mail) -> None:
        """Hand a mail over. Raises ``MailError``; a second try may succeed."""


class NoMailer:
    """Sends nothing."""

    def send(self, mail: Mail) -> None:
        """Refuse."""
        del mail
        raise MailError("This hub sends no mail.")
