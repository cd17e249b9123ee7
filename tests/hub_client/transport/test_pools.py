"""Certificates: read once, only for TLS, and never left unread where TLS is spoken."""

import ssl
from concurrent.futures import ThreadPoolExecutor

import pytest

from hub_client.errors import HubUnreachableError
from hub_client.execution.hub_sessions import open_episode
from hub_client.transport.pools import certificates_of_socket, trusted_certificates
from schemas.manifest import RewardDeclaration
from tests.hub_client.transport.test_hostile_answers import BOTH, whoami
from tests.making.certificate import write_certificate
from tests.making.hostile_hub import answer, raw_hub, session_hub

ME = answer(b'{"name": "ada", "created_at": "2026-01-01T00:00:00Z"}', headers={"Content-Type": "application/json"})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return write_certificate(tmp_path_factory.mktemp("tls") / "both.pem", "127.0.0.1")


@pytest.fixture
def identity(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture(autouse=True)
def unread_certificates():
    trusted_certificates.cache_clear()
    yield
    trusted_certificates.cache_clear()


@BOTH
def test_plain_http_reads_no_certificates(ask):
    with raw_hub(ME) as hub:
        ask(hub.url)
    assert trusted_certificates.cache_info().misses == 0


@BOTH
def test_a_server_that_is_trusted_is_heard_and_certificates_are_read_once(ask, identity, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with raw_hub(ME, identity) as hub:
        assert ask(hub.url) == ask(hub.url)
    assert len(hub.requests) == 2
    assert trusted_certificates.cache_info().misses == 1


@BOTH
def test_a_server_that_nobody_vouches_for_is_told_nothing(ask, identity):
    with raw_hub(ME, identity) as hub, pytest.raises(HubUnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
        ask(hub.url)
    assert hub.requests == []


@BOTH
def test_a_redirect_to_a_server_that_nobody_vouches_for_ends_there(ask, identity):
    with (
        raw_hub(ME, identity) as other,
        raw_hub(answer(b"", status="307 Elsewhere", headers={"Location": f"{other.url}/api/v1/account"})) as hub,
        pytest.raises(HubUnreachableError, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        ask(hub.url)
    assert other.requests == []


@BOTH
@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_certificates_that_cannot_be_read_are_named_and_nobody_is_asked(
    ask, identity, monkeypatch, tmp_path, content
) -> None:
    """It said "No such file or directory: start one with `verihub serve`" of a file that it did not name."""
    named = tmp_path / "authority.pem"
    if content is not None:
        named.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(named))
    with raw_hub(ME, identity) as hub, pytest.raises(HubUnreachableError, match=r"SSL_CERT_FILE names .*authority.pem"):
        ask(hub.url)
    assert hub.requests == []


@BOTH
def test_a_folder_of_certificates_that_is_none_is_named(ask, identity, monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "gone"))
    with raw_hub(ME, identity) as hub, pytest.raises(HubUnreachableError, match=r"SSL_CERT_DIR names .*gone"):
        ask(hub.url)


@BOTH
def test_a_certificate_set_after_a_failure_is_read(ask, identity, certificate, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with raw_hub(ME, identity) as hub:
        with pytest.raises(HubUnreachableError):
            ask(hub.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        ask(hub.url)


@BOTH
def test_who_owns_the_hub_reads_how_its_certificate_is_trusted(ask, identity) -> None:
    with raw_hub(ME, identity) as hub, pytest.raises(HubUnreachableError, match="SSL_CERT_FILE"):
        ask(hub.url)


@BOTH
def test_nobody_is_led_from_tls_to_plain_http(ask, identity, certificate, monkeypatch) -> None:
    """Whoever is on the way of the second connection could name any release, and it would have been believed."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with (
        raw_hub(ME) as plain,
        raw_hub(
            answer(b"", status="307 Elsewhere", headers={"Location": f"{plain.url}/api/v1/account"}), identity
        ) as hub,
        pytest.raises(HubUnreachableError, match="without TLS"),
    ):
        ask(hub.url)
    assert plain.requests == []


def test_threads_that_connect_at_once_are_all_checked(identity, certificate, monkeypatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with raw_hub(ME, identity) as trusted, ThreadPoolExecutor(8) as threads:
        assert [one.name for one in threads.map(whoami, [trusted.url] * 8)] == ["ada"] * 8
        other = write_certificate(certificate.parent / "other.pem", "127.0.0.1")
        stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        stranger.load_cert_chain(other)
        with raw_hub(ME, stranger) as hub:
            for asked in [threads.submit(whoami, hub.url) for _ in range(8)]:
                assert isinstance(asked.exception(), HubUnreachableError)
            assert hub.requests == []


def episode(address):
    return open_episode(address, {}, {"id": "t"}, 0, 60.0, {"solved": RewardDeclaration()})


def test_episodes_believe_the_certificates_that_all_other_answers_are_checked_with(
    identity, certificate, monkeypatch, tmp_path
) -> None:
    """They went by another store: the same hub was believed for one and not for the other, and no file was named."""
    with session_hub(lambda connection: [None for _ in connection], identity) as address:
        with pytest.raises(HubUnreachableError, match="CERTIFICATE_VERIFY_FAILED"), episode(address):
            pass
        trusted_certificates.cache_clear()
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
        with pytest.raises(HubUnreachableError, match=r"SSL_CERT_FILE names .*none.pem"), episode(address):
            pass
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert trusted_certificates() is certificates_of_socket(address)
        with episode(address):
            pass
