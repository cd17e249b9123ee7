"""kill -9 of a client that holds boxes: the next client of the same folder removes its boxes, and nobody else's."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.owners import Owner
from sandbox.backends.docker.reaper import FOLDER, OWNER
from sandbox.interface import BoxResources, BoxRole, BoxSpec
from sandbox.settings import SandboxSettings

pytestmark = pytest.mark.docker
SPEC = BoxSpec(BoxRole.SOLUTION, BoxResources(BoxRole.SOLUTION, 64))
CLIENT = """
import asyncio, sys
from pathlib import Path
from tests.sandbox.backends.docker.test_killed_client import Deaf, SPEC, backend_in

async def hold():
    backend = backend_in(Path(sys.argv[1]))
    boxes = [await backend.open(SPEC, Deaf()) for _ in range(2)]
    print(*[box.container for box in boxes], flush=True)
    await asyncio.Event().wait()

asyncio.run(hold())
"""


class Deaf:
    """Takes what comes over a connection."""

    def received(self, data: bytes) -> None:
        """Boxes here are never asked anything."""

    def closed(self, reason: str) -> None:
        """Nor missed."""


def backend_in(folder: Path) -> DockerBackend:
    return DockerBackend(SandboxSettings(state_folder=folder))


@contextmanager
def client_in(folder: Path) -> Iterator[tuple["subprocess.Popen[str]", list[str]]]:
    """Another process that holds two boxes, and their ids."""
    process = subprocess.Popen([sys.executable, "-c", CLIENT, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        try:
            yield process, process.stdout.readline().split()
        finally:
            process.kill()


def test_the_next_client_removes_the_boxes_of_one_that_was_killed_and_nobody_elses(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"

    async def run() -> None:
        living, later = backend_in(here), backend_in(here)
        api: Any = living.engine.api
        with client_in(here) as (killed, its_boxes):
            assert len(its_boxes) == 2
            box = await living.open(SPEC, Deaf())
            stranger = _created(living, elsewhere)
            try:
                for ident in its_boxes:
                    api.pause(ident)  # else they would end by themselves, as their line has ended
                assert not set(its_boxes) & await _reaped(later), "their owner lives"
                killed.kill()
                killed.wait()
                assert set(its_boxes) <= {found.ident for found in living.found_boxes()}
                reaped = await _reaped(later)
                assert set(its_boxes) <= reaped
                assert not {box.container, stranger} & reaped
                left = {found.ident for found in living.found_boxes()}
                assert not set(its_boxes) & left
                assert {box.container, stranger} <= left
            finally:
                await box.kill()
                living.engine.remove_container(stranger)
                for ident in its_boxes:
                    living.engine.remove_container(ident)
                await living.aclose()
                await later.aclose()

    asyncio.run(run())


async def _reaped(backend: DockerBackend) -> set[str]:
    """The boxes that it removes now: this test runs beside others, whose boxes come and go."""
    before = {found.ident for found in backend.found_boxes()}
    reaped = set(await asyncio.to_thread(backend._reap))
    assert reaped <= before
    return reaped


def _created(backend: DockerBackend, folder: Path) -> str:
    """A box of a dead client with another folder, which only that folder's next client may judge."""
    owner = Owner(folder)
    image = next(iter(backend._images.values())).image_id
    config = backend._config(SPEC, image, owner.take_uid(), backend._labels(SPEC, owner))
    config["HostConfig"]["AutoRemove"] = False
    owner.close()
    assert {OWNER, FOLDER} <= config["Labels"].keys()
    return backend.engine.create(config)
