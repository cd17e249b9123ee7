"""What the engine was really told about a box; and what becomes of boxes on an engine that fails at any step."""

import asyncio
import errno
import json
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker import backend as backend_module
from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.engine import DockerEngine, seccomp_profile
from sandbox.backends.docker.reaper import BOOT, CLAIM, EXPIRES, FOLDER, HOST, LABEL, OWNER, ROLE, boot_id, host_id
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import HostFaultError, ImageMissingError, SandboxUnavailableError
from sandbox.images.image_builder import BuiltImage
from sandbox.interface import BoxResources, BoxRole, BoxSpec, Call
from sandbox.settings import SandboxSettings
from tests.fakes.docker_engine import HANGS_UP, SILENT, Asked, Reply, ScriptedEngine, refusal
from tests.sandbox.conftest import judge_one

CODE = "def verify(task, response):\n    return {'correct': 1.0}\n"


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[dict[str, Any]]]:
    settings = SandboxSettings(boxes_per_package=2)
    backend = DockerBackend(settings)
    with BlockingSandbox(backend, settings) as sandbox:
        sandbox.warm(Sample(CODE, name="inspected").source(tmp_path_factory.mktemp("inspected")), 2)
        api: Any = backend.engine.api
        own = str(backend._claim().lock_path)
        boxes = [box for box in backend.found_boxes() if box.labels["verihub.sandbox.owner"] == own]
        yield [api.inspect_container(box.ident) for box in boxes]


@pytest.mark.docker
def test_every_guard_is_on(inspected: list[dict[str, Any]]) -> None:
    assert len(inspected) == 2
    for box in inspected:
        host = box["HostConfig"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"]
        assert host["CapDrop"] == ["ALL"]
        assert not host["CapAdd"]
        assert not host["Privileged"]
        assert host["IpcMode"] == "none"
        assert host["PidsLimit"] == 48
        assert host["Memory"] == host["MemorySwap"] > 0
        assert host["LogConfig"]["Type"] == "none"
        assert host["AutoRemove"]
        assert host["OomScoreAdj"] == 500
        assert not host["Binds"]
        [mount_of_socket] = [mount for mount in box["Mounts"] if mount["Type"] != "tmpfs"]
        assert (mount_of_socket["Destination"], mount_of_socket["RW"]) == ("/run/verihub", False)
        assert not Path(mount_of_socket["Source"]).exists(), "the box has come through its door"
        assert "no-new-privileges" in host["SecurityOpt"]
        [profile] = [option for option in host["SecurityOpt"] if option.startswith("seccomp=")]
        assert json.loads(profile.removeprefix("seccomp=")) == json.loads(seccomp_profile())
        assert "noexec,nosuid,nodev" in host["Tmpfs"]["/tmp"]
        assert "nr_inodes=1024" in host["Tmpfs"]["/tmp"]
        assert "PYTHONHASHSEED=0" in box["Config"]["Env"]
        assert {pair.split("=")[0] for pair in box["Config"]["Env"]} <= {"PATH", "LANG", "PYTHONHASHSEED"}


@pytest.mark.docker
def test_no_process_of_a_box_may_set_the_limits_of_another(tmp_path: Path) -> None:
    code = """
from sandbox.guest.baseline import limits_others_may_set
def verify(task, response):
    return {'correct': float(limits_others_may_set() == [])}
"""
    with BlockingSandbox(DockerBackend(SandboxSettings())) as sandbox:
        verdict = judge_one(sandbox, Sample(code, name="limits").source(tmp_path), "x")
    assert verdict.rewards == {"correct": 1.0}, verdict


@pytest.mark.docker
def test_every_box_has_a_uid_of_its_own(inspected: list[dict[str, Any]]) -> None:
    users = [box["Config"]["User"] for box in inspected]
    assert len(set(users)) == 2
    assert all(int(user.split(":")[0]) >= 0x7000_0000 for user in users)


def test_without_an_engine_the_error_says_what_to_do(tmp_path: Path) -> None:
    settings = SandboxSettings(docker_url=f"unix://{tmp_path}/no.sock", state_folder=tmp_path / "state", host_retries=0)
    backend = DockerBackend(settings)
    with pytest.raises(SandboxUnavailableError, match=r"no Docker engine answers.*start it"):
        _ = DockerEngine(settings.docker_url).api
    with BlockingSandbox(backend, settings) as sandbox:
        source = Sample(CODE, name="alone").source(tmp_path)
        [(_, verdict)] = sandbox.score(source, [Call("1", TASK, response="2")])
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind == "host"
    assert "no Docker engine answers" in verdict.error.message


# -- an engine that answers as told ----------------------------------------------------------------------------------


class Deaf:
    """Takes what comes over a connection."""

    def __init__(self) -> None:
        self.ends: list[str] = []

    def received(self, data: bytes) -> None:
        """Frames are no matter here."""

    def closed(self, reason: str) -> None:
        self.ends.append(reason)


SOLUTION = BoxSpec(BoxRole.SOLUTION, BoxResources(BoxRole.SOLUTION, 64))
Talk = Callable[[DockerBackend], Coroutine[Any, Any, None]]


def over(engine: ScriptedEngine, folder: Path, talk: Talk, **settings: Any) -> None:
    """Run ``talk`` with a backend over that engine, whose images are all there."""
    backend = DockerBackend(
        SandboxSettings(docker_url=engine.url, state_folder=folder / "state", docker_timeout_seconds=60, **settings)
    )
    image = BuiltImage("verihub/guest:1", "sha256:aa", "sha256:bb")

    async def run() -> None:
        backend._images["3.11"] = image
        try:
            await talk(backend)
        finally:
            await backend.aclose()

    asyncio.run(run())


def test_a_box_is_attached_before_it_starts_and_removed_when_it_is_killed(
    scripted: ScriptedEngine, tmp_path: Path
) -> None:
    async def talk(backend: DockerBackend) -> None:
        heard = Deaf()
        connection = await backend.open(SOLUTION, heard)
        assert scripted.names() == [
            "POST /containers/create",
            "POST /containers/c1/attach",
            "POST /containers/c1/start",
        ]
        await connection.kill()
        await connection.kill()
        assert scripted.names()[3:] == ["DELETE /containers/c1"]
        await asyncio.sleep(0)
        assert len(heard.ends) == 1

    over(scripted, tmp_path, talk, use_sockets=False)


@pytest.mark.parametrize("step", ["POST /containers/create", "POST /containers/*/attach", "POST /containers/*/start"])
@pytest.mark.parametrize("answer", [refusal(500, "no"), HANGS_UP], ids=["refuses", "hangs up"])
def test_a_box_that_does_not_start_leaves_no_container_no_uid_and_no_socket(
    scripted: ScriptedEngine, tmp_path: Path, step: str, answer: Any
) -> None:
    scripted.told[step] = answer

    async def talk(backend: DockerBackend) -> None:
        with pytest.raises(HostFaultError):
            await backend.open(SOLUTION, Deaf())
        assert scripted.containers == {}
        assert backend._claim()._used == set()
        assert backend._sockets is not None
        assert list(backend._sockets._folder.iterdir()) == []

    over(scripted, tmp_path, talk)


def test_every_box_has_the_labels_by_which_it_is_known(scripted: ScriptedEngine, tmp_path: Path) -> None:
    async def talk(backend: DockerBackend) -> None:
        connection = await backend.open(SOLUTION, Deaf())
        labels = scripted.containers["c1"]["Labels"]
        owner = backend._claim()
        assert labels[LABEL] == "1"
        assert (labels[OWNER], labels[CLAIM]) == (str(owner.lock_path), owner.claim)
        assert labels[FOLDER] == owner.folder_id
        assert (labels[HOST], labels[BOOT]) == (host_id(), boot_id())
        assert labels[ROLE] == "solution"
        assert 3600 < float(labels[EXPIRES]) - time.time() < 5000
        await connection.kill()

    over(scripted, tmp_path, talk, use_sockets=False)


def test_an_image_that_vanished_is_made_again_once_and_a_second_loss_is_an_error(
    scripted: ScriptedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def make(*_: object, python: str) -> BuiltImage:
        made.append(python)
        return BuiltImage("verihub/guest:2", "sha256:cc", "sha256:dd")

    monkeypatch.setattr(backend_module, "ensure_guest_image", make)
    created: list[str] = []

    def refuse(asked: Asked) -> Reply:
        created.append(asked.json()["Image"])
        return refusal(404, f"No such image: {created[-1]}")

    scripted.told["POST /containers/create"] = refuse

    async def talk(backend: DockerBackend) -> None:
        with pytest.raises(ImageMissingError, match="No such image: sha256:cc"):
            await backend.open(SOLUTION, Deaf())
        assert (created, made) == (["sha256:aa", "sha256:cc"], ["3.11"])
        del scripted.told["POST /containers/create"]
        await (await backend.open(SOLUTION, Deaf())).kill()

    over(scripted, tmp_path, talk, use_sockets=False)


def test_facts_of_so_many_images_are_kept(
    scripted: ScriptedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_module, "_KEPT_IMAGES", 1)
    asked: list[str] = []

    def make(*_: object, python: str) -> BuiltImage:
        asked.append(python)
        return BuiltImage(f"verihub/guest:{python}", "sha256:cc", "sha256:dd")

    monkeypatch.setattr(backend_module, "ensure_guest_image", make)

    async def talk(backend: DockerBackend) -> None:
        for python in ("3.12", "3.12", "3.13", "3.12"):
            await (await backend.open(replace(SOLUTION, solution_python=python), Deaf())).kill()
        assert asked == ["3.12", "3.13", "3.12"]

    over(scripted, tmp_path, talk, use_sockets=False)


def test_a_full_disk_of_the_clients_own_says_where_to_make_room(
    scripted: ScriptedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(*_: object, python: str) -> BuiltImage:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/var/cache/half.part")

    monkeypatch.setattr(backend_module, "ensure_guest_image", make)

    async def talk(backend: DockerBackend) -> None:
        backend._images.clear()
        with pytest.raises(
            SandboxUnavailableError, match=r"No space left on device \(/var/cache/half.part\): make room"
        ):
            await backend.open(SOLUTION, Deaf())

    over(scripted, tmp_path, talk, use_sockets=False)


def test_an_engine_that_does_not_see_our_folders_is_not_asked_for_a_socket_again(
    scripted: ScriptedEngine, tmp_path: Path
) -> None:
    asked_mounts: list[int] = []

    def create(asked: Asked) -> Reply:
        mounts = asked.json()["HostConfig"].get("Mounts", [])
        asked_mounts.append(len(mounts))
        if mounts:
            return refusal(400, 'invalid mount config for type "bind": bind source path does not exist: /x')
        return scripted._create(asked)

    scripted.told["POST /containers/create"] = create

    async def talk(backend: DockerBackend) -> None:
        for _ in range(2):
            await (await backend.open(SOLUTION, Deaf())).kill()
        assert asked_mounts == [1, 0, 0]

    over(scripted, tmp_path, talk)


def test_a_caller_that_leaves_while_its_box_starts_leaves_nothing_behind(
    scripted: ScriptedEngine, tmp_path: Path
) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def start(asked: Asked) -> Reply:
        entered.set()
        go_on.wait()
        return scripted._start(asked)

    scripted.told["POST /containers/*/start"] = start

    async def talk(backend: DockerBackend) -> None:
        opening = asyncio.ensure_future(backend.open(SOLUTION, Deaf()))
        await asyncio.to_thread(entered.wait)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert backend._claim()._used == set()
        go_on.set()
        await asyncio.wait(backend._calls)
        assert scripted.started == ["c1"], "the engine had started it by then"
        assert scripted.containers == {}

    over(scripted, tmp_path, talk, use_sockets=False)


def test_a_stuck_engine_is_waited_for_once_and_not_once_for_every_box(
    scripted: ScriptedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_module, "_CLOSING_SECONDS", 0.05)
    scripted.told["DELETE /containers/*"] = SILENT

    async def talk(backend: DockerBackend) -> None:
        connections = [await backend.open(SOLUTION, Deaf()) for _ in range(3)]
        for connection in connections:
            await connection.kill()
        assert backend._claim()._used == set()
        for _ in range(10):  # what runs in the background begins
            await asyncio.sleep(0)
        assert len(backend._calls) == 3, "nobody waits for the answers, and each box is asked about"
        scripted.end_silence()
        await asyncio.wait(backend._calls)
        assert len({name for name in scripted.names() if name.startswith("DELETE")}) == 3

    over(scripted, tmp_path, talk, use_sockets=False)


def test_an_engine_that_refuses_to_remove_a_box_costs_its_closing_nothing(
    scripted: ScriptedEngine, tmp_path: Path
) -> None:
    scripted.told["DELETE /containers/*"] = refusal(500, "device or resource busy")

    async def talk(backend: DockerBackend) -> None:
        await (await backend.open(SOLUTION, Deaf())).kill()
        assert backend._claim()._used == set()

    over(scripted, tmp_path, talk, use_sockets=False)


def test_in_a_folder_that_others_may_write_to_nothing_is_judged_or_opened(
    scripted: ScriptedEngine, tmp_path: Path
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(0o777)

    async def talk(backend: DockerBackend) -> None:
        with pytest.raises(SandboxUnavailableError, match="VERIHUB_SANDBOX_STATE_FOLDER"):
            await backend.reap()
        with pytest.raises(SandboxUnavailableError, match="VERIHUB_SANDBOX_STATE_FOLDER"):
            await backend.open(SOLUTION, Deaf())
        assert scripted.names() == []

    over(scripted, tmp_path, talk)


def test_gvisor_gets_no_socket_and_an_engine_elsewhere_none_either(tmp_path: Path) -> None:
    for url, runtime, has_sockets in (
        ("unix:///run/x.sock", None, True),
        ("unix:///run/x.sock", "runsc", False),
        ("tcp://gpu-7:2376", None, False),
    ):
        backend = DockerBackend(SandboxSettings(docker_url=url, runtime=runtime, state_folder=tmp_path))
        assert backend._has_sockets is has_sockets
        backend._threads.shutdown()
