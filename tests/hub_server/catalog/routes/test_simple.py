"""The index that pip reads: names, hashes, yanked and quarantined wheels, in both formats."""

import re

import pytest

from schemas.names import digest_of
from tests.making.hub import Api, make_package

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
JSON = {"Accept": "application/vnd.pypi.simple.v1+json"}
RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"


def files(api: Api) -> list[dict]:
    answer = api.get("/simple/alice-small-sums/", headers=JSON)
    assert answer.headers["content-type"] == JSON["Accept"]
    return answer.json()["files"]


@pytest.fixture
def wheel(alice: Api) -> bytes:
    made = make_package()
    assert alice.publish(made).status_code == 201
    return made


def test_both_formats_name_the_same_file_with_its_hash(api: Api, wheel: bytes) -> None:
    (file,) = files(api)
    digest = digest_of(wheel).removeprefix("sha256:")
    assert file["hashes"] == {"sha256": digest}
    assert file["size"] == len(wheel)
    page = api.get("/simple/alice-small-sums/").text
    assert f"{file['url']}#sha256={digest}" in page
    assert f">{file['filename']}</a>" in page


def test_the_url_of_a_file_gives_its_bytes(api: Api, wheel: bytes) -> None:
    path = "/simple/alice-small-sums/" + files(api)[0]["url"]
    redirect = api.get(path)
    assert redirect.status_code == 302
    assert api.get(redirect.headers["location"]).content == wheel


def test_a_name_is_found_however_pip_writes_it(api: Api, wheel: bytes) -> None:
    for name in ("Alice_Small.Sums", "alice-small_sums"):
        moved = api.get(f"/simple/{name}/")
        assert (moved.status_code, moved.headers["location"]) == (301, "/simple/alice-small-sums/")
    for name in ("alice", "alice-nothing", "nobody-small-sums"):
        assert api.get(f"/simple/{name}/").status_code == 404


def test_a_yanked_file_says_why_and_a_quarantined_one_is_gone(alice: Api, api: Api, wheel: bytes) -> None:
    assert alice.post(f"{RELEASE}/yank", json={"reason": 'wrong "answers" <b>'}).status_code == 200
    assert files(api)[0]["yanked"] == 'wrong "answers" <b>'
    assert "<b>" not in api.get("/simple/alice-small-sums/").text
    moda = api.sign_up("moda")
    assert moda.post(f"{RELEASE}/quarantine", json={"reason": "malware"}).status_code == 200
    assert files(api) == []


def test_the_index_lists_every_package_once_in_both_formats(alice: Api, api: Api, wheel: bytes) -> None:
    alice.publish(make_package(version="1.1.0"))
    alice.publish(make_package("alice/other"))
    names = [one["name"] for one in api.get("/simple/", headers=JSON).json()["projects"]]
    assert names == ["alice-other", "alice-small-sums"]
    assert re.findall(r'href="/simple/([^/]+)/"', api.get("/simple/").text) == names


def test_a_resolver_reads_the_metadata_without_the_wheel(api: Api, wheel: bytes) -> None:
    (file,) = files(api)
    assert file["core-metadata"] is True
    assert 'data-core-metadata="true"' in api.get("/simple/alice-small-sums/").text
    metadata = api.get(f"/simple/alice-small-sums/{file['url']}.metadata")
    assert metadata.status_code == 200
    assert metadata.text.startswith("Metadata-Version: 2.4\nName: alice-small-sums\n")
    assert api.get(f"/simple/alice-small-sums/{'0' * 64}/x.whl.metadata").status_code == 404


def test_the_state_of_the_whole_project_is_said(alice: Api, api: Api, wheel: bytes) -> None:
    def status() -> dict:
        return api.get("/simple/alice-small-sums/", headers=JSON).json()["project-status"]

    assert status() == {"status": "active"}
    alice.post(f"{RELEASE}/deprecate", json={"reason": "use 2"})
    assert status() == {"status": "deprecated", "reason": "use 2"}
    assert alice.publish(make_package(version="2.0.0")).status_code == 201
    assert status() == {"status": "active"}
