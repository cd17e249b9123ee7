"""Sandboxes on machines that a command reaches (``ssh gpu-7 python -m sandbox node``), over its standard streams.

Routing, retries and the detection of losses are the same as on a Ray cluster (``sandbox/cluster``). Messages of both
sides are parsed and checked (:mod:`sandbox.cluster.wire`).
"""

import asyncio
import contextlib
import itertools
import os
import shlex
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.backends.stderr_tail import StderrTail
from sandbox.cluster.link import NodeLink, Row, unpack_rows
from sandbox.cluster.node import SandboxNode
from sandbox.cluster.settings import OF_EACH_NODE, RemoteSettings
from sandbox.cluster.wheel_transfer import ReleaseHeader, files_of
from sandbox.cluster.wire import (
    WireMessage,
    error_as_data,
    error_of,
    header_as_data,
    header_of,
    packed,
    read_message,
    result_as_data,
    result_of,
)
from sandbox.errors import NodeLostError, SandboxUnavailableError
from sandbox.interface import Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

_END_SECONDS = 10.0  # chosen, not measured
_ROOT = str(Path(__file__).resolve().parents[3])


# -- the asking side -------------------------------------------------------------------------------------------------


class CommandCluster:
    """One node for each command. A node that is lost is started again at the next search for nodes."""

    none_found = "no command starts a sandbox node: set VERIHUB_SANDBOX_REMOTE_NODES"

    def __init__(self, settings: SandboxSettings, remote: RemoteSettings) -> None:
        own = [sys.executable, "-m", "sandbox", "node"]
        commands = [shlex.split(command) for command in remote.nodes] or [own]
        self._commands = {f"{number}:{command[-1]}": command for number, command in enumerate(commands)}
        self._chosen = settings.model_dump(mode="json", include=settings.model_fields_set - OF_EACH_NODE)
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
        link.say(0, "chosen", [self._backend, self._chosen])
        return link

    async def aclose(self) -> None:
        """Nodes are ended by whoever opened them."""


class CommandLink:
    """The streams of one node's process: numbered requests, answers in any order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[WireMessage]] = {}
        self._stderr = StderrTail()
        assert process.stderr is not None
        self._tasks = [asyncio.ensure_future(self._stderr.listen(process.stderr)), asyncio.ensure_future(self._read())]

    def say(self, number: int, name: str, values: Sequence[Any] = (), attachments: Sequence[bytes] = ()) -> None:
        """Send one request. When the node is gone the request is dropped, and :meth:`_read` reports it."""
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(packed(number, name, values, attachments))

    async def ask(self, method: str, *arguments: Any) -> Any:
        """The value, checked for what the method answers; or what the node raised."""
        return await self._ask(method, arguments)

    async def send(self, source: Source) -> None:
        """Wheels that the node lacks go over the line; the bytes are checked on arrival."""
        files = files_of(source)
        missing = await self.ask("missing", list(files))
        try:
            wheels = [await asyncio.to_thread(files[digest].read_bytes) for digest in missing if digest in files]
        except OSError as error:
            raise SandboxUnavailableError(f"{source.manifest.id} cannot be sent to a node: {error}") from error
        await self._ask("hold", [header_as_data(ReleaseHeader.of(source))], wheels)

    async def judge(self, key: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[list[Row]]:
        """Rows as they come."""
        async with contextlib.aclosing(self._answers("judge", [key, isolation.value], calls)) as answers:
            async for answer in answers:
                for rows in answer.attachments:
                    yield unpack_rows(rows)
                if answer.name == "raised":
                    raise error_of(answer.values[:1][0] if answer.values else None)

    async def _ask(self, method: str, values: Sequence[Any], attachments: Sequence[bytes] = ()) -> Any:
        async with contextlib.aclosing(self._answers("ask", [method, *values], attachments)) as answers:
            async for answer in answers:
                if answer.name == "raised":
                    raise error_of(answer.values[0] if answer.values else None)
                return result_of(method, answer.values[0] if answer.values else None)
        raise NodeLostError("a sandbox node answered nothing")

    async def end(self) -> None:
        """Ask it to end its boxes, then end it."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_END_SECONDS):
                await self.ask("close")
        await self.kill()

    async def kill(self) -> None:
        """Kill the node's process. Its boxes end when their input closes."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._lose("it was ended")

    async def _answers(
        self, kind: str, values: Sequence[Any], attachments: Sequence[bytes] = ()
    ) -> AsyncGenerator[WireMessage]:
        """Each answer to one request, up to ``over`` or ``raised``. Closing it cancels what is left."""
        number = next(self._numbers)
        answers = self._waiting[number] = asyncio.Queue()
        is_over = False
        try:
            if self._tasks[1].done():
                self._lose("it has ended")
            self.say(number, kind, values, attachments)
            while not is_over:
                answer = await answers.get()
                is_over = answer.name in ("over", "raised")
                yield answer
        finally:
            del self._waiting[number]
            if not is_over:
                self.say(number, "cancel")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        fault = ""
        try:
            while True:
                message = await read_message(self._process.stdout)
                if message.number in self._waiting:
                    self._waiting[message.number].put_nowait(message)
        except (asyncio.IncompleteReadError, ConnectionError):
            await asyncio.wait(self._tasks[:1], timeout=1)
        except NodeLostError as error:  # Nothing that it sends can be trusted any more.
            fault = str(error)
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        self._lose(fault or self._stderr.text[-300:] or "its process ended")

    def _lose(self, reason: str) -> None:
        told = error_as_data(NodeLostError(f"a sandbox node is gone: {reason}"))
        for number, answers in self._waiting.items():
            answers.put_nowait(WireMessage(number, "raised", [told]))


# -- the node's side -------------------------------------------------------------------------------------------------


async def serve_node() -> None:
    """Serve whoever holds this process's standard streams, until they are closed."""
    loop = asyncio.get_running_loop()
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)  # A print must not reach the connection.
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb"))
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(outgoing, "wb"))
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    running: dict[int, asyncio.Task[None]] = {}
    node: SandboxNode | None = None
    try:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            backend, chosen = (await read_message(reader)).values
            node = SandboxNode(backend, chosen)
            while True:
                request = await read_message(reader)
                if request.name == "cancel":
                    task = running.get(request.number)
                    if task is not None:
                        task.cancel()
                    continue
                task = running[request.number] = asyncio.ensure_future(_serve(node, writer, request))
                task.add_done_callback(lambda _, number=request.number: running.pop(number, None))  # type: ignore[misc]
    finally:
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)
        if node is not None:
            await node.on_close()


async def _serve(node: SandboxNode, writer: asyncio.StreamWriter, request: WireMessage) -> None:
    """One request to its end."""
    try:
        if request.name == "ask":
            last = packed(request.number, "over", [result_as_data(await _asked(node, request))])
        else:
            key, isolation = request.values
            judged = node.judge(key, Isolation(isolation), request.attachments)
            async with contextlib.aclosing(judged) as batches:
                async for rows in batches:
                    writer.write(packed(request.number, "rows", attachments=[rows]))
                    await writer.drain()
            last = packed(request.number, "over")
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is told to whoever asked
        last = packed(request.number, "raised", [error_as_data(error)])
    writer.write(last)
    await writer.drain()


async def _asked(node: SandboxNode, request: WireMessage) -> Any:
    method, *arguments = request.values
    if method == "hold":
        arguments = [header_of(*arguments), *request.attachments]
    value, error = await node.ask(method, *arguments)
    if error is not None:
        raise error
    return value
