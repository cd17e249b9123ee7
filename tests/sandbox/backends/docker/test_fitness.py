"""Engines that lack something: refused where boxes would lack a wall, else told otherwise."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.engine import DockerEngine
from sandbox.backends.docker.fitness import can_limit_cpu, maps_users, what_is_missing
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import BoxResources, BoxRole, BoxSpec, Call
from sandbox.settings import SandboxSettings

FIT = {"MemoryLimit": True, "PidsLimit": True, "SecurityOptions": ["name=seccomp,profile=default"]}
FIT |= {"CpuCfsQuota": True, "CpuCfsPeriod": True}
ROOTLESS = {**FIT, "MemoryLimit": False, "PidsLimit": False, "SecurityOptions": ["name=seccomp", "name=rootless"]}
CODE = "def verify(task, response):\n    return {'correct': 1.0}\n"


def _backend(folder: Path, information: dict[str, Any]) -> DockerBackend:
    """A backend whose engine has said ``information``; nobody listens at its address."""
    backend = DockerBackend(
        SandboxSettings(docker_url=f"unix://{folder}/none.sock", state_folder=folder / "state", host_retries=0)
    )
    backend.engine.__dict__["information"] = information
    return backend


def test_a_fit_engine_lacks_nothing() -> None:
    assert what_is_missing(FIT) == []
    assert can_limit_cpu(FIT)


@pytest.mark.parametrize(
    ("information", "words"),
    [
        ({**FIT, "MemoryLimit": False}, "the engine cannot limit memory .*cgroup_enable=memory"),
        ({**FIT, "PidsLimit": False}, "the engine cannot limit pids .*cgroup_enable=pids"),
        ({**FIT, "SecurityOptions": []}, "the engine has no seccomp"),
        (ROOTLESS, "the engine cannot limit memory .*rootless Docker has limits only on cgroup v2"),
    ],
)
def test_where_a_box_would_lack_a_wall_the_first_error_says_why(
    tmp_path: Path, information: dict[str, Any], words: str
) -> None:
    backend = _backend(tmp_path, information)
    with BlockingSandbox(backend, backend._settings) as sandbox:
        source = Sample(CODE, name="unfit").source(tmp_path)
        [(_, verdict)] = sandbox.score(source, [Call("1", TASK, response="2")])
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind == "host"
    assert re.search(words, verdict.error.message), verdict.error.message
    assert "\n" not in verdict.error.message


def test_an_engine_that_cannot_limit_processors_is_not_asked_to(tmp_path: Path) -> None:
    spec = BoxSpec(BoxRole.SOLUTION, BoxResources(BoxRole.SOLUTION, 64))

    def asked_for(folder: Path, information: dict[str, Any]) -> dict[str, Any]:
        host: dict[str, Any] = _backend(folder, information)._config(spec, "image", 20_000, {})["HostConfig"]
        return host

    assert asked_for(tmp_path / "a", FIT)["NanoCpus"] == 10**9
    assert "NanoCpus" not in asked_for(tmp_path / "b", {**FIT, "CpuCfsQuota": False})


def test_the_engine_is_that_of_the_users_docker_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    assert DockerEngine().address == "unix:///var/run/docker.sock"
    (tmp_path / "config.json").write_text(json.dumps({"currentContext": "rootless"}))
    meta = tmp_path / "contexts" / "meta" / hashlib.sha256(b"rootless").hexdigest() / "meta.json"
    meta.parent.mkdir(parents=True)
    address = "unix:///run/user/1000/docker.sock"
    endpoints = {"docker": {"Host": address, "SkipTLSVerify": False}}
    meta.write_text(json.dumps({"Name": "rootless", "Metadata": {}, "Endpoints": endpoints}))
    assert DockerEngine().address == address
    assert DockerEngine().is_on_this_machine
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:9")
    assert DockerEngine().address == "tcp://127.0.0.1:9"
    assert DockerEngine("unix:///named.sock").address == "unix:///named.sock"


def test_an_engine_that_maps_users_says_so() -> None:
    assert not maps_users({"SecurityOptions": ["name=seccomp,profile=default"]})
    assert maps_users({"SecurityOptions": ["name=seccomp,profile=default", "name=rootless"]})
    assert maps_users({"SecurityOptions": ["name=userns"]})
    assert not maps_users({})
