"""SMTP: what is said to a server, and what is not said in an error."""

import socketserver
import threading
from collections.abc import Iterator

import pytest

from hub_server.adapters.smtp_mailer import SmtpMailer
from hub_server.ports.mailer import Mail, MailError
from hub_server.settings import MailSettings


class _Handler(socketserver.StreamRequestHandler):
    """As much of a mail server as one mail needs."""

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        server = self.server
        assert isinstance(server, _Server)
        is_data = False
        for line in self.rfile:
            text = line.decode().rstrip("\r\n")
            server.lines.append(text)
            if is_data:
                is_data = text != "."
                if not is_data:
                    self.wfile.write(b"250 kept\r\n")
            elif text.upper().startswith("RCPT") and server.refuses:
                self.wfile.write(b"550 no such user " + text.encode() + b"\r\n")
            elif text == "data":
                is_data = True
                self.wfile.write(b"354 go on\r\n")
            elif text.upper() == "QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(b"250 fine\r\n")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    refuses = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lines: list[str] = []


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def mailer_of(server: _Server, **more) -> SmtpMailer:
    fields = {"host": "127.0.0.1", "port": server.server_address[1], "security": "none", "sender": "hub@example.org"}
    return SmtpMailer(MailSettings(**{**fields, **more}))


def test_a_mail_reaches_its_one_address(server: _Server) -> None:
    mailer_of(server).send(Mail(to="carol@example.org", subject="A link", text="Click:\n\nhttps://hub/x?code=abc\n"))
    receivers = [line for line in server.lines if line.lower().startswith("rcpt")]
    assert [line.lower() for line in receivers] == ["rcpt to:<carol@example.org>"]
    assert "Subject: A link" in server.lines
    assert "https://hub/x?code=abc" in server.lines


@pytest.mark.parametrize(
    "address", ["a@b.org>,<eve@example.org", "a,eve@example.org", "x\r\nBcc:eve@example.org", "no"]
)
def test_what_is_no_single_address_is_sent_nowhere(server: _Server, address: str) -> None:
    with pytest.raises(MailError):
        mailer_of(server).send(Mail(to=address, subject="A link", text="x"))
    assert server.lines == []


def test_a_refusal_names_no_address(server: _Server) -> None:
    server.refuses = True
    with pytest.raises(MailError) as refused:
        mailer_of(server).send(Mail(to="carol@example.org", subject="A link", text="x"))
    assert "carol" not in str(refused.value)


def test_a_server_without_encryption_gets_no_mail_unless_it_may(server: _Server) -> None:
    with pytest.raises(MailError, match="could not be used"):
        mailer_of(server, security="starttls").send(Mail(to="carol@example.org", subject="A link", text="x"))
    assert not [line for line in server.lines if line.lower().startswith("mail")]


def test_a_mail_that_comes_again_says_where_one_click_ends_it(server: _Server) -> None:
    """RFC 8058. The address stands in one piece: an encoded or broken one is of no use to a mail program."""
    url = "https://a-hub-with-a-long-name.research.example.org/unsubscribe/" + "c" * 43
    mailer_of(server).send(Mail(to="carol@example.org", subject="News", text="x", unsubscribe_url=url))
    head = "\n".join(server.lines)
    assert f"<{url}>" in head
    assert "List-Unsubscribe-Post: List-Unsubscribe=One-Click" in server.lines
    mailer_of(server).send(Mail(to="carol@example.org", subject="A link", text="x"))
    assert head.count("List-Unsubscribe-Post") == 1
