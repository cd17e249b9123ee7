"""What the engine was really told about a box."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.engine import DockerEngine, seccomp_profile
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SandboxUnavailableError
from sandbox.interface import Call
from sandbox.settings import SandboxSettings
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
        assert {pair.split("=")[0] for pair in box["Config"]["Env"]} <= {"PATH", "LANG"}


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
    assert all(int(user.split(":")[0]) >= 20_000 for user in users)


def test_the_allow_list_gives_a_reason_for_each_group_and_leaves_out_what_it_must() -> None:
    profile = json.loads(seccomp_profile())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert all(rule["comment"] for rule in profile["syscalls"])
    plain = {name for rule in profile["syscalls"] if not rule.get("args") for name in rule["names"]}
    refused = {"ptrace", "io_uring_setup", "bpf", "mount", "unshare", "setns", "keyctl", "shmget", "mq_open", "socket"}
    assert not plain & (refused | {"clone", "userfaultfd", "perf_event_open", "process_vm_writev", "mknod", "chroot"})


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
