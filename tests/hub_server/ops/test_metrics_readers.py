"""The hub's numbers are the operator's: by a token, or on the hub's own machine."""

import pytest
from starlette.requests import HTTPConnection

from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.ops.metrics_readers import check_metrics_reader


def asked(host: str | None, **headers: str) -> HTTPConnection:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "headers": raw, "client": (host, 1) if host else None})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_the_hubs_own_machine_reads_them(host: str) -> None:
    check_metrics_reader(asked(host), "")


@pytest.mark.parametrize("host", ["10.0.0.1", "203.0.113.9", "::2", "::ffff:10.0.0.1", "localhost.evil.example", None])
def test_nobody_else_does(host: str | None) -> None:
    with pytest.raises(NotAllowedError, match="VERIHUB_SERVER_METRICS_TOKEN"):
        check_metrics_reader(asked(host), "")


@pytest.mark.parametrize("header", ["x_forwarded_for", "forwarded", "x_real_ip", "via"])
def test_a_proxy_on_the_hubs_machine_brings_no_stranger_in(header: str) -> None:
    with pytest.raises(NotAllowedError):
        check_metrics_reader(asked("127.0.0.1", **{header: "127.0.0.1"}), "")


def test_with_a_token_it_is_asked_of_everybody() -> None:
    check_metrics_reader(asked("203.0.113.9", authorization="Bearer s3cret"), "s3cret")
    for given in (
        {},
        {"authorization": "Bearer s3cre"},
        {"authorization": "Basic s3cret"},
        {"authorization": "Bearer é"},
    ):
        with pytest.raises(NotAuthenticatedError):
            check_metrics_reader(asked("127.0.0.1", **given), "s3cret")
