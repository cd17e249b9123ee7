"""A proxy that hangs at any step costs a command its time limit, and is named; threads and redirects get a tunnel each."""

import ssl
import threading
import time

import pytest

from hub_client.errors import HubUnreachableError
from hub_client.execution.hub_sessions import open_episode
from hub_client.transport.connection import HubConnection
from hub_client.transport.pools import trusted_certificates
from hub_client.transport.requests import accounts
from schemas.manifest import RewardDeclaration
from tests.hub_client.transport.test_proxies import ME, place
from tests.making.certificate import write_certificate
from tests.making.connect_proxy import ConnectProxy
from tests.making.hostile_hub import answer, raw_hub


def say_nothing(_request, caller):
    caller.recv(1)


def open_a_tunnel_to_nowhere(_request, caller):
    caller.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
    while caller.recv(65536):
        pass


def answer_a_letter_at_a_time(_request, caller):
    for letter in b"HTTP/1.1 200 Connection established\r\nX: " + b"x" * 60_000:
        caller.sendall(bytes([letter]))
        time.sleep(0.05)


HANGING = pytest.mark.parametrize("script", [say_nothing, open_a_tunnel_to_nowhere, answer_a_letter_at_a_time])


@pytest.fixture(scope="module")
def identities(tmp_path_factory):
    """By name of two hubs: what it identifies itself with; and a file of both certificates."""
    folder, found, texts = tmp_path_factory.mktemp("tls"), {}, b""
    for name in ("hub.test", "other.test"):
        path = write_certificate(folder / name, name)
        found[name] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        found[name].load_cert_chain(path)
        texts += path.read_bytes()
    (folder / "all.pem").write_bytes(texts)
    return found, folder / "all.pem"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, identities):
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(identities[1]))
    trusted_certificates.cache_clear()
    yield
    trusted_certificates.cache_clear()


@HANGING
def test_a_proxy_that_hangs_costs_the_time_limit_and_is_named(script, monkeypatch) -> None:
    with raw_hub(script) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//ada:s3cret@"))
        connection = HubConnection("https://hub.test", None, timeout_seconds=0.5)
        with pytest.raises(HubUnreachableError, match="did not answer in time through the proxy 127") as error:
            connection.send(accounts.whoami())
        connection.close()
    assert "s3cret" not in str(error.value)
    assert len(proxy.requests) <= 1, "it is not asked again; on a machine that stands still, the time is over before"


@HANGING
def test_an_episode_does_not_wait_longer_for_a_proxy_than_for_a_hub(script, monkeypatch) -> None:
    with raw_hub(script) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//ada:s3cret@"))
        given = ({}, {"id": "t"}, 0, 0.5, {"solved": RewardDeclaration()})
        with (
            pytest.raises(HubUnreachableError, match="through the proxy 127") as error,
            open_episode("wss://hub.test/", *given),
        ):
            pass
    assert "s3cret" not in str(error.value)


class ByName(ConnectProxy):
    """Opens a tunnel to the server of the name that is asked for."""

    def __init__(self, targets) -> None:
        self._targets = targets
        super().__init__(("127.0.0.1", 1))

    def _tunnel(self, request, caller):
        self._target = self._targets[request.split()[1].partition(b":")[0].decode()]  # names are asked in turn
        super()._tunnel(request, caller)


def test_threads_get_a_tunnel_each_and_their_own_answers(identities, monkeypatch) -> None:
    with raw_hub(ME, identities[0]["hub.test"]) as hub:
        proxy = ByName({"hub.test": place(hub.url)})
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        connection, got = HubConnection("https://hub.test", None), []
        asking = [
            threading.Thread(target=lambda: got.append(connection.send(accounts.whoami()).name)) for _ in range(16)
        ]
        for one in asking:
            one.start()
        for one in asking:
            one.join(60)
        connection.close()
        proxy.close()
    assert got == ["ada"] * 16


def test_a_redirect_to_another_host_goes_through_the_proxy_without_the_token(identities, monkeypatch) -> None:
    away = answer(b"", status="307 Elsewhere", headers={"Location": "https://other.test/api/v1/account"})
    with raw_hub(away, identities[0]["hub.test"]) as hub, raw_hub(ME, identities[0]["other.test"]) as other:
        proxy = ByName({"hub.test": place(hub.url), "other.test": place(other.url)})
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        connection = HubConnection("https://hub.test", "vh_secret")
        assert connection.send(accounts.whoami()).name == "ada"
        connection.close()
        proxy.close()
    assert [request.split()[1] for request in proxy.requests] == [b"hub.test:443", b"other.test:443"]
    assert b"vh_secret" in hub.requests[0]
    assert b"vh_secret" not in other.requests[0]
