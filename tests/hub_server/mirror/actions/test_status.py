"""What an operator reads of a mirror."""

from hub_server.mirror.actions import describe
from tests.making.action_driver import ActionDriver
from tests.making.mirror import Mirror


def test_a_hub_of_its_own_says_nothing_of_mirrors(driver: ActionDriver) -> None:
    assert describe(driver.services) == "no"


def test_a_mirror_says_how_far_it_is(mirror: Mirror) -> None:
    assert mirror.state == "behind: 0 entries of https://origin.test, not whole yet"
    assert mirror.api.get("/readyz").json()["writes"] == "mirror of https://origin.test"
    mirror.follow()
    assert mirror.state.startswith("ok: 3 entries of https://origin.test, asked 2026-11-21")
    mirror.wire.lies = {"/events": lambda _status, _body: (503, b"")}
    mirror.follow()
    assert mirror.state.startswith("waits: https://origin.test"), mirror.state
    assert mirror.api.get("/readyz").status_code == 200, "what it shows is true"
