"""Which releases have tools for a client, and who may connect; what is said over the protocol is in tests/end_to_end."""

import pytest

from hub_server.kernel.services import Services
from tests.making.hub import Api, make_package

TOOL = """format = 1
id = "alice/lookup"
kind = "tool"
tools = ["alice_lookup:look"]
"""
PAIR = """format = 1
id = "alice/pair"
kind = "tool"
tools = ["alice_pair:look", "alice/lookup@>=1"]
"""
ADDRESS = "/api/v1/packages/alice/{}/releases/latest/mcp"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def published(alice: Api) -> Api:
    code = "def look(city: str) -> str:\n    return city\n"
    for name, manifest in (("lookup", TOOL), ("pair", PAIR)):
        assert alice.publish(make_package(f"alice/{name}", manifest=manifest, code=code)).status_code == 201
    assert alice.publish(make_package("alice/sums")).status_code == 201
    return alice


def test_a_tools_page_says_how_to_connect_and_a_verifiers_does_not(published: Api) -> None:
    page = published.get("/packages/alice/lookup", headers={"Accept": "text/html"}).text
    assert "verihub mcp alice/lookup@1.0.0" in page
    assert "/api/v1/packages/alice/lookup/releases/1.0.0/mcp</code>" in page
    assert "Connect a client" not in published.get("/packages/alice/sums", headers={"Accept": "text/html"}).text


def test_only_accounts_connect_and_only_to_tools(published: Api, api: Api) -> None:
    assert api.post(ADDRESS.format("lookup"), json=CALL).json()["code"] == "not_authenticated"
    refused = published.post(ADDRESS.format("sums"), json=CALL)
    assert (refused.status_code, "no tools that a client could call" in refused.json()["detail"]) == (422, True)
    assert published.post(ADDRESS.format("nothing"), json=CALL).status_code == 404


def test_a_hub_without_the_protocols_library_says_so(published: Api, services: Services) -> None:
    answer = published.post(ADDRESS.format("pair"), json=CALL)
    assert answer.status_code == 503
    assert "installs the extra 'mcp'" in answer.json()["detail"]
