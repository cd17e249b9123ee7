"""Mail as lines of the hub's log, for a hub without a mail server: its operator hands links on."""

import logging

from hub_server.ports.mailer import Mail

_log = logging.getLogger("hub_server.mail")


class LogMailer:
    """Writes each mail to the log, with the secret in its link. So whoever reads the log can use it."""

    def send(self, mail: Mail) -> None:
        """One line for the operator."""
        _log.warning("mail to %s: %s. %s", mail.to, mail.subject, " ".join(mail.text.split()))
