"""Mail by SMTP."""

import smtplib
import ssl
from email import policy
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid

from hub_server.ports.mailer import Mail, MailError
from hub_server.settings import MailSettings

_WIDE = policy.default.clone(max_line_length=900)
"""A long address in a header stays in one piece: folded at 78 letters it would be encoded, which no reader undoes."""


class SmtpMailer:
    """Sends by the server that the settings name, each mail over a connection of its own."""

    def __init__(self, settings: MailSettings) -> None:
        self._settings = settings

    def send(self, mail: Mail) -> None:
        """Send. Raises ``MailError``, without the address: what a server answers may repeat it."""
        message = _message(self._settings.sender, mail)
        try:
            with self._connect() as server:
                if self._settings.user:
                    server.login(self._settings.user, self._settings.password)
                server.send_message(message, to_addrs=[mail.to])
        except smtplib.SMTPResponseException as error:
            raise MailError(f"The mail server refused with {error.smtp_code}.") from None
        except (smtplib.SMTPException, OSError) as error:
            raise MailError(f"The mail server could not be used ({type(error).__name__}).") from None

    def _connect(self) -> smtplib.SMTP:
        host, port, seconds = self._settings.host, self._settings.port, self._settings.timeout_seconds
        if self._settings.security == "tls":
            return smtplib.SMTP_SSL(host, port, timeout=seconds, context=ssl.create_default_context())
        server = smtplib.SMTP(host, port, timeout=seconds)
        if self._settings.security == "starttls":
            try:
                server.starttls(context=ssl.create_default_context())
            except BaseException:
                server.close()
                raise
        return server


def _message(sender: str, mail: Mail) -> EmailMessage:
    """The message to exactly one address; one that would be read as several, or as a header, is refused."""
    message = EmailMessage(policy=_WIDE)
    try:
        message["From"] = sender
        message["To"] = Address(addr_spec=mail.to)
        message["Subject"] = mail.subject
        message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2].strip(" >") or None)
        message["Auto-Submitted"] = "auto-generated"
        if mail.unsubscribe_url:
            message["List-Unsubscribe"] = f"<{mail.unsubscribe_url}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        message.set_content(mail.text)
    except (MessageError, ValueError, IndexError) as error:
        raise MailError(f"This is no address that mail can go to ({type(error).__name__}).") from None
    return message
