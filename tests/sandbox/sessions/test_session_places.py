"""What is the same of sessions wherever they live: who may open one, and that each ends."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.samples import TASK, Sample
from sandbox.errors import VerifierFailedError
from sandbox.interface import Source
from sandbox.sessions.session_places import SessionPlaces
from sandbox.sessions.sessions import Session

HEAD = 'verifier = "PACKAGE:verify"\ntasks = { train = "tasks.jsonl" }'
FILES = {"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'}


class Place:
    """Notes what it is asked; every request is answered alike."""

    def __init__(self) -> None:
        self.closed: list[int] = []

    def new_ident(self) -> int:
        return 1

    async def ask(self, ident: int, kind: int, payload: bytes) -> Any:
        return {"messages": [], "tools": []}

    async def branch(self, ident: int, new: int) -> None:
        raise AssertionError("nobody branches")

    async def close(self, ident: int) -> None:
        self.closed.append(ident)


class Places(SessionPlaces):
    def __init__(self) -> None:
        self.place = Place()
        self.begun: list[tuple[dict[str, Any], int]] = []

    async def _begin(self, source: Source, task: dict[str, Any], seed: int) -> Session:
        self.begun.append((task, seed))
        return Session(self.place, len(self.begun), source, task, seed)


def source_of(folder: Path, more: str = "") -> Source:
    return Sample("", name="talks", kind="environment", head=f"{HEAD}{more}", files=FILES).source(folder)


def test_a_release_that_declares_no_session_begins_none(tmp_path: Path) -> None:
    places = Places()
    with pytest.raises(VerifierFailedError, match="declares no session; score its responses instead"):
        asyncio.run(places.open(source_of(tmp_path), TASK))
    assert places.begun == []


def test_a_session_ends_with_its_block_whatever_happens_there(tmp_path: Path) -> None:
    places, source = Places(), source_of(tmp_path, '\nsession = "PACKAGE:Session"')

    async def play() -> None:
        async with places.session(source, TASK, 7):
            assert places.place.closed == []
            raise KeyError("the caller's own")

    with pytest.raises(KeyError):
        asyncio.run(play())
    assert (places.begun, places.place.closed) == ([(TASK, 7)], [1])


def test_a_replay_begins_anew_with_the_same_task_and_seed_and_ends(tmp_path: Path) -> None:
    places, source = Places(), source_of(tmp_path, '\nsession = "PACKAGE:Session"')

    async def play() -> bool:
        session = await places.open(source, TASK, 7)
        await session.reset()
        return (await places.replay(source, session)).is_equal

    assert asyncio.run(play())
    assert places.begun == [(TASK, 7), (TASK, 7)]
    assert places.place.closed == [2]
