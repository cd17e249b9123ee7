"""Which boxes a backend removes when it looks at all that its engine has."""

import time
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.reaper import BOOT, CLAIM, EXPIRES, FOLDER, HOST, LABEL, OWNER
from sandbox.errors import HostFaultError
from tests.fakes.docker_engine import ScriptedEngine, refusal
from tests.sandbox.backends.docker.test_backend import SOLUTION, Deaf, over


def _row(ident: str, backend: DockerBackend, **labels: str) -> dict[str, Any]:
    """A box that runs, of an owner here that is gone, as the engine lists it; ``labels`` by the reaper's names."""
    names = {"owner": OWNER, "claim": CLAIM, "folder": FOLDER, "host": HOST, "boot": BOOT, "expires": EXPIRES}
    here = backend._place(backend._claim().folder_id).labels()
    soon = str(int(time.time()) + 1000)
    owner = str(backend._claim().lock_path.with_name("owner-77.lock"))
    given = {names[name]: text for name, text in labels.items()}
    all_labels = {LABEL: "1", **here, OWNER: owner, EXPIRES: soon, **given}
    return {"Id": ident, "State": "running", "Created": int(time.time()), "Labels": all_labels}


def test_the_orphans_of_this_place_are_removed_and_nobody_elses_boxes(scripted: ScriptedEngine, tmp_path: Path) -> None:
    async def talk(backend: DockerBackend) -> None:
        scripted.rows = [
            _row("dead", backend),
            _row("ours", backend, owner=str(backend._claim().lock_path), claim=backend._claim().claim),
            _row("of who had our lock before", backend, owner=str(backend._claim().lock_path), claim="c" * 32),
            _row("of another folder", backend, folder="f" * 32),
            _row("of another machine", backend, host="0" * 16, boot="x"),
            _row("expired elsewhere", backend, host="0" * 16, expires="1"),
            _row("before the boot", backend, boot="another"),
            _row("without a date", backend, host="0" * 16, expires="soon"),
        ]
        scripted.containers = {row["Id"]: {} for row in scripted.rows}
        assert await backend.reap() == 5
        assert sorted(scripted.containers) == ["of another folder", "of another machine", "ours"]
        [listed] = [one for one in scripted.asked if one.path == "/containers/json"]
        assert LABEL in listed.query["filters"][0]

    over(scripted, tmp_path, talk, use_sockets=False)


def test_a_box_that_the_engine_lists_but_does_not_have_was_not_removed_by_us(
    scripted: ScriptedEngine, tmp_path: Path
) -> None:
    """Seen after a restart that met a removal: moby lists it as in removal until its next start, and each look counted
    one box more.
    """

    async def talk(backend: DockerBackend) -> None:
        scripted.rows = [_row("listed", backend, expires="1")]
        scripted.told["DELETE /containers/*"] = refusal(404, "no such container")
        backend._unremoved.add("listed")
        assert await backend.reap() == 0
        assert backend._unremoved == set()

    over(scripted, tmp_path, talk, use_sockets=False)


def test_a_box_of_ours_that_the_engine_would_not_remove_is_removed_by_the_next_reap(
    scripted: ScriptedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner lives on, maybe for weeks: nobody else would take it for an orphan."""
    monkeypatch.setattr("sandbox.backends.docker.engine._REMOVAL_PAUSES_SECONDS", (0.0, 0.0))

    async def talk(backend: DockerBackend) -> None:
        connection = await backend.open(SOLUTION, Deaf())
        labels = scripted.containers["c1"]["Labels"]
        scripted.rows = [{"Id": "c1", "State": "running", "Created": int(time.time()), "Labels": labels}]
        assert await backend.reap() == 0, "it is in use"
        scripted.told["DELETE /containers/c1"] = refusal(409, "is restarting")
        await connection.kill()
        assert await backend.reap() == 0
        del scripted.told["DELETE /containers/c1"]
        assert await backend.reap() == 1
        assert scripted.containers == {}
        scripted.rows = []
        assert await backend.reap() == 0
        assert backend._unremoved == set()

    over(scripted, tmp_path, talk, use_sockets=False)


def test_a_box_that_did_not_start_and_was_not_removed_is_removed_by_the_next_reap(
    scripted: ScriptedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that loses its answer may have started it: then it is nobody's until its time is over."""
    monkeypatch.setattr("sandbox.backends.docker.engine._REMOVAL_PAUSES_SECONDS", (0.0,))
    scripted.told["POST /containers/*/start"] = refusal(500, "the answer was lost")

    async def talk(backend: DockerBackend) -> None:
        for number, answer in enumerate((refusal(409, "is starting"), refusal(500, "could not kill")), 1):
            scripted.told["DELETE /containers/*"] = answer
            with pytest.raises(HostFaultError, match="the answer was lost"):
                await backend.open(SOLUTION, Deaf())
            labels = scripted.containers[f"c{number}"]["Labels"]
            scripted.rows = [{"Id": f"c{number}", "State": "running", "Created": int(time.time()), "Labels": labels}]
            del scripted.told["DELETE /containers/*"]
            assert await backend.reap() == 1
            assert scripted.containers == {}

    over(scripted, tmp_path, talk, use_sockets=False)


def test_one_orphan_that_is_stuck_keeps_no_other_from_being_removed(scripted: ScriptedEngine, tmp_path: Path) -> None:
    async def talk(backend: DockerBackend) -> None:
        scripted.rows = [_row(f"dead-{number}", backend) for number in range(3)]
        scripted.containers = {row["Id"]: {} for row in scripted.rows}
        scripted.told["DELETE /containers/dead-0"] = refusal(500, "could not kill: tried to kill container")
        assert await backend.reap() == 2
        assert list(scripted.containers) == ["dead-0"]

    over(scripted, tmp_path, talk, use_sockets=False)


@pytest.mark.parametrize(
    "row",
    [{}, None, {"Id": "x"}, {"Id": "x", "State": "running", "Created": "today", "Labels": {}}],
    ids=["empty", "null", "without a state", "without a time"],
)
def test_a_list_that_cannot_be_read_is_a_fault_and_removes_nothing(
    scripted: ScriptedEngine, tmp_path: Path, row: Any
) -> None:
    async def talk(backend: DockerBackend) -> None:
        scripted.rows = [_row("dead", backend), row]
        scripted.containers = {"dead": {}}
        with pytest.raises(HostFaultError, match="would not list boxes"):
            await backend.reap()
        assert list(scripted.containers) == ["dead"]

    over(scripted, tmp_path, talk, use_sockets=False)
