"""The runs that used a package."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "/packages/alice/small-sums"


def test_a_package_lists_the_runs_that_pinned_it(reader: Browser, catalogue: Api) -> None:
    assert "alice/grpo-fractions-14" in reader.get(f"{PACKAGE}/used-by").text
    assert "No run on this hub has used it yet" in reader.get("/packages/alice/unmeasured/used-by").text
