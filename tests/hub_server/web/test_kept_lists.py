"""A long list is made once after each change, whoever asks, and sent compressed or not at all."""

import gzip
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from starlette.requests import Request

from hub_server.web.kept_lists import KeptLists
from tests.making.hub import Api, make_package

on_a_hub = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
LISTS = ["/simple/", "/sitemap.xml"]


def asked(**headers: str) -> Request:
    return Request({"type": "http", "headers": [(name.encode(), value.encode()) for name, value in headers.items()]})


def get(api: Api, path: str, **headers: str) -> httpx.Response:
    return api.request("GET", path, headers=headers)


def test_of_many_that_ask_at_once_one_makes_it_and_an_older_reader_gets_the_newer() -> None:
    made: list[int] = []
    lists = KeptLists()

    def answer(position: int) -> bytes:
        def make() -> bytes:
            made.append(position)
            return b"list %d" % position

        return bytes(lists.answer(asked(), "one", position, make, media_type="text/plain", headers={}).body)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(answer, [1] * 32)) == {b"list 1"}
    assert (answer(2), answer(1), made) == (b"list 2", b"list 2", [1, 2])


def test_a_stranger_who_makes_up_names_of_the_hub_fills_no_memory() -> None:
    lists = KeptLists()
    for number in range(100):
        lists.answer(asked(), f"sitemap http://{number}", 1, lambda: b"x" * 1000, media_type="a/b", headers={})
    assert len(lists._kept) <= 8


@on_a_hub
@pytest.mark.parametrize("path", LISTS)
def test_it_is_compressed_for_whoever_takes_it_and_said_to_be_known(alice: Api, path: str) -> None:
    assert alice.publish(make_package()).status_code == 201
    plain = get(alice, path, **{"Accept-Encoding": "identity"})
    small = get(alice, path, **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert int(small.headers["Content-Length"]) == len(gzip.compress(plain.content, 5, mtime=0))
    assert small.text == plain.text
    assert "small-sums" in plain.text
    assert {"accept", "accept-encoding"} <= {one.strip().lower() for one in small.headers["Vary"].split(",")}
    for tag in (plain.headers["ETag"], small.headers["ETag"], f'"other", {small.headers["ETag"]}'):
        known = get(alice, path, **{"If-None-Match": tag})
        assert (known.status_code, known.content) == (304, b""), tag
    assert alice.publish(make_package("alice/another")).status_code == 201
    changed = get(alice, path, **{"If-None-Match": small.headers["ETag"]})
    assert changed.status_code == 200
    assert "another" in changed.text


@on_a_hub
def test_the_two_formats_of_the_index_are_two_lists(alice: Api) -> None:
    assert alice.publish(make_package()).status_code == 201
    json = get(alice, "/simple/", Accept="application/vnd.pypi.simple.v1+json")
    assert json.json()["projects"] == [{"name": "alice-small-sums"}]
    assert get(alice, "/simple/").headers["content-type"].startswith("text/html")
    as_new = get(alice, "/simple/", Accept="application/vnd.pypi.simple.v1+html").headers["content-type"]
    assert as_new.startswith("application/vnd.pypi.simple.v1+html")
