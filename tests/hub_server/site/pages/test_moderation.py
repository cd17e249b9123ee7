"""What moderators do."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api

PACKAGE = "/packages/alice/small-sums"


def test_nobody_else_quarantines(reader: Browser, catalogue: Api) -> None:
    assert reader.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "x"}).status == 401
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    assert reader.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "x"}).status == 403
    assert "is quarantined" not in reader.get(f"{PACKAGE}/releases/1.1.0").text
