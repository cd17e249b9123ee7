"""Real sockets and a resolver of our own: what a stranger's address can make the hub do."""

import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from hub_server.adapters.checked_http import ANY_NETWORK, CheckedHttp, resolve_by_system
from hub_server.errors import InvalidRequestError
from hub_server.ports.outgoing_http import OutgoingError
from tests.making.certificate import write_certificate

OK = b"HTTP/1.1 204 No Content\r\n\r\n"
LOOPBACK = ["127.0.0.0/8"]
Handler = Callable[[socket.socket, bytes], None]


def read_request(connection: socket.socket) -> bytes:
    """All of a request: whoever closes with bytes unread resets the connection, and the answer may be lost."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    length = int([*re.findall(rb"content-length: (\d+)", data, re.IGNORECASE), b"0"][0])
    while len(data.partition(b"\r\n\r\n")[2]) < length:
        data += connection.recv(65536)
    return data


def answering(answer: bytes) -> Handler:
    return lambda connection, _request: connection.sendall(answer)


@contextmanager
def receiver(handle: Handler) -> Iterator[tuple[int, list[bytes]]]:
    """A server on this machine: its port, and the requests that reached it."""
    got: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(60)
                got.append(read_request(connection))
                handle(connection, got[-1])

    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], got
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


@pytest.fixture(scope="module")
def tls_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of ``hooks.example`` by its own authority, in PEM with its key."""
    return write_certificate(tmp_path_factory.mktemp("tls") / "both.pem", "hooks.example")


@pytest.fixture
def tls_identity(tls_files: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls_files)
    return context


@pytest.fixture
def tls_trust(tls_files: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cadata="-----BEGIN CERT" + tls_files.read_text().partition("-----BEGIN CERT")[2])


class Rebinding:
    """A name server that answers with a public address first and with ours ever after."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    def __call__(self, name: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def test_a_message_reaches_an_allowed_network_as_it_was_written() -> None:
    with receiver(answering(OK)) as (port, got):
        url = f"http://127.0.0.1:{port}/hook?x=1"
        answer = CheckedHttp(LOOPBACK, 60).post(url, {"webhook-id": "m1"}, b'{"a":1}')
    assert answer == 204
    head, _, body = got[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /hook?x=1 HTTP/1.1\r\n")
    assert b"webhook-id: m1" in head
    assert b"Host: 127.0.0.1:" in head
    assert body == b'{"a":1}'


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::]",
    ],
)
def test_nothing_on_this_machine_is_reached_however_it_is_written(host: str) -> None:
    with receiver(answering(OK)) as (port, got):
        with pytest.raises(OutgoingError, match=r"not public|no address|cannot be used"):
            CheckedHttp([], 60).post(f"http://{host}:{port}/", {}, b"x")
        assert got == []


def test_a_name_that_answers_otherwise_the_second_time_is_asked_once() -> None:
    """Rebinding: the check saw a public address, so the connection must go there and nowhere else."""
    with receiver(answering(OK)) as (port, got):
        names = Rebinding(["192.0.2.1"], ["127.0.0.1"])
        with pytest.raises(OutgoingError, match="not public"):
            CheckedHttp([], 60, resolve=names).post(f"http://evil.example:{port}/", {}, b"x")
        allowed = Rebinding(["127.0.0.2"], ["10.0.0.1"])  # checked and connected to: 127.0.0.2, where nothing listens
        with pytest.raises(OutgoingError, match="Nothing accepts"):
            CheckedHttp(LOOPBACK, 60, resolve=allowed).post(f"http://evil.example:{port}/", {}, b"x")
        assert (names.asked, allowed.asked, got) == (1, 1, [])


def test_one_address_of_ones_own_among_public_ones_refuses_the_name() -> None:
    names = Rebinding(["8.8.8.8", "169.254.169.254"])
    with pytest.raises(OutgoingError, match="not public"):
        CheckedHttp([], 60, resolve=names).post("http://evil.example/", {}, b"x")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    with receiver(answering(OK)) as (inner, inner_got):
        away = f"HTTP/1.1 {status} Away\r\nLocation: http://127.0.0.1:{inner}/\r\nContent-Length: 0\r\n\r\n"
        with receiver(answering(away.encode())) as (port, _):
            assert CheckedHttp(LOOPBACK, 60).post(f"http://127.0.0.1:{port}/", {}, b"x") == status
        assert inner_got == []


def test_the_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(answering(OK)) as (port, got):
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        with pytest.raises(OutgoingError):
            CheckedHttp([], 1, resolve=Rebinding(["192.0.2.1"])).post("http://evil.example/", {}, b"x")
        assert got == []


def drip(connection: socket.socket, _request: bytes) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000:
        connection.sendall(bytes([byte]))
        if done.wait(0.02):
            return


done = threading.Event()


@pytest.mark.parametrize("handle", [drip, lambda _connection, _request: done.wait(60)], ids=["drips", "says nothing"])
def test_a_slow_receiver_is_left_when_the_time_is_over(handle: Handler) -> None:
    """A clock for each read would begin anew with each byte."""
    done.clear()
    with receiver(handle) as (port, _):
        with pytest.raises(OutgoingError, match=r"within 0\.3 s"):
            CheckedHttp(LOOPBACK, 0.3).post(f"http://127.0.0.1:{port}/", {}, b"x")
        done.set()


def test_a_name_server_that_never_answers_is_left_too() -> None:
    never = threading.Event()

    def resolve(_name: str, _port: int) -> Sequence[str]:
        never.wait(60)
        return []

    with pytest.raises(OutgoingError, match=r"within 0\.2 s"):
        CheckedHttp([], 0.2, resolve=resolve).post("http://slow.example/", {}, b"x")
    never.set()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X: " + b"a" * 200_000,
        b"SSH-2.0-OpenSSH\r\n",
        b"",
        b"HTTP/1.1 99999 X\r\n\r\n",
        b"\x00" * 1000,
    ],
    ids=["endless head", "no HTTP", "nothing", "no status", "zeros"],
)
def test_what_is_no_answer_is_said_in_words_of_ours(answer: bytes) -> None:
    with receiver(answering(answer)) as (port, _), pytest.raises(OutgoingError) as refusal:
        CheckedHttp(LOOPBACK, 60).post(f"http://127.0.0.1:{port}/", {}, b"x")
    assert "SSH" not in str(refusal.value), "what another service says is not told to a stranger"


def test_a_giant_body_is_not_read() -> None:
    giant = b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n" + b"x" * 60_000
    with receiver(answering(giant)) as (port, _):
        assert CheckedHttp(LOOPBACK, 60).post(f"http://127.0.0.1:{port}/", {}, b"x") == 200


@pytest.mark.parametrize("port", [22, 25, 53, 445, 1023])
def test_ports_of_other_services_are_refused(port: int) -> None:
    with pytest.raises(OutgoingError, match=f"Port {port}"):
        CheckedHttp(LOOPBACK, 60).post(f"http://127.0.0.1:{port}/", {}, b"x")


@pytest.mark.parametrize(
    "url", ["ftp://x.example/", "file:///etc/passwd", "//x.example/", "http://", "http://[::1", "x", "http:///p"]
)
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(OutgoingError):
        CheckedHttp(LOOPBACK, 2).post(url, {}, b"x")


def test_a_certificate_of_nobody_known_is_refused(tls_identity: ssl.SSLContext) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            tls_identity.wrap_socket(connection, server_side=True).close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    with pytest.raises(OutgoingError, match="certificate is not good"):
        CheckedHttp(LOOPBACK, 60).post(f"https://127.0.0.1:{listener.getsockname()[1]}/", {}, b"x")
    thread.join(10)
    listener.close()


def test_tls_is_checked_against_the_name_and_not_the_address(
    tls_identity: ssl.SSLContext, tls_trust: ssl.SSLContext
) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def serve() -> None:
        for _ in range(2):
            connection, _ = listener.accept()
            try:
                with tls_identity.wrap_socket(connection, server_side=True) as secured:
                    read_request(secured)
                    secured.sendall(OK)
            except OSError:
                connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    http = CheckedHttp(LOOPBACK, 60, resolve=Rebinding(["127.0.0.1"]), context=tls_trust)
    assert http.post(f"https://hooks.example:{port}/", {}, b"x") == 204
    with pytest.raises(OutgoingError, match="certificate is not good"):
        http.post(f"https://other.example:{port}/", {}, b"x")
    thread.join(10)
    listener.close()


def test_a_setting_that_is_no_network_is_refused_at_the_start() -> None:
    with pytest.raises(InvalidRequestError, match="ALLOWED_NETWORKS"):
        CheckedHttp(["intranet"], 5)


def test_the_machines_own_resolver_is_asked() -> None:
    assert "127.0.0.1" in resolve_by_system("127.0.0.1", 80)


def test_a_document_is_read_to_its_limit_and_only_from_a_success() -> None:
    with receiver(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) as (port, got):
        url = f"http://127.0.0.1:{port}/doc"
        assert CheckedHttp(ANY_NETWORK, 60).get(url) == b"{}"
        assert got[0].startswith(b"GET /doc ")
        with pytest.raises(OutgoingError, match="not public"):
            CheckedHttp([], 60).get(url)
    for answer in (b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000):
        with receiver(answering(answer)) as (port, _), pytest.raises(OutgoingError):
            CheckedHttp(ANY_NETWORK, 5, most_bytes=4000).get(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "10.0.0.1", "169.254.169.254", "2130706433", "0x7f.1", "017700000001", "[::1]", "[::ffff:10.0.0.1]",
     "[fd00::1]", "localhost", "LOCALHOST.", "hub.localhost", "0"],
)  # fmt: skip
def test_an_address_of_ones_own_is_known_before_anything_is_sent(host: str) -> None:
    def resolve(_name: str, _port: int) -> list[str]:
        raise AssertionError("nothing is looked up")

    http = CheckedHttp([], 1.0, resolve=resolve)
    assert "public internet" in http.why_not(f"https://{host}:8443/hook")
    assert CheckedHttp(["0.0.0.0/0", "::/0"], 1.0).why_not(f"https://{host}/") == ""


@pytest.mark.parametrize("host", ["hub.example", "8.8.8.8", "[2606:4700::1]", "xn--hb-fka.example", "x" * 70])
def test_a_name_or_a_public_address_may_be_tried(host: str) -> None:
    assert CheckedHttp([], 1.0).why_not(f"https://{host}/") == ""


def floods(connection: socket.socket, _request: bytes) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 100)


def promises_much(connection: socket.socket, _request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65536)


@pytest.mark.parametrize("handle", [floods, promises_much])
@pytest.mark.parametrize("is_read", [True, False])
def test_an_answer_that_begins_for_ever_or_has_no_end_is_left(handle: Handler, is_read: bool) -> None:
    hub = CheckedHttp(LOOPBACK, 20, most_bytes=200_000)
    with receiver(handle) as (port, _):
        url = f"http://127.0.0.1:{port}/"
        if handle is promises_much and not is_read:
            assert hub.post(url, {}, b"{}") == 200, "the body of an answer to a message is not read"
            return
        with pytest.raises(OutgoingError, match="broke off"):
            hub.get(url) if is_read else hub.post(url, {}, b"{}")
