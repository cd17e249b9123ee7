"""Nodes without a process: each answers what a test has it answer, and a cluster of them."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

from sandbox.cluster.link import NodeFacts, NodeReport, Row
from sandbox.cluster.node import own_version
from sandbox.interface import Source
from schemas.manifest import Isolation

WELL = NodeFacts(own_version(), 1, 2)


class ToldLink:
    """``answers``: method -> a value, an error to raise, or a function of the arguments, which may be a coroutine's."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {"hello": WELL, "report": NodeReport(), **answers}
        self.asked: list[tuple[Any, ...]] = []
        self.sent: list[str] = []
        self.ends: list[str] = []

    async def ask(self, method: str, *arguments: Any) -> Any:
        self.asked.append((method, *arguments))
        answer = self.answers.get(method)
        if callable(answer):
            answer = answer(*arguments)
        if asyncio.iscoroutine(answer):
            answer = await answer
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def send(self, source: Source) -> None:
        self.sent.append(source.digest)
        await self.ask("send", source)

    async def judge(self, digest: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[list[Row]]:
        for rows in self.answers["judge"](calls):
            await asyncio.sleep(0)
            if isinstance(rows, BaseException):
                raise rows
            yield rows

    async def end(self) -> None:
        self.ends.append("end")

    async def kill(self) -> None:
        self.ends.append("kill")

    def count(self, method: str) -> int:
        """How often it was asked that."""
        return sum(asked[0] == method for asked in self.asked)


class ToldCluster:
    """Nodes by id; ``open`` gives a link, raises an error, or calls a function."""

    none_found = "there is no node: start one"

    def __init__(self, **nodes: Any) -> None:
        self.nodes: dict[str, Any] = dict(nodes)
        self.fault: Exception | None = None
        self.opened: list[str] = []
        self.looks = 0
        self.is_left = False

    async def found(self) -> Mapping[str, str]:
        self.looks += 1
        if self.fault is not None:
            raise self.fault
        return {ident: f"node-{ident}" for ident in self.nodes}

    async def open(self, node_id: str) -> ToldLink:
        self.opened.append(node_id)
        node = self.nodes[node_id]
        if isinstance(node, BaseException):
            raise node
        if isinstance(node, Callable):  # type: ignore[arg-type]
            found: ToldLink = await node()
            return found
        told: ToldLink = node
        return told

    async def aclose(self) -> None:
        self.is_left = True
