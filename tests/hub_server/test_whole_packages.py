"""Only what shows a package's releases reads them: to read a hundred releases costs 10 ms of CPU."""

import pytest

from hub_server.catalog.actions import releases
from tests.making.counted_calls import count_calls
from tests.making.hub import Api, make_package

AT = "alice/small-sums"
_SUITE = 'format = 1\nid = "alice/suite"\nkind = "suite"\nfamily = "short-number"\naudit = ["cases.jsonl"]\n'
_CASES = '{"id": "s1", "task": {"id": "t", "prompt": "1+1?", "answer": "2"}, "response": "2", "label": "correct"}\n'


@pytest.fixture
def owner(alice: Api) -> Api:
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        assert alice.publish(make_package(AT, version)).status_code == 201
    suite = make_package("alice/suite", manifest=_SUITE, package_files={"cases.jsonl": _CASES})
    assert alice.publish(suite).status_code == 201
    return alice


@pytest.mark.parametrize(
    "path",
    [
        f"/packages/{AT}/label",
        f"/packages/{AT}/releases/1.2.0/audit",
        f"/packages/{AT}/badge.svg",
        f"/feeds/packages/{AT}.atom",
        f"/api/v1/packages/{AT}/agreement",
        f"/api/v1/packages/{AT}/audits",
        f"/api/v1/packages/{AT}/cases",
        f"/api/v1/label/questions?package={AT}",
        f"/api/v1/label/next?package={AT}",
        "/api/v1/packages/alice/suite/leaderboard",
    ],
)
def test_what_shows_no_list_of_releases_reads_none(owner: Api, path: str) -> None:
    with count_calls(releases, "_package_and_releases") as lists:
        assert owner.get(path).status_code == 200
    assert lists == [0]


def test_the_package_itself_is_shown_with_its_releases(owner: Api) -> None:
    with count_calls(releases, "_package_and_releases") as lists:
        assert len(owner.get(f"/api/v1/packages/{AT}").json()["releases"]) == 3
    assert lists == [1]
