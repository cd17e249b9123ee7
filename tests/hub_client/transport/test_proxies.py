"""A hub behind a company's proxy is reached by a tunnel: checked like any other, and nothing said in it is the proxy's."""

import ssl
from urllib.parse import urlsplit

import pytest

from hub_client.errors import HubUnreachableError
from hub_client.execution.hub_sessions import open_episode
from hub_client.transport.connection import HubConnection
from hub_client.transport.pools import trusted_certificates
from hub_client.transport.proxies import ProxySettingError, proxy_of, proxy_text, socket_proxy
from hub_client.transport.requests import accounts
from schemas.manifest import RewardDeclaration
from tests.hub_client.transport.test_hostile_answers import BOTH, whoami
from tests.making.certificate import write_certificate
from tests.making.connect_proxy import connect_proxy
from tests.making.hostile_hub import answer, raw_hub, session_hub

ME = answer(b'{"name": "ada", "created_at": "2026-01-01T00:00:00Z"}', headers={"Content-Type": "application/json"})
NAMES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Of a name that no machine but the proxy finds."""
    return write_certificate(tmp_path_factory.mktemp("tls") / "both.pem", "hub.test")


@pytest.fixture
def identity(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, certificate):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    trusted_certificates.cache_clear()
    yield
    trusted_certificates.cache_clear()


def episode(host):
    return open_episode(f"wss://{host}/", {}, {"id": "t"}, 0, 60.0, {"solved": RewardDeclaration()})


def place(url):
    parts = urlsplit(url)
    return parts.hostname, parts.port


@BOTH
def test_a_hub_is_asked_through_the_proxy_which_reads_nothing(ask, identity, monkeypatch) -> None:
    with raw_hub(ME, identity) as hub, connect_proxy(place(hub.url)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//ada:pass%20word@"))
        assert ask(hub.url.replace("127.0.0.1", "hub.test")).name == "ada"
        port = place(hub.url)[1]
    assert proxy.requests[0].startswith(f"CONNECT hub.test:{port} HTTP/1.1\r\n".encode())
    assert b"Proxy-Authorization: Basic YWRhOnBhc3Mgd29yZA==" in proxy.requests[0]
    assert b"Proxy-Authorization" not in hub.requests[0]
    assert proxy.bytes_seen
    assert b"GET" not in proxy.bytes_seen


def test_the_token_goes_to_the_hub_alone(identity, monkeypatch) -> None:
    with raw_hub(ME, identity) as hub, connect_proxy(place(hub.url)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        connection = HubConnection(hub.url.replace("127.0.0.1", "hub.test"), "vh_secret")
        connection.send(accounts.whoami())
        connection.close()
    assert b"vh_secret" in hub.requests[0]
    assert b"vh_secret" not in proxy.requests[0] + proxy.bytes_seen


@BOTH
def test_a_proxy_that_answers_in_the_hubs_place_is_not_believed(ask, identity, monkeypatch, tmp_path) -> None:
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    other.load_cert_chain(write_certificate(tmp_path / "other.pem", "hub.test"))
    with raw_hub(ME, other) as liar, connect_proxy(place(liar.url)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with pytest.raises(HubUnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
            ask("https://hub.test")
    assert liar.requests == []


@BOTH
def test_a_redirect_through_a_proxy_does_not_leave_tls(ask, identity, monkeypatch) -> None:
    away = answer(b"", status="307 Elsewhere", headers={"Location": "http://hub.test/api/v1/account"})
    with raw_hub(away, identity) as hub, connect_proxy(place(hub.url)) as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        with pytest.raises(HubUnreachableError, match="without TLS"):
            ask("https://hub.test")


@BOTH
def test_what_the_proxy_refuses_is_said_without_its_password(ask, monkeypatch) -> None:
    with connect_proxy(("127.0.0.1", 1), "407 Proxy Authentication Required") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//ada:s3cret@"))
        with pytest.raises(HubUnreachableError, match=r"through the proxy 127.0.0.1:\d+ .*407") as error:
            ask("https://hub.test")
    assert "s3cret" not in str(error.value)


@BOTH
def test_a_proxy_that_cannot_be_used_is_named_and_nobody_is_asked(ask, monkeypatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://ada:s3cret@127.0.0.1:1080")
    with pytest.raises(HubUnreachableError, match=r"http://HOST:PORT.*NO_PROXY") as error:
        ask("https://hub.test")
    assert "s3cret" not in str(error.value)


def test_an_episode_goes_through_the_proxy_too(identity, monkeypatch) -> None:
    with session_hub(lambda connection: [None for _ in connection], identity) as address:
        port = urlsplit(address).port
        with connect_proxy(("127.0.0.1", port)) as proxy:
            monkeypatch.setenv("HTTPS_PROXY", proxy.url)
            given = ({}, {"id": "t"}, 0, 60.0, {"solved": RewardDeclaration()})
            with open_episode(f"wss://hub.test:{port}/", *given):
                pass
            assert proxy.requests[0].startswith(f"CONNECT hub.test:{port}".encode())
        with connect_proxy(("127.0.0.1", 1), "403 No") as proxy:
            monkeypatch.setenv("HTTPS_PROXY", proxy.url)
            with pytest.raises(HubUnreachableError, match="403"), open_episode(f"wss://hub.test:{port}/", *given):
                pass


@pytest.mark.parametrize(
    ("scheme", "host", "port", "variables", "expected"),
    [
        ("https", "hub.test", None, {"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        ("https", "hub.test", 8443, {"https_proxy": "proxy:3128", "HTTPS_PROXY": "http://other"}, "http://proxy:3128"),
        ("https", "hub.test", None, {"ALL_PROXY": "https://proxy:3128"}, "https://proxy:3128"),
        ("https", "hub.test", None, {"ALL_PROXY": "http://a", "HTTPS_PROXY": "http://b"}, "http://b"),
        ("https", "hub.test", None, {"HTTP_PROXY": "http://a"}, None),
        (
            "http",
            "hub.test",
            None,
            {"HTTP_PROXY": "http://a", "HTTPS_PROXY": "http://a", "ALL_PROXY": "http://a"},
            None,
        ),
        ("https", "hub.test", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "other, hub.test"}, None),
        ("https", "eu.hub.test", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": ".hub.test"}, None),
        ("https", "hub.test", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "hub.test:443"}, None),
        ("https", "hub.test", 8443, {"HTTPS_PROXY": "http://a", "NO_PROXY": "hub.test:443"}, "http://a"),
        ("https", "hub.test", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "other, *"}, None),
        ("https", "eu.hub.test", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "*.hub.test"}, None),
        (
            "https",
            "myhub.test",
            None,
            {"HTTPS_PROXY": "http://a", "NO_PROXY": "hub.test .hub.test *.hub.test"},
            "http://a",
        ),
        ("https", "HUB.test.", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "hub.test"}, None),
        ("https", "10.1.2.3", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "localhost,10.0.0.0/8"}, None),
        ("https", "11.1.2.3", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "10.0.0.0/8,1.2.3,::/0"}, "http://a"),
        ("https", "hub.10.1.2.3", None, {"HTTPS_PROXY": "http://a", "NO_PROXY": "10.0.0.0/8"}, "http://a"),
        ("https", "fd00::1", 8443, {"HTTPS_PROXY": "http://a", "NO_PROXY": "fd00::/8"}, None),
        ("https", "fd00::1", 8443, {"HTTPS_PROXY": "http://a", "NO_PROXY": "[fd00::1]:8443"}, None),
        ("https", "hub.test", None, {"HTTPS_PROXY": "http://a", "no_proxy": "", "NO_PROXY": "hub.test"}, "http://a"),
        ("https", "127.0.0.1", 8642, {"HTTPS_PROXY": "http://a"}, None),
        ("https", "[::1]", 8642, {"HTTPS_PROXY": "http://a"}, None),
        ("https", "LocalHost", 8642, {"HTTPS_PROXY": "http://a"}, None),
        ("https", "hub.test", None, {"HTTPS_PROXY": ""}, None),
    ],
)
def test_which_proxy_the_environment_names(scheme, host, port, variables, expected, monkeypatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = proxy_of(scheme, host, port)
    assert (str(found.url) if found else None) == expected


CUT = [f"http://ada:12{sign}s3cret@proxy.invalid:3128" for sign in "#/?"]


@pytest.mark.parametrize(
    "url",
    ["ftp://proxy", "http://", "http://proxy:port", "socks5://proxy:1", "http://proxy:0", "http://proxy:99999", *CUT],
)
def test_no_other_kind_of_proxy_is_passed_over(url, monkeypatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", url)
    with pytest.raises(ProxySettingError):
        proxy_of("https", "hub.test", None)
    assert proxy_text("https://hub.test") == ""


def test_a_socket_gets_the_password_and_an_error_does_not(monkeypatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://ada:s3cret@proxy:3128")
    assert socket_proxy("wss://hub.test/x") == "http://ada:s3cret@proxy:3128"
    assert socket_proxy("ws://hub.test/x") is None
    assert proxy_text("https://hub.test") == " through the proxy proxy:3128"


@BOTH
@pytest.mark.parametrize("url", [*CUT, "http://ada:s3cret@proxy.invalid:3128/s3cret"])
def test_a_password_that_is_not_quoted_is_neither_shown_nor_taken_for_a_port(ask, url, monkeypatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", url)
    with pytest.raises(HubUnreachableError, match="in a password, write # /") as error:
        ask("https://hub.test")
    with pytest.raises(HubUnreachableError, match="in a password, write # /") as of_episode, episode("hub.test"):
        pass
    assert not any(part in str(error.value) + str(of_episode.value) for part in ("s3cret", "ada", ":12"))


@BOTH
def test_a_proxy_that_speaks_no_http_is_named(ask, monkeypatch) -> None:
    """It was the hub that was said to be away: start one with `verihub serve`."""
    with raw_hub(lambda _request, caller: caller.sendall(b"hello\r\n\r\n")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with pytest.raises(HubUnreachableError, match=r"through the proxy 127\.0\.0\.1:\d+ .*NO_PROXY"):
            ask("https://hub.test")


def test_a_name_without_a_password_reaches_the_proxy_of_an_episode(monkeypatch) -> None:
    """It was refused, and the name, which is often a token, was shown."""
    with connect_proxy(("127.0.0.1", 1), "403 No") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//t0ken@"))
        refused = pytest.raises(HubUnreachableError, match=r"through the proxy 127\.0\.0\.1:\d+ .*403")
        with refused as error, episode("hub.test"):
            pass
    assert "t0ken" not in str(error.value)
    assert b"Proxy-Authorization: Basic dDBrZW46\r\n" in proxy.requests[0]


def test_what_no_tunnel_is_laid_for_is_said(monkeypatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "https://proxy.invalid:3128")
    with (
        pytest.raises(HubUnreachableError, match="episodes on the hub go through a proxy http://"),
        episode("hub.test"),
    ):
        pass
    with pytest.raises(HubUnreachableError, match="IPv6 address fd00::1: use the server's name"):
        whoami("https://[fd00::1]")


def test_a_blocking_client_without_a_proxy_is_as_before(identity) -> None:
    with raw_hub(ME) as hub:
        assert whoami(hub.url).name == "ada"
