"""A mailer that keeps what it is given, and refuses while a test says so."""

import re

from hub_server.ports.mailer import Mail, MailError


class FakeMailer:
    def __init__(self) -> None:
        self.sent: list[Mail] = []
        self.refusals = 0

    def send(self, mail: Mail) -> None:
        if self.refusals:
            self.refusals -= 1
            raise MailError("The mail server refused with 451.")
        self.sent.append(mail)

    @property
    def code(self) -> str:
        """The code of the newest mail's link."""
        found = re.search(r"\?code=([\w-]+)", self.sent[-1].text)
        assert found is not None
        return found[1]
