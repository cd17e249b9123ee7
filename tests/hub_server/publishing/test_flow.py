"""A publish, followed through the code while it runs: which modules it passes, as the architecture page lists them."""

import pytest

from tests.making.flows import Flow, layers, listed
from tests.making.hub import Api, make_package

PAGE, SERVER = "architecture.md", "hub_server"
WRAPS = "database/asked_once.py"  # a decorator of queries: what it calls is the query that it stands at
MOST_MODULES = 25
MOST_AT_ONCE = 4
"""However long the path: so many of its modules are under way at once."""
ANSWERS = ("accounts/routes.py", "accounts/actions/organizations.py", "accounts/actions/accounts.py")
"""What answers the request that is read here; the rest that it passes is passed by every request."""


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_publish_passes_the_modules_that_the_page_lists_and_never_calls_upwards(alice: Api) -> None:
    reading, writing, publish = (Flow(SERVER) for _ in range(3))
    with reading.following():
        assert alice.get("/api/v1/account").status_code == 200
    with writing.following():
        assert alice.request("PUT", "/api/v1/account/watches/alice").status_code == 204
    with publish.following():
        assert alice.publish(make_package()).status_code == 201
    own = {module for module, _ in publish.functions - writing.functions} - reading.modules
    assert sorted(own) == sorted(listed(PAGE, "Publishing, step by step", SERVER))
    assert len(own) <= MOST_MODULES
    assert publish.depth(own) <= MOST_AT_ONCE
    assert publish.upwards(layers("server-layers"), own, passed_over=WRAPS) == set()
    assert sorted(reading.modules - {*ANSWERS}) == sorted(listed(PAGE, "What every request passes", SERVER))
    of_every_write = {module for module in writing.modules - reading.modules if not module.startswith("watches/")}
    assert sorted(of_every_write) == sorted(listed(PAGE, "What every request that writes passes", SERVER))
