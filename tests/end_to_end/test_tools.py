"""Tools of published packages, called over the Model Context Protocol by its official client, on a hub as users run it."""

import contextlib
import traceback
from collections.abc import AsyncIterator, Iterator

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from hub_client.client import Hub
from hub_client.packaging.pack import pack
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts, packages
from schemas.account import AccountCreate
from schemas.kinds import PackageKind
from tests.making.live_hub import live_hub
from tests.making.project import make_project
from tests.making.tool_packages import NOTES_FILES, ROOM_FILES

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """``(address, and the tokens of alice, bob and carol)`` of a hub with alice/notes (a tool) and alice/room (a session)."""
    folder = tmp_path_factory.mktemp("tools")
    limits = {"VERIHUB_SERVER_LIMITS__TOOL_CONNECTIONS_EACH": "3"}
    with live_hub(folder / "data", limits) as address:
        settings = ClientSettings.load(url=address, cache_dir=folder / "cache", config_dir=folder / "config")
        tokens = []
        with Hub(settings=settings) as hub:
            for name in ("alice", "bob", "carol"):
                account = AccountCreate(name=name, email=f"{name}@example.org", password="correct horse battery")
                tokens.append(hub.send(accounts.sign_up(account)).token)
        with Hub(settings=settings.model_copy(update={"token": tokens[0]})) as hub:
            for name, kind, files in (
                ("notes", PackageKind.TOOL, NOTES_FILES),
                ("room", PackageKind.ENVIRONMENT, ROOM_FILES),
            ):
                packed = pack(make_project(folder / name, f"alice/{name}", kind, files=files), hub.cache)
                hub.send(packages.publish(packed.data, packed.digest))
        yield address, *tokens


@contextlib.asynccontextmanager
async def _client(url: str, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def _address(served: tuple[str, ...], name: str, version: str = "latest") -> str:
    return f"{served[0]}/api/v1/packages/alice/{name}/releases/{version}/mcp"


def test_a_client_lists_and_calls_a_published_tool(served: tuple[str, ...]) -> None:
    async def talk() -> None:
        with anyio.fail_after(240):
            async with _client(_address(served, "notes", "0.1.0"), served[1], "legacy") as client:
                assert (client.server_info.name, client.server_info.version) == ("alice/notes", "0.1.0")
                assert [tool.name for tool in (await client.list_tools()).tools] == ["remember"]
                await client.call_tool("remember", {"text": "a"})
                said = await client.call_tool("remember", {"text": "b"})
                assert said.content[0].text == '["a", "b"]'
                wrong = await client.call_tool("remember", {"text": 1})
                assert (wrong.is_error, wrong.content[0].text) == (
                    True,
                    "remember: text must be text, not 1; it takes text",
                )
            async with _client(_address(served, "notes"), served[2]) as modern:
                assert (await modern.call_tool("remember", {"text": "c"})).content[0].text == '["c"]'

    anyio.run(talk)


def test_an_episode_lasts_as_long_as_its_connection(served: tuple[str, ...]) -> None:
    async def talk() -> None:
        with anyio.fail_after(240):
            async with _client(_address(served, "room") + "?task=cellar", served[1]) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == ["open_door"]
                await client.call_tool("open_door", {"number": 1})
                assert (await client.call_tool("open_door", {"number": 2})).content[0].text == "cellar: opened [1, 2]"

    anyio.run(talk)


def test_a_connection_is_its_accounts_alone(served: tuple[str, ...]) -> None:
    url = _address(served, "notes")
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}  # fmt: skip
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "remember", "arguments": {"text": "a"}},
    }

    def post(body: dict[str, object], token: str, session: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        return httpx.post(
            url, json=body, headers={**headers, **({"Mcp-Session-Id": session} if session else {})}, timeout=240
        )

    session = post(begin, served[1]).headers["mcp-session-id"]
    post({"jsonrpc": "2.0", "method": "notifications/initialized"}, served[1], session)
    assert post(call, served[1], session).json()["result"]["content"][0]["text"] == '["a"]'
    assert post(call, served[2], session).status_code == 404, "another account's token"
    other = httpx.post(_address(served, "room"), json=call, timeout=240,
                       headers={"Authorization": f"Bearer {served[1]}", "Accept": "application/json, text/event-stream",
                                "Mcp-Session-Id": session})  # fmt: skip
    assert other.status_code == 404, "another package's address"
    assert post(call, served[1], session).json()["result"]["content"][0]["text"] == '["a", "a"]', "it is still there"


def test_an_account_holds_so_many_connections_and_no_more(served: tuple[str, ...]) -> None:
    async def talk() -> None:
        url = _address(served, "notes")
        with anyio.fail_after(240):
            async with contextlib.AsyncExitStack() as stack:
                for _ in range(3):
                    client = await stack.enter_async_context(_client(url, served[3], "legacy"))
                    await client.list_tools()
                with pytest.raises(ExceptionGroup) as refused:
                    async with _client(url, served[3], "legacy"):
                        pass
                assert "3 connections are open already" in "".join(traceback.format_exception(refused.value))
                other = await stack.enter_async_context(_client(url, served[2], "legacy"))
                assert (await other.list_tools()).tools

    anyio.run(talk)


def test_it_needs_an_account_and_a_package_with_tools(served: tuple[str, ...]) -> None:
    nobody = httpx.post(_address(served, "notes"), json={})
    assert (nobody.status_code, nobody.json()["code"]) == (401, "not_authenticated")
    forged = httpx.post(_address(served, "notes"), json={}, headers={"Origin": "https://elsewhere.example"})
    assert forged.status_code == 403
    missing = httpx.post(_address(served, "none"), json={}, headers={"Authorization": f"Bearer {served[1]}"})
    assert (missing.status_code, missing.json()["code"]) == (404, "package_not_found")
