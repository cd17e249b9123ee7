"""The hub's numbers are the operator's: by a token, and by nothing else."""

import pytest
from starlette.requests import HTTPConnection

from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.ops.metrics_readers import check_metrics_reader, is_scrape


def asked(host: str | None, **headers: str) -> HTTPConnection:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "headers": raw, "client": (host, 1) if host else None})


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "203.0.113.9", None])
@pytest.mark.parametrize("given", [{}, {"authorization": "Bearer "}, {"x_forwarded_for": "127.0.0.1"}])
def test_without_a_token_nobody_reads_them(host: str | None, given: dict[str, str]) -> None:
    """A proxy on the hub's own machine that adds no header brought every stranger in."""
    with pytest.raises(NotAllowedError, match="VERIHUB_SERVER_METRICS_TOKEN"):
        check_metrics_reader(asked(host, **given), "")


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


def test_only_the_operators_own_scrape_is_not_counted() -> None:
    def scope(path: str, token: str) -> dict[str, object]:
        return {"type": "http", "path": path, "headers": [(b"authorization", f"Bearer {token}".encode())]}

    assert is_scrape(scope("/metrics", "s3cret"), "s3cret")
    for asked in (
        scope("/metrics", "other"),
        scope("/packages", "s3cret"),
        {**scope("/metrics", "s3cret"), "type": "websocket"},
    ):
        assert not is_scrape(asked, "s3cret")
    assert not is_scrape({"type": "http", "path": "/metrics", "headers": []}, "")
