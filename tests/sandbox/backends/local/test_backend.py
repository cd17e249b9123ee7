"""The local backend, started by root: boxes are users without rights, so that a hostile package is survived."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends import make_backend
from sandbox.backends.local import backend as local
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import BoxLostError, SandboxUnavailableError, VerifierFailedError
from sandbox.host.guest_config import layout_config
from sandbox.interface import BoxLayout, Call
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.verdict import Verdict
from tests.making.altered_library import alter_library

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="about what root must not do")

HOSTILE = Sample(
    """
    import os, signal

    def verify(task, response, info):
        assert os.getuid() != 0 and os.geteuid() != 0, "still root: nothing more is tried"
        command, _, rest = response.partition(" ")
        if command == "kill-all":
            os.kill(-1, signal.SIGKILL)
        elif command == "kill":
            os.kill(int(rest), signal.SIGKILL)
        elif command == "delete":
            os.unlink(rest)
        elif command == "rise":
            os.setuid(0)
        elif command == "ids":
            info["ids"] = [*os.getresuid(), *os.getresgid()]
            info["groups"] = os.getgroups()
            open("own", "w").close()
        return {"correct": 1.0}
    """,
    timeout_seconds=5.0,
)

EXAM = Sample(
    """
    from importlib.resources import files

    def verify(task, response, info):
        info["there"] = sorted(one.name for one in files(__package__ or __name__).iterdir() if one.suffix == ".jsonl")
        return {"correct": 1.0}
    """,
    name="exam",
    head='verifier = "PACKAGE:verify"\naudit = ["audit.jsonl"]',
    files={"audit.jsonl": '{"id": "a", "task": {"id": "t"}, "response": "2", "label": "correct"}\n', "more.jsonl": ""},
)
"""Looks for its own labelled cases."""


def judge(sandbox: BlockingSandbox, tmp_path: Path, response: str) -> Verdict:
    [(_, verdict)] = sandbox.score(HOSTILE.source(tmp_path), [Call("1", TASK, response=response)])
    return verdict


@needs_root
def test_a_box_is_a_user_of_its_own_without_rights(local_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    info = judge(local_sandbox, tmp_path, "ids").info
    assert len(set(info["ids"])) == 1
    assert info["ids"][0] >= 61_000
    assert info["groups"] == []
    refused = judge(local_sandbox, tmp_path, "rise")
    assert refused.error is not None
    assert "Operation not permitted" in refused.error.message


def test_a_verifier_finds_no_labelled_cases_of_its_own(local_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    [(_, verdict)] = local_sandbox.score(EXAM.source(tmp_path), [Call("1", TASK, response="2")])
    assert verdict.info == {"there": ["more.jsonl"]}


@needs_root
def test_code_that_kills_everything_ends_nothing_but_its_own_box(
    local_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    bystander = subprocess.Popen(["sleep", "60"], user=60_999)
    file = tmp_path / "kept"
    file.write_text("x")
    try:
        verdict = judge(local_sandbox, tmp_path, "kill-all")
        assert verdict.rewards == {"correct": None}
        for attempt in (f"kill {bystander.pid}", f"kill {os.getpid()}", f"delete {file}"):
            assert judge(local_sandbox, tmp_path, attempt).rewards == {"correct": None}
        assert bystander.poll() is None
        assert file.exists()
        assert judge(local_sandbox, tmp_path, "nothing").rewards == {"correct": 1.0}
    finally:
        bystander.kill()
        bystander.wait()


def test_root_that_cannot_become_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    alter_library(monkeypatch, local, "os", geteuid=lambda: 0)
    monkeypatch.setattr(local, "_may_change_users", lambda: False)
    with pytest.raises(SandboxUnavailableError, match="VERIHUB_SANDBOX_LOCAL_AS_ROOT=true if you wrote or read all"):
        make_backend("local", SandboxSettings(trust_local_code=True))
    make_backend("local", SandboxSettings(trust_local_code=True, local_as_root=True))


@needs_root
def test_what_only_root_may_read_is_kept_from_boxes_where_they_do_not_need_it(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir(mode=0o700)
    hidden = tmp_path / "inner" / "file"
    hidden.write_text("x")
    assert not local._is_open_to_others(hidden)
    assert local._is_open_to_others(Path("/usr/bin/env"))


def test_the_number_of_a_process_that_is_collected_is_not_killed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then it may be the number of anybody's process."""
    killed: list[int] = []
    real = os.killpg
    alter_library(monkeypatch, local, "os", killpg=lambda pid, number: (killed.append(pid), real(pid, number)))

    async def run() -> None:
        settings = SandboxSettings(trust_local_code=True, replay_fraction=0.0)
        async with Sandbox(make_backend("local", settings), settings) as sandbox:
            await sandbox.warm(HOSTILE.source(tmp_path))
            [box] = sandbox.pool.verifier_dispatcher(HOSTILE.source(tmp_path)).boxes.serving
            await box.kill("once")
            await box.kill("twice")

    asyncio.run(run())
    assert len(killed) == 1


def test_a_box_without_a_file_system_of_its_own_does_not_use_landlock() -> None:
    assert layout_config(BoxLayout((), "/w", "x"))["landlock"] is False
    assert layout_config(BoxLayout((), "/w", "x", has_landlock=True))["landlock"] is True


@pytest.mark.parametrize(
    ("last", "is_killed", "fault", "words"),
    [
        ("time.sleep(60)", True, BoxLostError, "killed from outside while the package was imported"),
        ("os._exit(3)", False, VerifierFailedError, "the box ended while the package was imported"),
        ("os.closerange(0, 64); time.sleep(60)", False, VerifierFailedError, "the box ended while the package was imp"),
    ],
    ids=["killed", "ends itself", "closes its line"],
)
def test_whose_fault_it_is_that_each_box_ends_while_it_imports(
    last: str, is_killed: bool, fault: type[Exception], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import os, time\n{last}\ndef verify(task, response):\n    return {{'correct': 1.0}}\n"
    source = Sample(code, name="dying").source(tmp_path)
    begin, pids = local._LocalConnection.__init__, list[int]()

    def killed_soon(connection: Any, process: asyncio.subprocess.Process, *more: Any) -> None:
        begin(connection, process, *more)
        pids.append(process.pid)
        if is_killed:
            asyncio.get_running_loop().call_later(0.2, os.kill, process.pid, signal.SIGKILL)

    monkeypatch.setattr(local._LocalConnection, "__init__", killed_soon)

    async def run() -> None:
        settings = SandboxSettings(trust_local_code=True, replay_fraction=0.0)
        async with Sandbox(make_backend("local", settings), settings) as sandbox:
            with pytest.raises(fault, match=words):
                await sandbox.warm(source)

    asyncio.run(run())
    assert len(pids) == 4, "whoever ends it, it is tried as often"
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
