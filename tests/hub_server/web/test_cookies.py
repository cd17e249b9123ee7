"""The session's cookie: unreadable to scripts, bound to this origin where there is HTTPS, and gone after a logout."""

from datetime import timedelta
from http.cookies import SimpleCookie
from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.responses import Response

from hub_server.kernel.caller import SESSION_LIFETIME
from hub_server.web.cookies import clear_session, known_secret, session_secret, set_known, set_session


def connection(scheme="https", *, secure=None, cookie="", authorization=""):
    app = SimpleNamespace(
        state=SimpleNamespace(services=SimpleNamespace(settings=SimpleNamespace(secure_cookies=secure)))
    )
    given = {"host": "hub.test", "cookie": cookie, "authorization": authorization}
    headers = [(name.encode(), value.encode()) for name, value in given.items() if value]
    return Request({
        "type": "http", "method": "GET", "scheme": scheme, "path": "/", "query_string": b"", "headers": headers, "app": app
    })  # fmt: skip


def cookie_of(answer):
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    return morsel


@pytest.mark.parametrize(
    ("scheme", "setting", "is_secure"),
    [("https", None, True), ("http", None, False), ("http", True, True), ("https", False, False)],
)
def test_over_https_or_by_setting_the_cookie_is_of_this_origin_alone(scheme, setting, is_secure) -> None:
    answer = Response()
    set_session(answer, "secret", connection(scheme, secure=setting))
    cookie = cookie_of(answer)
    assert cookie.key.startswith("__Host-") is is_secure
    assert bool(cookie["secure"]) is is_secure
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["domain"]) == (True, "lax", "/", "")


def test_the_cookie_ends_when_the_session_does() -> None:
    answer = Response()
    set_session(answer, "secret", connection())
    assert int(cookie_of(answer)["max-age"]) == SESSION_LIFETIME.total_seconds()


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_what_was_set_is_read_again(scheme) -> None:
    answer = Response()
    set_session(answer, "secret", connection(scheme))
    cookie = cookie_of(answer)
    assert session_secret(connection(scheme, cookie=f"{cookie.key}={cookie.value}")) == "secret"


def test_over_https_a_cookie_that_a_neighbouring_host_could_have_set_is_not_believed() -> None:
    assert session_secret(connection("https", cookie="verihub-session=planted")) is None


@pytest.mark.parametrize("cookie", ["", "verihub-session=", "other=1"])
def test_without_a_secret_there_is_none(cookie) -> None:
    assert session_secret(connection("http", cookie=cookie)) is None


@pytest.mark.parametrize(("authorization", "is_read"), [("Bearer t", False), ("bearer t", False), ("Bearer ", True)])
def test_a_request_that_brings_a_token_has_no_session_whatever_its_cookies(authorization, is_read) -> None:
    request = connection("http", cookie="verihub-session=copied", authorization=authorization)
    assert session_secret(request) == ("copied" if is_read else None)


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_a_logout_ends_the_same_cookie(scheme) -> None:
    made, ended = Response(), Response()
    set_session(made, "secret", connection(scheme))
    clear_session(ended, connection(scheme))
    assert cookie_of(made).key == cookie_of(ended).key
    assert (cookie_of(ended).value, cookie_of(ended)["max-age"]) == ("", "0")


def test_the_cookie_of_a_known_browser_outlives_a_logout_and_a_token_beside_it() -> None:
    answer = Response()
    set_known(answer, "secret", timedelta(days=180), connection())
    cookie = cookie_of(answer)
    assert (cookie.key, cookie["httponly"], int(cookie["max-age"])) == ("__Host-verihub-known", True, 180 * 86_400)
    sent = f"{cookie.key}={cookie.value}"
    assert known_secret(connection(cookie=sent)) == "secret"
    assert session_secret(connection(cookie=sent)) is None
    ended = Response()
    clear_session(ended, connection())
    assert "known" not in ended.headers["set-cookie"]
