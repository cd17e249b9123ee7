"""Ports of tests: nobody else is given them, and no connection of somebody else ends there."""

from pathlib import Path

from tests.making.free_ports import _is_ours, free_port
from tests.sandbox.guest.forked import in_interpreter


def test_a_port_is_outside_of_what_the_kernel_gives_to_others_and_each_is_another() -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = [free_port() for _ in range(50)]
    assert len(set(ports)) == 50
    assert max(ports) < first


def test_tests_of_another_process_are_not_given_it_though_nobody_listens_yet() -> None:
    port = free_port()
    assert not in_interpreter(_is_ours, port)
    assert not _is_ours(port)
