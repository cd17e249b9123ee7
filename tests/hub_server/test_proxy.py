"""A hub behind nginx with TLS, with the very configuration that docs/how_to/run_a_hub.md prints."""

import json
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from websockets.sync.client import connect

from tests.making.certificate import write_certificate
from tests.making.free_ports import free_port
from tests.making.hub import make_package
from tests.making.hub_processes import HubProcess
from tests.making.nginx import Nginx, composed_server, fitted, printed_server
from tests.making.wheel import MANIFEST

pytestmark = pytest.mark.slow
PLAYABLE = MANIFEST.replace('tags = ["math"]', 'session = "alice_small_sums:Session"\ntags = ["math"]')
RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"
LOGINS = 10
PASSWORD = "a password of hers"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(tmp_path_factory.mktemp("tls") / "hub.pem", "localhost")


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, certificate: Path) -> Iterator[Nginx]:
    folder, own, public = tmp_path_factory.mktemp("proxied"), free_port(), free_port()
    url = f"https://localhost:{public}"
    environment = {
        "VERIHUB_SERVER_TRUSTED_PROXIES": '["127.0.0.1"]',
        "VERIHUB_SERVER_HOSTS": '["localhost"]',
        "VERIHUB_SERVER_SANDBOX__BACKEND": "local",
        "VERIHUB_SERVER_SANDBOX__TRUSTED": "true",
        "VERIHUB_SERVER_LIMITS__LOGINS_BURST": str(LOGINS),
        "VERIHUB_SERVER_LIMITS__LOGINS_PER_SECOND": "0.000001",
        "VERIHUB_SERVER_STOP_SECONDS": "2",
    }
    hub = HubProcess("serve", environment, folder / "hub", port=own, no_worker=True, public_url=url)
    changes = {
        "listen 443 ssl;": f"listen 127.0.0.1:{public} ssl;",
        "server_name hub.example.org;": "server_name localhost;",
        "/etc/ssl/hub.pem": str(certificate),
        "/etc/ssl/hub.key": str(certificate),
        "http://127.0.0.1:8642": hub.url,
        "$host;": "$host:$server_port;",  # the test's port is not the usual one of HTTPS
    }
    try:
        hub.start()
        with Nginx(folder / "nginx", fitted(printed_server(), changes), url, trusted=[certificate]) as running:
            yield running
    finally:
        hub.kill()


@pytest.fixture(scope="module")
def token(proxy: Nginx) -> str:
    account = {"name": "alice", "email": "alice@example.org", "password": PASSWORD}
    with proxy.client() as client:
        secret = str(client.post("/api/v1/accounts", json=account).json()["token"])
        wheel = make_package(manifest=PLAYABLE)
        answer = client.post("/api/v1/packages", content=wheel, headers={"Authorization": f"Bearer {secret}"})
        assert answer.status_code == 201, answer.text
        assert answer.json()["url"].startswith(proxy.url)
    return secret


def test_pages_forms_and_cookies_work_and_cookies_are_secure(proxy: Nginx, token: str) -> None:
    with proxy.client(follow_redirects=True) as client:
        assert client.get("/packages/alice/small-sums").status_code == 200
        form = {"name": "alice", "password": PASSWORD}
        answer = client.post("/login", data=form, headers={"Origin": proxy.url})
        cookies = [one for each in (*answer.history, answer) for one in each.headers.get_list("set-cookie")]
        assert cookies
        assert all("secure" in one.lower() for one in cookies)
        assert "alice" in client.get("/account").text
        assert client.post("/login", data=form, headers={"Origin": "https://elsewhere.example"}).status_code == 403


def test_verdicts_come_while_responses_are_still_being_sent(proxy: Nginx, token: str, certificate: Path) -> None:
    port = int(proxy.url.rpartition(":")[2])
    trusting = ssl.create_default_context(cafile=str(certificate))
    with (
        socket.create_connection(("localhost", port), timeout=60) as plain,
        trusting.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        head = f"POST {RELEASE}/score HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {token}\r\n"
        line.sendall(f"{head}Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        heard = b""
        for number in range(2):
            row = json.dumps({"id": f"row {number}", "task_id": "t1", "response": "2"}).encode() + b"\n"
            line.sendall(b"%x\r\n%s\r\n" % (len(row), row))
            while f'"row {number}"'.encode() not in heard:  # before the next one is sent
                part = line.recv(65536)
                assert part, heard
                heard += part
        line.sendall(b"0\r\n\r\n")
        while b'"summary"' not in heard:
            part = line.recv(65536)
            assert part, heard
            heard += part
    assert heard.count(b'"correct":1.0') == 2


def test_an_episode_is_played(proxy: Nginx, token: str, certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    address = f"{proxy.url.replace('https', 'wss')}{RELEASE}/session"
    with connect(address, ssl=trusting, additional_headers={"Authorization": f"Bearer {token}"}) as episode:
        for ask in ({"op": "reset", "task_id": "t1"}, {"op": "step", "message": {"role": "assistant", "content": "2"}}):
            episode.send(json.dumps({"id": ask["op"], **ask}))
            answer = json.loads(episode.recv(timeout=60))
            assert (answer["id"], "result" in answer) == (ask["op"], True), answer


def test_what_a_client_says_of_itself_does_not_make_it_somebody_else(proxy: Nginx, token: str) -> None:
    answers = Counter(_wrong_password(proxy, f"203.0.113.{number}") for number in range(2 * LOGINS))
    assert set(answers) == {401, 429}, answers
    assert answers[401] <= LOGINS
    with proxy.client() as client:
        assert client.get("/metrics").status_code in (401, 403)


def _wrong_password(proxy: Nginx, says: str) -> int:
    """On a connection of its own: where the hub answers before it has read the body, nginx ends the connection."""
    with proxy.client() as client:
        body = {"name": "alice", "password": "not this one, surely"}
        told = {"X-Forwarded-For": says, "X-Forwarded-Proto": "http"}
        return client.post("/api/v1/login", json=body, headers=told).status_code


@contextmanager
def failing_web(asked: list[str]) -> Iterator[int]:
    """The port of a web process that notes what it is asked, and dies before it answers, its health apart."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/healthz":
                self.send_response(200)
                self.end_headers()
            else:
                self.do_POST()

        def do_POST(self) -> None:
            asked.append(self.command)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Nothing: it would be in the tests' output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_what_a_process_that_died_may_have_done_is_not_asked_of_another(tmp_path: Path) -> None:
    """A publish, a comment or a run would be made twice. What only reads is asked of the next process."""
    port, asked = free_port(), []
    with ExitStack() as stack:
        ports = [stack.enter_context(failing_web(asked)) for _ in range(2)]
        servers = "".join(f"server 127.0.0.1:{one} max_fails=0; " for one in ports)
        changes = {
            "resolver 127.0.0.11 valid=5s;": f"upstream web {{ {servers}}}",
            "listen 80;": f"listen 127.0.0.1:{port};",
            "http://web:8642;": "http://web;",
        }
        proxy = stack.enter_context(
            Nginx(tmp_path / "nginx", fitted(composed_server(), changes), f"http://127.0.0.1:{port}")
        )
        client = stack.enter_context(proxy.client())
        assert client.get("/packages").status_code == 502
        assert asked == ["GET", "GET"]
        asked.clear()
        assert client.post("/api/v1/runs", json={"name": "once"}).status_code == 502
        assert client.post("/api/v1/logout").status_code == 502
        assert asked == ["POST", "POST"]
