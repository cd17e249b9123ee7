"""Which packages need a package."""

from tests.making.hub import Api, make_package

NEEDS = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice/small-sums@1.0.0"
"""
BENCH = 'format = 1\nid = "alice/small-sums"\nkind = "benchmark"\nenvironments = ["alice/small-sums@1.0.0"]\nsplit = "train"\n'
PATH = "/api/v1/packages/alice/small-sums/dependants"


def test_dependants_come_by_id_page_by_page_and_by_kind(alice: Api) -> None:
    wheels = [make_package(), make_package("alice/user", manifest=NEEDS), make_package("alice/bench", manifest=BENCH)]
    for wheel in wheels:
        assert alice.publish(wheel).status_code == 201
    first = alice.get(f"{PATH}?limit=1").json()
    second = alice.get(f"{PATH}?limit=1&cursor={first['next']}").json()
    assert [one["id"] for one in first["items"] + second["items"]] == ["alice/bench", "alice/user"]
    assert second["next"] is None
    assert [one["id"] for one in alice.get(f"{PATH}?kind=benchmark").json()["items"]] == ["alice/bench"]
    assert alice.get("/api/v1/packages/alice/none/dependants").status_code == 404
