"""What somebody with credentials was answered is kept by no shared cache."""

import pytest

from tests.making.hub import Api, make_package

WHEEL = "/api/v1/packages/alice/small-sums/releases/1.0.0/wheel"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_answer_is_private_for_whoever_showed_credentials(api: Api, alice: Api) -> None:
    alice.publish(make_package())
    for path in (WHEEL, "/simple/", "/simple/alice-small-sums/", "/feeds/releases.atom", "/api/v1/packages"):
        own = alice.get(path).headers.get("cache-control", "")
        assert "private" in own or "no-store" in own, path
        assert "public" not in own, path
        assert "private" not in api.get(path).headers.get("cache-control", ""), path
    stranger = api.get("/simple/", headers={"Cookie": "verihub-session=made-up"})
    assert "private" in stranger.headers["cache-control"]  # whether it is good is found out later
