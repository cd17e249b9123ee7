"""Every way to write an address of somebody's own network is refused, and what is public is not."""

from ipaddress import ip_address, ip_network

import pytest

from hub_server.adapters.public_addresses import is_in, is_public

OWN = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.9", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.0.0.1", "192.0.2.5", "192.168.1.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.1", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",  # IPv4-mapped
    "::127.0.0.1",  # IPv4-compatible
    "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::a00:1",  # NAT64
    "2002:7f00:1::", "2002:808:808::",  # 6to4
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",  # Teredo
    "2001:db8::1", "2001:10::1", "3fff::1", "100::1", "5f00::1", "4000::1",
]  # fmt: skip
PUBLIC = ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "223.255.255.254",
          "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "::ffff:8.8.8.8"]  # fmt: skip


@pytest.mark.parametrize("text", OWN)
def test_addresses_of_ones_own_are_not_public(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_others_are(text: str) -> None:
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", [text for text in OWN if not text.startswith(("::ffff", "64:", "2002:", "2001:0:"))])
def test_what_python_calls_global_is_never_less_strict(text: str) -> None:
    """A second opinion: nothing that the standard library calls private is public here."""
    address = ip_address(text)
    assert not (address.is_private and is_public(address))


def test_a_network_of_the_operators_is_found_in_a_mapped_address_too() -> None:
    own = (ip_network("10.1.0.0/16"),)
    assert is_in(ip_address("10.1.2.3"), own)
    assert is_in(ip_address("::ffff:10.1.2.3"), own)
    assert not is_in(ip_address("10.2.0.1"), own)
    assert not is_in(ip_address("fe80::1"), own)
