"""The catalogue over HTTP: a stranger's bytes are saved and never run, what cannot change is cached for ever."""

import pytest

from hub_server.catalog.routes.api import REVALIDATED, wheel_name
from schemas.names import digest_of
from tests.hub_server.site.samples import release
from tests.making.hub import Api, make_package

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
PACKAGE = "/api/v1/packages/alice/small-sums"
WHEEL = make_package(package_files={"odd name.html": "<script>alert(1)</script>", "übung.txt": "x"})
FOLDER = f"{PACKAGE}/releases/1.0.0/files/alice_small_sums"


@pytest.fixture
def hub(alice: Api, api: Api) -> Api:
    answer = alice.publish(WHEEL)
    assert answer.status_code == 201, answer.text
    return api


def test_a_wheel_comes_as_it_was_published_under_the_name_that_pip_expects(hub: Api) -> None:
    answer = hub.get(f"{PACKAGE}/releases/1.0.0/wheel")
    assert answer.content == WHEEL
    assert answer.headers["Content-Length"] == str(len(WHEEL))
    assert answer.headers["X-Verihub-Digest"] == digest_of(WHEEL)
    assert "alice_small_sums-1.0.0-py3-none-any.whl" in answer.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("selector", "is_exact"), [("1.0.0", True), (digest_of(WHEEL), True), ("latest", False), ("1.0", False)]
)
def test_only_what_names_one_release_for_ever_is_cached_for_ever(hub: Api, selector: str, is_exact: bool) -> None:
    answer = hub.get(f"{PACKAGE}/releases/{selector}/wheel")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == (REVALIDATED if is_exact else "no-cache")
    assert answer.headers["X-Verihub-Version"] == "1.0.0"


@pytest.mark.parametrize("form", ["{0}", "W/{0}", '"old", {0}', "*"])
def test_who_has_the_bytes_is_told_so_and_counts_as_no_download(hub: Api, form: str) -> None:
    tag = hub.get(f"{PACKAGE}/releases/1.0.0/wheel").headers["ETag"]
    counted = hub.get(PACKAGE).json()["card"]["downloads"]
    again = hub.get(f"{PACKAGE}/releases/1.0.0/wheel", headers={"If-None-Match": form.format(tag)})
    assert (again.status_code, again.content) == (304, b"")
    assert hub.get(PACKAGE).json()["card"]["downloads"] == counted == 1


@pytest.mark.parametrize("name", ["odd%20name.html", "%C3%BCbung.txt", "__init__.py"])
def test_a_strangers_file_is_saved_and_never_a_page_of_ours(hub: Api, name: str) -> None:
    answer = hub.get(f"{FOLDER}/{name}")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    disposition = answer.headers["Content-Disposition"]
    assert disposition.startswith("attachment;")
    assert disposition.count('"') == 2, "a quote in a file's name ends no header early"


@pytest.mark.parametrize("path", ["", "none.py", "../tasks.jsonl", "%2e%2e/x", "%00", "%0d%0aSet-Cookie:%20a=b"])
def test_what_is_no_file_of_the_wheel_is_not_found(hub: Api, path: str) -> None:
    answer = hub.get(f"{FOLDER}/{path}")
    assert answer.status_code in (404, 422)
    assert "set-cookie" not in answer.headers


def test_a_long_query_is_refused_and_many_values_of_a_facet_mean_any(hub: Api) -> None:
    assert hub.get("/api/v1/packages", params={"q": "x" * 401}).status_code == 422
    assert hub.get("/api/v1/packages", params={"q": "x" * 400}).status_code == 200
    for query, total in (
        ("kind=tool&kind=environment", 1),
        ("kind=tool", 0),
        ("owner=alice&tag=math", 1),
        ("owner=", 0),
    ):
        assert hub.get(f"/api/v1/packages?{query}").json()["total"] == total, query
    for query in ("sort=nothing", "limit=0", "limit=101", "limit=x", "cursor=%20"):
        assert hub.get(f"/api/v1/packages?{query}").status_code == 422, query


def test_packages_releases_and_files_are_read_without_an_account(hub: Api) -> None:
    assert hub.get(PACKAGE).json()["card"]["id"] == "alice/small-sums"
    assert [one["version"] for one in hub.get(f"{PACKAGE}/releases").json()["items"]] == ["1.0.0"]
    assert hub.get(f"{PACKAGE}/releases/>=1").json()["version"] == "1.0.0"
    assert len(hub.get(f"{PACKAGE}/releases/1.0.0/files").json()["items"]) >= 6
    for path, code in (
        ("/api/v1/packages/alice/none", "package_not_found"),
        (f"{PACKAGE}/releases/9", "release_not_found"),
    ):
        refused = hub.get(path)
        assert (refused.status_code, refused.json()["code"]) == (404, code)


@pytest.mark.parametrize(
    ("package", "version", "expected"),
    [("hana/math-equivalence", "2.1.0", "hana_math_equivalence-2.1.0-py3-none-any.whl"),
     ("al/b", "1.0rc1", "al_b-1.0rc1-py3-none-any.whl")],
)  # fmt: skip
def test_the_name_of_a_wheel(package: str, version: str, expected: str, database_url: str) -> None:
    assert wheel_name(release(version, None, 0, package=package)) == expected


def test_a_download_goes_on_where_it_broke_off(hub: Api) -> None:
    path = f"{PACKAGE}/releases/1.0.0/wheel"
    whole = hub.get(path)
    tag, size = whole.headers["ETag"], len(whole.content)
    assert whole.headers["Accept-Ranges"] == "bytes"
    first = hub.get(path, headers={"Range": "bytes=0-99"})
    rest = hub.get(path, headers={"Range": "bytes=100-", "If-Range": tag})
    assert (first.status_code, first.headers["Content-Range"]) == (206, f"bytes 0-99/{size}")
    assert (rest.status_code, int(rest.headers["Content-Length"])) == (206, size - 100)
    assert first.content + rest.content == whole.content
    assert hub.get(path, headers={"Range": "bytes=-22"}).content == whole.content[-22:], "the zip's own directory"
    assert hub.get(path, headers={"Range": "bytes=100-", "If-Range": '"other"'}).content == whole.content
    beyond = hub.get(path, headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond.headers["Content-Range"], beyond.content) == (416, f"bytes */{size}", b"")
    head = hub.request("HEAD", path, headers={"Range": "bytes=0-9"})
    assert (head.status_code, int(head.headers["Content-Length"]), head.content) == (200, size, b"")
    assert hub.get(path, headers={"Range": "bytes=0-9", "If-None-Match": tag}).status_code == 304


def test_parts_are_not_counted_as_downloads(hub: Api) -> None:
    path = f"{PACKAGE}/releases/1.0.0/wheel"
    before = hub.get(PACKAGE).json()["card"]["downloads"]
    for start in range(5):
        assert hub.get(path, headers={"Range": f"bytes={start}-"}).status_code == 206
    assert hub.get(PACKAGE).json()["card"]["downloads"] == before
