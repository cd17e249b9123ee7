"""Which network addresses are public: all that IANA's table does not list as special.

An IPv4-mapped address is judged by the IPv4 address in it. Other addresses that contain an address (NAT64, 6to4,
Teredo) are refused: a gateway could lead them into the operator's own network.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network

_SPECIAL: tuple[IpNetwork, ...] = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  # private
        "100.64.0.0/10",  # shared by carriers (CGNAT)
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, with the clouds' metadata services
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  # documentation
        "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24",  # AS112, AMT
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",  # benchmarks
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)  # fmt: skip
_GLOBAL_IPV6 = ip_network("2000::/3")
_SPECIAL_IPV6: tuple[IpNetwork, ...] = tuple(
    ip_network(text)
    for text in (
        "2001::/23",  # protocol assignments, with Teredo, ORCHID and benchmarks
        "2001:db8::/32", "3fff::/20",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
    )
)  # fmt: skip
"""Within what is given out to the public. All other IPv6 (loopback, ULA, link-local, NAT64, multicast) is outside."""


def is_public(address: IpAddress) -> bool:
    """Whether ``address`` belongs to no one's own network."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        return address in _GLOBAL_IPV6 and not is_in(address, _SPECIAL_IPV6)
    return not is_in(address, _SPECIAL)


def is_in(address: IpAddress, networks: Sequence[IpNetwork]) -> bool:
    """Whether one of ``networks`` has the address, itself or carried in an IPv4-mapped one."""
    carried = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    forms = [address] if carried is None else [address, carried]
    return any(form in network for form in forms for network in networks)
