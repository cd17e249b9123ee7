"""Whose budget a request uses: an account only where its credential was checked, else the address."""

import asyncio
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError
from starlette.requests import HTTPConnection

from hub_server.kernel.caller import Credentials
from hub_server.web.senders import Sender, Senders, anonymous_sender, credentials_of, sender_of
from tests.making.hub import Api


def scope_of(host: str | None, headers: list[tuple[bytes, bytes]] | None = None, **more: object) -> dict[str, object]:
    client = (host, 1234) if host is not None else None
    return {"type": "http", "client": client, "headers": headers or [], "path": "/", "scheme": "http", **more}


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1))
@settings(max_examples=50)
def test_one_household_counts_as_one_whatever_address_it_takes(address: IPv6Address, within: int) -> None:
    neighbour = IPv6Address(int(address) >> 64 << 64 | within)
    if not any(one.ipv4_mapped or one in ip_network("64:ff9b::/96") for one in (address, neighbour)):
        assert anonymous_sender(scope_of(str(address))) == anonymous_sender(scope_of(str(neighbour)))


@given(st.ip_addresses(v=4))
@settings(max_examples=30)
def test_an_ipv4_address_is_the_same_however_it_is_written(address: IPv4Address) -> None:
    plain, mapped = anonymous_sender(scope_of(str(address))), anonymous_sender(scope_of(f"::ffff:{address}"))
    translated = anonymous_sender(scope_of(f"64:ff9b::{address}"))
    assert plain == mapped == translated, "in front of a hub that has IPv6 alone"
    assert not plain.is_account


@given(st.text(max_size=60))
@settings(max_examples=50)
def test_no_host_is_an_error_or_an_account(host: str) -> None:
    assert not anonymous_sender(scope_of(host)).is_account


def test_other_networks_are_other_senders() -> None:
    keys = [anonymous_sender(scope_of(host)).key for host in ("2001:db8::1", "2001:db8:0:1::1", "10.0.0.1", "10.0.0.2")]
    assert len(set(keys)) == 4
    assert anonymous_sender(scope_of("fe80::1%eth0")) == anonymous_sender(scope_of("fe80::2%eth1"))
    assert anonymous_sender(scope_of(None)).key == "address:unknown"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_only_a_bearer_token_is_a_credential(app: FastAPI) -> None:
    def token(header: bytes) -> str | None:
        found = credentials_of(scope_of("10.0.0.1", [(b"authorization", header)], app=app))
        return found.token if found is not None else None

    headers = (b"Bearer abc", b"bearer  abc ", b"Basic abc", b"Bearer", b"Bearer  ")
    assert [token(header) for header in headers] == ["abc", "abc", None, None, None]


def test_a_sender_is_an_account_only_when_the_limiter_said_so() -> None:
    claimed = HTTPConnection(scope_of("10.0.0.1", state={"sender": "account:admin"}))
    assert sender_of(claimed).key == "address:10.0.0.1"


class Watch:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_good_credential_is_remembered_for_a_minute_and_a_bad_one_never(app: FastAPI, alice: Api) -> None:
    watch = Watch()
    senders = Senders(watch)
    connection = HTTPConnection(scope_of("10.0.0.1", app=app))
    good, bad = Credentials(token=alice.token), Credentials(token="verihub_pat_" + "x" * 40)
    assert senders.recall(good) is None
    found = asyncio.run(senders.look_up(connection, good))
    assert found is not None
    assert found.is_account
    assert senders.recall(good) == found
    watch.now = 61
    assert senders.recall(good) is None
    assert asyncio.run(senders.look_up(connection, bad)) is None
    assert senders.recall(bad) is None
    assert senders.recall(Credentials(session_secret=alice.token)) is None  # a cookie is no token


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_whose_credential_it_is_stays_open_while_the_database_does_not_answer(
    app: FastAPI, alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    senders = Senders()
    connection = HTTPConnection(scope_of("10.0.0.1", app=app))
    good = Credentials(token=alice.token)

    def away(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("the database system is starting up"))

    with monkeypatch.context() as while_away:
        while_away.setattr("hub_server.web.senders.find_caller", away)
        found = asyncio.run(senders.look_up(connection, good))
    assert found == Sender("address:10.0.0.1", is_account=False, is_checked=False)
    assert senders.recall(good) is None
    again = asyncio.run(senders.look_up(connection, good))
    assert again is not None
    assert again.is_account


@pytest.mark.parametrize(
    ("key", "network"),
    [
        ("address:203.0.113.9", "203.0.113.0/24"),
        ("address:2001:db8:1:2::", "2001:db8:1::/48"),
        ("address:unknown", "address:unknown"),
        ("account:1", "account:1"),
    ],
)
def test_a_network_is_what_one_customer_may_get_whole(key: str, network: str) -> None:
    assert Sender(key, is_account=key.startswith("account")).network == network
