"""Hosts: names, addresses of both families, and how they stand in a URL."""

import socket

import pytest

from schemas.hosts import family_of, in_url, is_ipv6, listen


@pytest.mark.parametrize("host", ["::", "::1", "fd00::1", "fe80::1%eth0", "::ffff:127.0.0.1"])
def test_an_ipv6_address_has_brackets_in_a_url(host: str) -> None:
    assert is_ipv6(host)
    assert in_url(host) == f"[{host}]"
    assert family_of(host) is socket.AF_INET6


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "0.0.0.0", "hub.example", "", "hub.example:80", "[::1]"])
def test_what_is_none_stays_as_it_is(host: str) -> None:
    assert not is_ipv6(host)
    assert in_url(host) == host
    assert family_of(host) is socket.AF_INET


def test_who_listens_is_reached_and_a_port_in_use_is_refused() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            pass
        with pytest.raises(OSError):
            listen("127.0.0.1", port)
    with listen("127.0.0.1", port):
        pass
