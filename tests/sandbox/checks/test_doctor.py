"""What a host may lack, and what the doctor says to do about each."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.checks import doctor
from sandbox.checks.doctor import examine_host
from sandbox.settings import SandboxSettings
from tests.making.altered_library import alter_library

INFORMATION = {
    "ServerVersion": "29.6.0",
    "MemoryLimit": True,
    "PidsLimit": True,
    "CpuCfsQuota": True,
    "CpuCfsPeriod": True,
    "SecurityOptions": ["name=seccomp,profile=default", "name=userns"],
    "Runtimes": {"runc": {}, "runsc": {"path": "/usr/bin/runsc", "runtimeArgs": ["--network=none", "--oci-seccomp"]}},
}


def _at(socket_path: Path) -> str:
    [first, *_] = examine_host(SandboxSettings(docker_url=f"unix://{socket_path}"))
    assert first.level == "missing"
    return f"{first.what}: {first.advice}"


def test_an_engine_that_does_not_run_is_to_be_started(tmp_path: Path) -> None:
    assert "no socket at" in _at(tmp_path / "none.sock")
    assert "systemctl start docker" in _at(tmp_path / "none.sock")


def test_an_engine_that_is_not_installed_is_to_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no Docker engine is installed: install one" in _at(tmp_path / "none.sock")


def test_an_engine_that_has_ended_leaves_its_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(tmp_path / "dead.sock"))
    assert "has ended: `sudo systemctl restart docker`" in _at(tmp_path / "dead.sock")


@pytest.mark.skipif(os.geteuid() != 0, reason="somebody without rights is made from root")
def test_somebody_without_rights_is_told_of_the_group(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(tmp_path / "engine.sock"))
        (tmp_path / "engine.sock").chmod(0o600)
        line.listen()
        command = ["setpriv", "--reuid=61500", "--regid=61500", "--clear-groups", "--inh-caps=+dac_read_search"]
        command += ["--ambient-caps=+dac_read_search", sys.executable, "-m", "sandbox", "doctor"]
        environment = {**os.environ, "VERIHUB_SANDBOX_DOCKER_URL": f"unix://{tmp_path}/engine.sock"}
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert said.returncode == 6, said
    assert "no rights on the engine's socket" in said.stdout
    assert "usermod -aG docker" in said.stdout


def test_an_engine_elsewhere_is_named() -> None:
    [first, *_] = examine_host(SandboxSettings(docker_url="tcp://127.0.0.1:9"))
    assert (first.level, first.what) == ("missing", "no Docker engine answers at tcp://127.0.0.1:9")


def _levels(information: dict[str, object], settings: SandboxSettings | None = None) -> dict[str, str]:
    found = [*doctor._engine(information), doctor._runtime(information, settings or SandboxSettings())]
    return {finding.what: finding.level for finding in found}


def test_a_sound_engine_has_nothing_missing() -> None:
    assert set(_levels(INFORMATION).values()) == {"ok"}


@pytest.mark.parametrize(
    ("lacks", "what", "level"),
    [
        ({"MemoryLimit": False}, "the engine cannot limit memory", "missing"),
        ({"PidsLimit": False}, "the engine cannot limit pids", "missing"),
        ({"CpuCfsQuota": False}, "the engine cannot limit processors", "warning"),
        ({"SecurityOptions": ["name=userns"]}, "the engine has no seccomp", "missing"),
        ({"SecurityOptions": ["name=seccomp"]}, "root inside a container is root outside", "warning"),
        ({"ServerVersion": "20.10.24+dfsg1"}, "engine 20.10.24+dfsg1 is older than 29.5", "warning"),
        ({"Runtimes": {"runc": {}}}, "runtimes: runc", "warning"),
    ],
)
def test_what_an_engine_lacks_is_named(lacks: dict[str, object], what: str, level: str) -> None:
    assert _levels({**INFORMATION, **lacks})[what] == level


@pytest.mark.parametrize(
    ("runtimes", "what"),
    [
        ({"runc": {}}, "the engine knows no runtime runsc"),
        ({"runsc": {"path": "/usr/bin/runsc"}}, "runtime runsc lacks --network=none and --oci-seccomp"),
        ({"runsc": {"runtimeArgs": ["--network=none"]}}, "runtime runsc lacks --oci-seccomp"),
    ],
)
def test_a_runtime_that_is_not_ready_comes_with_the_lines_that_add_it(runtimes: dict[str, object], what: str) -> None:
    found = doctor._runtime({**INFORMATION, "Runtimes": runtimes}, SandboxSettings(runtime="runsc"))
    assert (found.level, found.what) == ("missing", what)
    assert '"runtimeArgs": ["--platform=ptrace", "--network=none", "--oci-seccomp"]' in found.advice
    assert "kill -HUP" in found.advice


def test_a_full_disk_is_named_before_images_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type(shutil.disk_usage("/"))
    for free_mb, level in ((100, "missing"), (1000, "warning"), (9000, "ok")):
        alter_library(monkeypatch, doctor, "shutil", disk_usage=lambda _, free=free_mb: usage(0, 0, free << 20))
        assert doctor._disk(tmp_path).level == level


@pytest.mark.docker
def test_a_fit_host_has_run_a_call_in_a_real_box() -> None:
    found = examine_host(SandboxSettings())
    assert not [finding for finding in found if finding.level == "missing"]
    assert any(finding.what.startswith("a box ran a call") for finding in found)
