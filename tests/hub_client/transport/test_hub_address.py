"""Where the hub is: addresses that would leak a secret, and heads that are not those of a hub."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_client.errors import HubUnreachableError, NotFoundError, NotLoggedInError, UsageError
from hub_client.transport.hub_address import HubAddress, parse_line, read_answer
from hub_client.transport.requests.call import ApiCall

URL = "https://hub.example"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://alice:secret@hub.example", "must not hold a name or password"),
        ("https://hub.example:99999", "99999"),
        ("https://[::1", "not valid"),
        ("https://hub.example:port", "not valid"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused_without_its_secret(url, words):
    with pytest.raises(UsageError, match=words) as said:
        HubAddress(url, None, 1.0)
    assert "secret" not in str(said.value)


@pytest.mark.parametrize("token", ["a b", "a\nb", "clé", "a\x00b", "a\x1b[0m"])
def test_a_token_that_would_break_a_header_is_not_sent_and_not_printed(token):
    with pytest.raises(NotLoggedInError, match="copy it again") as said:
        HubAddress(URL, token, 1.0)
    assert token not in str(said.value)


@pytest.mark.parametrize(("token", "sent"), [(" t\n", "Bearer t"), ("", None), ("  ", None), (None, None)])
def test_white_space_around_a_token_is_no_part_of_it(token, sent):
    assert HubAddress(URL, token, 1.0).options["headers"].get("Authorization") == sent


@pytest.mark.parametrize(("url", "socket"), [(URL, "wss://hub.example/s"), ("http://h:1/base", "ws://h:1/base/s")])
def test_a_socket_goes_to_the_same_hub_with_the_same_token(url, socket):
    address, headers = HubAddress(url, "t", 1.0).socket_address("/s")
    assert (address, headers["Authorization"]) == (socket, "Bearer t")


def test_a_write_that_is_sent_on_elsewhere_is_refused():
    away = httpx.Response(307, headers={"location": "https://thief.example/" + "x" * 999})
    with pytest.raises(HubUnreachableError, match="redirects a POST to another address") as said:
        HubAddress(URL, "t", 1.0).check_head("POST", away)
    assert len(str(said.value)) < 500


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "gzip, identity", "GZIP"])
def test_a_compressed_answer_is_refused_before_it_is_read(encoding):
    with pytest.raises(HubUnreachableError, match="compresses"):
        HubAddress(URL, None, 1.0).check_head("GET", httpx.Response(200, headers={"content-encoding": encoding}))


@pytest.mark.parametrize("encoding", ["", "identity", " Identity "])
def test_an_answer_as_it_is_passes(encoding):
    HubAddress(URL, None, 1.0).check_head("GET", httpx.Response(200, headers={"content-encoding": encoding}))


@pytest.mark.parametrize(
    "body",
    [b"<html>no such page", b'{"title":"Not found","status":404,"code":"page_not_found","detail":"/docs lists it"}'],
)
def test_an_address_that_is_no_hubs_is_doubted_and_what_names_another_is_said(body):
    with pytest.raises(NotFoundError, match="--url or VERIHUB_URL") as said:
        HubAddress("http://wiki.example/docs", None, 1.0).refuse(404, body)
    assert "is http://wiki.example/docs the address of a Verihub hub" in str(said.value)


def test_a_package_that_is_missing_says_nothing_about_the_address():
    body = b'{"title":"x","status":404,"code":"package_not_found","detail":"There is no package a/b on this hub."}'
    with pytest.raises(NotFoundError) as said:
        HubAddress(URL, None, 1.0).refuse(404, body)
    assert str(said.value) == "There is no package a/b on this hub."


@given(st.binary(max_size=200))
def test_any_line_is_an_object_or_a_short_refusal(line):
    refusal = ""
    try:
        assert isinstance(parse_line(URL, line), dict)
    except HubUnreachableError as error:
        refusal = str(error)
    assert len(refusal) < 1000


@given(st.binary(max_size=200))
def test_any_body_is_read_or_refused_as_no_hubs(body):
    call = ApiCall.get("/x", lambda data: data["items"])
    refusal = "is it a Verihub hub?"
    try:
        read_answer(URL, call, body)
    except HubUnreachableError as error:
        refusal = str(error)
    assert "is it a Verihub hub?" in refusal
