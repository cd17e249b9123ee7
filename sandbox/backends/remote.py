"""Sandboxes on machines that a command reaches (``ssh gpu-7 python -m sandbox node``), its streams being the line.

What routes, retries and notices losses is the same as on a Ray cluster (``sandbox/backends/ray``); only the way to a
node is another. Nodes are ours, like the machine that asks: messages are pickled both ways.
"""

import asyncio
import contextlib
import itertools
import os
import pickle
import shlex
import struct
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from sandbox.backends.ray.links import NodeLink, Row, unpack_rows
from sandbox.backends.ray.node import SandboxNode
from sandbox.backends.ray.parcels import Label, files_of
from sandbox.backends.streams import WordsTail
from sandbox.errors import NodeLostError, SandboxUnavailableError
from sandbox.interface import Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

_LENGTH = struct.Struct(">I")
_NODES_OWN = {"docker_url", "runtime", "state_folder"}
_END_SECONDS = 10.0
_ROOT = str(Path(__file__).resolve().parents[2])


class RemoteSettings(BaseSettings):
    """Environment prefix ``VERIHUB_SANDBOX_REMOTE_``."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_SANDBOX_REMOTE_", frozen=True)

    nodes: list[str] = Field(default_factory=list)
    """Commands that start a node and hand over its standard streams (a JSON list). None: a node on this machine."""
    node_backend: str = "docker"
    """Where a node gets its boxes from."""


# -- the asking side -------------------------------------------------------------------------------------------------


class CommandCluster:
    """One node a command. A node that is lost is started again by whoever looks for nodes."""

    def __init__(self, settings: SandboxSettings, remote: RemoteSettings) -> None:
        own = [sys.executable, "-m", "sandbox", "node"]
        commands = [shlex.split(command) for command in remote.nodes] or [own]
        self._commands = {f"{number}:{command[-1]}": command for number, command in enumerate(commands)}
        self._chosen = {name: getattr(settings, name) for name in settings.model_fields_set - _NODES_OWN}
        self._backend = remote.node_backend

    async def found(self) -> Mapping[str, str]:
        """Every command that was given."""
        return {ident: " ".join(command) for ident, command in self._commands.items()}

    async def open(self, node_id: str) -> NodeLink:
        """Start the command. Raises SandboxUnavailableError where there is no such program."""
        command = self._commands[node_id]
        environment = {**os.environ, "PYTHONPATH": _ROOT} if command[0] == sys.executable else None  # noqa: TID251 -- handed on whole
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxUnavailableError(f"{' '.join(command)} cannot be started: {error}") from None
        link = CommandLink(process)
        link.say(0, "chosen", self._backend, self._chosen)
        return link

    async def aclose(self) -> None:
        """Nodes are ended by whoever opened them."""


class CommandLink:
    """The streams of one node's process: numbered requests, answers in any order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[tuple[str, Any]]] = {}
        self._words = WordsTail()
        assert process.stderr is not None
        self._tasks = [asyncio.ensure_future(self._words.listen(process.stderr)), asyncio.ensure_future(self._read())]

    def say(self, number: int, kind: str, *arguments: Any) -> None:
        """Send one request. A node that is gone swallows it: its answers never come, and :meth:`_read` says so."""
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(_packed((number, kind, arguments)))

    async def ask(self, method: str, *arguments: Any) -> Any:
        """The value, or what the node raised."""
        async with contextlib.aclosing(self._answers("ask", method, *arguments)) as answers:
            async for _, (value, error) in answers:
                if error is not None:
                    raise error
                return value
        raise NodeLostError("a sandbox node answered nothing")

    async def send(self, source: Source) -> None:
        """Wheels that the node lacks go over the line; the bytes are checked on arrival."""
        files = files_of(source)
        missing = await self.ask("missing", list(files))
        try:
            blobs = [await asyncio.to_thread(files[digest].read_bytes) for digest in missing]
        except OSError as error:
            raise SandboxUnavailableError(f"{source.manifest.id} cannot be sent to a node: {error}") from error
        await self.ask("hold", Label.of(source), *blobs)

    async def judge(self, digest: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[list[Row]]:
        """Rows as they come."""
        async with contextlib.aclosing(self._answers("judge", digest, isolation, list(calls))) as answers:
            async for kind, value in answers:
                if kind == "rows":
                    yield unpack_rows(value)
                elif value[1] is not None:
                    raise value[1]

    async def end(self) -> None:
        """Ask it to end its boxes, then end it."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_END_SECONDS):
                await self.ask("close")
        await self.kill()

    async def kill(self) -> None:
        """Its boxes end by end of file."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._lose("it was ended")

    async def _answers(self, kind: str, *arguments: Any) -> AsyncGenerator[tuple[str, Any]]:
        """``(kind, value)`` of each answer to a request, the last of kind ``over``. Closing it cancels what is left."""
        number = next(self._numbers)
        answers = self._waiting[number] = asyncio.Queue()
        is_over = False
        try:
            if self._tasks[1].done():
                self._lose("it has ended")
            self.say(number, kind, *arguments)
            while not is_over:
                name, value = await answers.get()
                is_over = name in ("over", "lost")
                if name == "lost":
                    raise NodeLostError(value)
                yield name, value
        finally:
            del self._waiting[number]
            if not is_over:
                self.say(number, "cancel")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                number, name, value = await _unpacked(self._process.stdout)
                if number in self._waiting:
                    self._waiting[number].put_nowait((name, value))
        await asyncio.wait(self._tasks[:1], timeout=1)
        self._lose(self._words.text[-300:] or "its process ended")

    def _lose(self, reason: str) -> None:
        for answers in self._waiting.values():
            answers.put_nowait(("lost", f"a sandbox node is gone: {reason}"))


# -- the node's side -------------------------------------------------------------------------------------------------


async def serve_node() -> None:
    """Serve whoever holds this process's standard streams, until they are closed."""
    loop = asyncio.get_running_loop()
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)  # a print shall not reach the line
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb"))
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(outgoing, "wb"))
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    _, _, (backend, chosen) = await _unpacked(reader)
    node = SandboxNode(backend, chosen)
    running: dict[int, asyncio.Task[None]] = {}
    try:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                number, kind, arguments = await _unpacked(reader)
                if kind == "cancel":
                    task = running.get(number)
                    if task is not None:
                        task.cancel()
                    continue
                running[number] = asyncio.ensure_future(_serve(node, writer, number, kind, arguments))
                running[number].add_done_callback(lambda _, number=number: running.pop(number, None))  # type: ignore[misc]
    finally:
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)
        await node.on_close()


async def _serve(
    node: SandboxNode, writer: asyncio.StreamWriter, number: int, kind: str, arguments: tuple[Any, ...]
) -> None:
    """One request to its end."""
    answer: tuple[Any, Exception | None] = (None, None)
    try:
        if kind == "ask":
            answer = await node.ask(*arguments)
        else:
            async with contextlib.aclosing(node.judge(*arguments)) as batches:
                async for rows in batches:
                    writer.write(_packed((number, "rows", rows)))
                    await writer.drain()
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is told to whoever asked
        answer = (None, error.with_traceback(None))
    writer.write(_packed((number, "over", answer)))
    await writer.drain()


def _packed(message: tuple[Any, ...]) -> bytes:
    data = pickle.dumps(message)
    return _LENGTH.pack(len(data)) + data


async def _unpacked(reader: asyncio.StreamReader) -> tuple[Any, ...]:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    message: tuple[Any, ...] = pickle.loads(await reader.readexactly(length))  # noqa: S301 -- between machines of ours
    return message
