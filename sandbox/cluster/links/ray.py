"""Ray itself: connecting, the nodes that offer sandboxes, an actor on each. The only module that imports it."""

import asyncio
import logging
import re
import socket
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import ray
from cachetools import LRUCache
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from sandbox.cluster.link import NodeLink, Row, unpack_rows
from sandbox.cluster.node import SandboxNode
from sandbox.cluster.settings import OF_EACH_NODE, RaySettings
from sandbox.cluster.wheel_transfer import ReleaseHeader, files_of
from sandbox.errors import BoxLostError, NodeLostError, SandboxError, SandboxUnavailableError
from sandbox.interface import Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

RESOURCE = "sandbox"
_TOGETHER = 100_000  # calls of an actor that may wait for something at the same time: the driver bounds them
_END_SECONDS = 10.0  # chosen, not measured
_STORED_WHEELS = 32  # chosen: each takes its size of Ray's object store
_KNOCK_SECONDS = 10.0  # chosen, not measured
_CAUSE_LETTERS = 300
_COLOUR = re.compile("\\x1b\\[[0-9;]*m")
_RAISED = re.compile(r"[\w.]*(Error|Exception)\b.*:")
_connecting = threading.Lock()


class RayCluster:
    """A Ray cluster: the one that this program is in already, else the one of the settings."""

    none_found = (
        "no node of the Ray cluster offers sandboxes: start those that shall with "
        "`ray start --address=HEAD:6379 --resources='{\"sandbox\": 1}'`"
    )

    def __init__(self, settings: SandboxSettings, ray_settings: RaySettings) -> None:
        self._settings = ray_settings
        self._chosen = {name: getattr(settings, name) for name in settings.model_fields_set - OF_EACH_NODE}
        self._stored = _Stored()
        self._is_ours = False

    async def found(self) -> Mapping[str, str]:
        """Living nodes with the resource ``sandbox``, by Ray's id."""
        return await asyncio.to_thread(self._found)

    async def open(self, node_id: str) -> NodeLink:
        """An actor on exactly that node; Ray queues it until the node has a share left."""
        actor_class = ray.remote(SandboxNode).options(
            num_cpus=self._settings.cpus,
            resources={RESOURCE: self._settings.share},
            max_concurrency=_TOGETHER,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=False),
        )
        return RayLink(actor_class.remote(self._settings.node_backend, self._chosen), self._stored)

    async def aclose(self) -> None:
        """Leave the cluster, if we were the one that joined it."""
        if self._is_ours:
            self._is_ours = False
            await asyncio.to_thread(ray.shutdown)

    def _found(self) -> dict[str, str]:
        self._connect()
        try:
            rows = ray.nodes()
        except RayError as error:
            raise SandboxUnavailableError(f"the Ray cluster does not answer: {error}") from error
        return {
            row["NodeID"]: f"{row['NodeManagerHostname']}/{row['NodeID'][:8]}"
            for row in rows
            if row["Alive"] and row["Resources"].get(RESOURCE, 0) > 0
        }

    def _connect(self) -> None:
        """Join once a process. In a thread: Ray would take over the main thread's SIGTERM."""
        with _connecting:
            if ray.is_initialized():
                return
            address = self._settings.address
            own = {"resources": {RESOURCE: 1}, "include_dashboard": False} if address == "local" else {}
            try:
                if address not in ("auto", "local"):
                    _check_reachable(address)
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
            except (ConnectionError, RuntimeError, ValueError, OSError, RayError) as error:
                raise SandboxUnavailableError(
                    f"no Ray cluster at {address!r} ({words_of(error)}); on its head run `ray start --head "
                    f"--resources='{{\"sandbox\": 1}}'` and set VERIHUB_SANDBOX_RAY_ADDRESS=HOST:6379, or =local for "
                    "a cluster of this machine alone"
                ) from None
            self._is_ours = True


class _Stored:
    """The latest wheels in Ray's object store: put there once, fetched by every node that lacks them."""

    def __init__(self) -> None:
        self._references: LRUCache[str, Any] = LRUCache(_STORED_WHEELS)

    async def reference(self, digest: str, path: Path) -> Any:
        if digest not in self._references:
            blob = await asyncio.to_thread(path.read_bytes)
            self._references.setdefault(digest, ray.put(blob))
        return self._references[digest]


class RayLink:
    """One actor, and what Ray raises when it is gone as the sandbox's errors."""

    def __init__(self, actor: Any, stored: _Stored) -> None:
        self._actor = actor
        self._stored = stored

    async def ask(self, method: str, *arguments: Any) -> Any:
        """Arguments that are references are fetched by Ray, node to node."""
        reference = None
        try:
            reference = self._actor.ask.remote(method, *arguments)
            value, error = await reference
        except asyncio.CancelledError:
            with suppress(Exception):
                ray.cancel(reference)
            raise
        except RayError as fault:
            raise _fault_of(fault) from None
        if error is not None:
            raise error
        return value

    async def send(self, source: Source) -> None:
        """Wheels that are missing there go through the object store; the bytes are checked on arrival."""
        files = files_of(source)
        missing = await self.ask("missing", list(files))
        try:
            references = [await self._stored.reference(digest, files[digest]) for digest in missing]
        except (OSError, RayError) as error:
            raise SandboxUnavailableError(f"{source.manifest.id} cannot be sent to a node: {error}") from error
        await self.ask("hold", ReleaseHeader.of(source), *references)

    async def judge(self, key: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[list[Row]]:
        """One streaming call of the actor."""
        stream, is_over = None, False
        try:
            stream = self._actor.judge.options(num_returns="streaming").remote(key, isolation, calls)
            async for reference in stream:
                yield unpack_rows(await reference)
            is_over = True
        except RayError as fault:
            is_over = True
            raise _fault_of(fault) from None
        finally:
            if not is_over:
                with suppress(Exception):
                    ray.cancel(stream)

    async def end(self) -> None:
        """Ask it to end its boxes, then end it."""
        with suppress(Exception):
            async with asyncio.timeout(_END_SECONDS):
                await self.ask("close")
        await self.kill()

    async def kill(self) -> None:
        with suppress(Exception):  # of an actor that is gone already, Ray says so in many ways
            ray.kill(self._actor)


def _check_reachable(address: str) -> None:
    """Raise OSError or ValueError unless somebody listens there: Ray itself would try for a minute, then exit."""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in address or not port.isdigit():
        raise ValueError("it must be HOST:PORT of the head's GCS, usually port 6379; ray:// is for Ray Client")
    socket.create_connection((host, int(port)), timeout=_KNOCK_SECONDS).close()


def _fault_of(fault: RayError) -> Exception:
    """What the node's own code raised, or that the node is gone."""
    if isinstance(fault, RayTaskError):
        cause = fault.cause
        if isinstance(cause, (SandboxError, ValueError, TypeError)):
            return cause.with_traceback(None)
        return BoxLostError(f"a sandbox node failed: {type(cause).__name__}: {words_of(cause)}")
    return NodeLostError(f"a sandbox node is gone: {words_of(fault)}")


def words_of(error: BaseException) -> str:
    """What Ray says, on one line: its first, and the exception on the node that it quotes below a traceback."""
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    raised = [number for number, line in enumerate(lines) if _RAISED.match(line)]
    cause = " ".join(lines[raised[-1] :])[:_CAUSE_LETTERS] if raised and raised[-1] > 0 else ""
    first = lines[0].partition(", ray::")[0] if cause else lines[0]
    return f"{first}: {cause}" if cause else first
