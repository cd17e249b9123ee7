"""Certificates: read once, only for TLS, and never left unread where TLS is spoken."""

import ssl

import pytest

from hub_client.errors import HubUnreachableError
from hub_client.transport.pools import trusted_certificates
from tests.hub_client.transport.test_hostile_answers import BOTH
from tests.making.certificate import write_certificate
from tests.making.hostile_hub import answer, raw_hub

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
