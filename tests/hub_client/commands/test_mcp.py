"""Tools over the Model Context Protocol, asked by its official client: on standard streams and over HTTP."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, MCPError, StdioServerParameters

from schemas.kinds import PackageKind
from tests.making.project import make_project
from tests.making.tool_packages import NOTES_FILES, ROOM_FILES, SLOW_FILES

COLLECTION = Path(__file__).parents[3] / "collection"
COMMAND = [sys.executable, "-m", "hub_client.commands.main", "mcp"]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return make_project(tmp_path / "notes", "alice/notes", PackageKind.TOOL, files=NOTES_FILES)


def _environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERIHUB_")}
    return {**kept, "VERIHUB_CACHE_DIR": str(tmp_path / "cache"), "VERIHUB_CONFIG_DIR": str(tmp_path / "config")}


def _stdio(tmp_path: Path, *targets: object) -> StdioServerParameters:
    arguments = [*COMMAND[1:], *map(str, targets)]
    return StdioServerParameters(command=COMMAND[0], args=arguments, env=_environment(tmp_path))


def _ask(server: Any, talk: Callable[[Client], Awaitable[None]], mode: str = "auto") -> None:
    async def connect() -> None:
        with anyio.fail_after(240):
            async with Client(server, mode=mode) as client:
                await talk(client)

    anyio.run(connect)


@contextmanager
def _over_http(tmp_path: Path, *targets: object) -> Iterator[str]:
    command = [*COMMAND, *map(str, targets), "--http", "--port", "0"]
    log = tmp_path / "http.log"
    with log.open("wb") as sink:
        server = subprocess.Popen(command, stdout=sink, stderr=sink, env=_environment(tmp_path), start_new_session=True)
    try:
        deadline = time.monotonic() + 240
        while not (found := re.search(r"are at (http://\S+)", log.read_text())):
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        while True:
            try:
                httpx.get(found[1], timeout=60)
                break
            except httpx.ConnectError:
                time.sleep(0.05)
        yield found[1]
    finally:
        server.terminate()
        server.wait(60)


@pytest.mark.docker
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_desktop_client_lists_and_calls_tools_whose_state_it_keeps(tmp_path: Path, notes: Path, mode: str) -> None:
    async def talk(client: Client) -> None:
        listed = await client.list_tools()
        assert [(tool.name, tool.description) for tool in listed.tools] == [
            ("calculate", listed.tools[0].description),
            ("remember", "Remember a text."),
            ("wait", "Wait."),
        ]
        assert listed.tools[1].input_schema["required"] == ["text"]
        assert "alice/notes@0.1.0" in (client.instructions or "")

        assert (await client.call_tool("calculate", {"expression": "(3 + 4) * 2 / 7"})).content[0].text == "2"
        await client.call_tool("remember", {"text": "a"})
        assert (await client.call_tool("remember", {"text": "b"})).content[0].text == '["a", "b"]'

        refused = await client.call_tool("remember", {"text": "secret"})
        assert refused.is_error
        assert refused.content[0].text == "PermissionError: that may not be kept"

        wrong = await client.call_tool("remember", {"texts": "c"})
        assert wrong.is_error
        assert "there is no argument 'texts'; text is missing" in wrong.content[0].text

        assert await _wait_for_no_time(client) == "call 1"
        late = await client.call_tool("wait", {"seconds": 30})
        assert late.is_error
        assert "took longer than 1 s" in late.content[0].text
        assert await _wait_for_no_time(client) == "call 1", "what it knew ended with its process"
        assert (await client.call_tool("remember", {"text": "c"})).content[0].text == '["a", "b", "c"]'

        with pytest.raises(MCPError, match="there is no tool 'forget'"):
            await client.call_tool("forget", {})

    slow = make_project(tmp_path / "slow", "alice/slow", PackageKind.TOOL, files=SLOW_FILES)
    _ask(_stdio(tmp_path, COLLECTION / "arithmetic", notes, slow), talk, mode)


async def _wait_for_no_time(client: Client) -> str:
    """On a starved machine even this may take longer than its second: then it is begun again."""
    while (said := await client.call_tool("wait", {"seconds": 0})).is_error:
        assert "took longer than 1 s" in said.content[0].text
    return str(said.content[0].text)


@pytest.mark.docker
def test_over_http_each_connection_has_its_own_state(tmp_path: Path, notes: Path) -> None:
    async def both(url: str) -> None:
        async with Client(url, mode="legacy") as mine, Client(url, mode="legacy") as other:
            assert mine.server_info.name == "alice/notes"
            await mine.call_tool("remember", {"text": "a"})
            said = await other.call_tool("remember", {"text": "b"})
            assert said.content[0].text == '["b"]'
            assert (await mine.call_tool("remember", {"text": "c"})).content[0].text == '["a", "c"]'
        async with Client(url) as modern:  # since 2026-07-28 there are no connections: each call stands alone
            await modern.call_tool("remember", {"text": "a"})
            assert (await modern.call_tool("remember", {"text": "b"})).content[0].text == '["b"]'

    with _over_http(tmp_path, notes) as url:
        anyio.run(both, url)
        forged = httpx.post(url, json={}, headers={"Host": "elsewhere.example"})
        assert forged.status_code == 403


@pytest.mark.docker
def test_an_episode_keeps_its_state_for_a_client_of_the_newest_protocol_too(tmp_path: Path) -> None:
    room = make_project(tmp_path / "room", "alice/room", PackageKind.ENVIRONMENT, files=ROOM_FILES)

    async def talk(client: Client) -> None:
        assert "You are in the cellar." in (client.instructions or "")
        await client.call_tool("open_door", {"number": 1})
        assert (await client.call_tool("open_door", {"number": 2})).content[0].text == "cellar: opened [1, 2]"

    with _over_http(tmp_path, room, "--task", "cellar") as url:
        _ask(url, talk)  # it asks for 2026-07-28 first, and is told to begin with the handshake
    _ask(_stdio(tmp_path, room, "--task", "cellar"), talk)


def test_the_tools_are_listed_for_people_and_programs(verihub, notes: Path) -> None:
    said = verihub("mcp", notes, "--list")
    assert (said.code, said.out.splitlines()[0]) == (0, "remember(text)  Remember a text.")
    assert verihub("mcp", notes, "--list", "--format", "json").json["tools"][0]["inputSchema"]["required"] == ["text"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((COLLECTION / "exact-match",), 6, "no tools here"),
        ((COLLECTION / "arithmetic", "--task", "sum-1"), 2, "--task belongs to one session, and there are 0"),
        ((COLLECTION / "wordle", "--task", "none"), 4, "has no stored task 'none'"),
    ],
)
def test_what_cannot_be_served_is_said_before_anything_starts(verihub, arguments, code: int, words: str) -> None:
    said = verihub("mcp", *arguments)
    assert (said.code, words in said.err) == (code, True), said.err


def test_a_tool_that_json_cannot_describe_is_refused_before_it_is_published(verihub, notes: Path) -> None:
    source = notes / "src" / "alice_notes" / "__init__.py"
    source.write_text(source.read_text().replace("text: str", "text: bytes"))
    said = verihub("check", notes)
    assert said.code == 6
    assert "tools: remember: text: bytes has no form in JSON; take text, a number" in said.out


def test_where_no_sandbox_is_the_hubs_own_address_is_named(verihub, notes: Path, monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_RUN_AT", "hub")
    said = verihub("mcp", notes, "--list", "--url", "https://hub.example")
    assert said.code == 8
    assert "https://hub.example/api/v1/packages/alice/notes/releases/latest/mcp" in said.err
