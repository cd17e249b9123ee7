"""What the engine is told of a box, without an engine: every guard, and nothing that the package chose."""

import fcntl
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.box_config import box_config
from sandbox.backends.docker.engine import seccomp_profile
from sandbox.checks.samples import Sample
from sandbox.interface import BoxResources, BoxRole, BoxSpec

RESOURCES = BoxResources(BoxRole.SOLUTION, 64)
SPEC = BoxSpec(BoxRole.SOLUTION, RESOURCES)


@pytest.mark.parametrize("runtime", [None, "", "runc", "runsc"])
def test_no_runtime_loosens_a_guard(runtime: str | None) -> None:
    made = box_config(SPEC, "image", 7, {"a": "b"}, seccomp_profile(), can_limit_cpu=True, runtime=runtime)
    host = made["HostConfig"]
    assert made["User"] == "7:7"
    assert made["NetworkDisabled"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"]
    assert host["CapDrop"] == ["ALL"]
    assert "CapAdd" not in host
    assert "Privileged" not in host
    assert "Binds" not in host
    assert "Mounts" not in host
    assert host["SecurityOpt"][0] == "no-new-privileges"
    assert json.loads(host["SecurityOpt"][1].removeprefix("seccomp="))["defaultAction"] == "SCMP_ACT_ERRNO"
    assert host["Memory"] == host["MemorySwap"] > RESOURCES.memory_mb << 20
    assert host["PidsLimit"] >= RESOURCES.process_count
    assert "noexec" in host["Tmpfs"]["/tmp"]
    assert f"size={RESOURCES.folder_mb}m" in host["Tmpfs"]["/tmp"]
    assert host.get("Runtime", "") == (runtime or "")


def test_memory_grows_with_what_calls_may_use() -> None:
    def memory(resources: BoxResources) -> int:
        spec = replace(SPEC, resources=resources)
        limit = box_config(spec, "image", 7, {}, "{}", can_limit_cpu=False)["HostConfig"]["Memory"]
        assert isinstance(limit, int)
        return limit

    assert memory(replace(RESOURCES, memory_mb=164)) - memory(RESOURCES) == 100 * RESOURCES.memory_shares << 20


def test_a_package_chooses_neither_command_nor_user_nor_variables(tmp_path: Path) -> None:
    source = Sample("def verify(task, response):\n    return {'correct': 1.0}\n", name="plain").source(tmp_path)
    ours, anothers = (
        box_config(BoxSpec(BoxRole.VERIFIER, RESOURCES, given), "image", 7, {}, "{}", can_limit_cpu=False)
        for given in (source, replace(source, digest="sha256:" + "0" * 64, python="3.13"))
    )
    assert ours == anothers
    assert ours["Cmd"][-1].endswith("/sandbox/guest/__main__.py")
    assert ours["Entrypoint"] == []
    assert [name.partition("=")[0] for name in ours["Env"]] == ["PYTHONHASHSEED"]


def test_the_allow_list_gives_a_reason_for_each_group_and_leaves_out_what_it_must() -> None:
    profile = json.loads(seccomp_profile())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert all(rule["comment"] for rule in profile["syscalls"])
    plain = {name for rule in profile["syscalls"] if not rule.get("args") for name in rule["names"]}
    refused = {"ptrace", "io_uring_setup", "bpf", "mount", "unshare", "setns", "keyctl", "shmget", "mq_open", "socket"}
    assert not plain & (refused | {"clone", "userfaultfd", "perf_event_open", "process_vm_writev", "mknod", "chroot"})


def test_locks_that_every_box_would_see_are_refused_whatever_the_upper_half_of_the_command_says() -> None:
    """The kernel reads 32 bits of a command and the filter compares 64."""
    tests = [rule["args"] for rule in json.loads(seccomp_profile())["syscalls"] if "fcntl" in rule["names"]]

    def is_allowed(command: int) -> bool:
        def holds(test: dict[str, Any]) -> bool:
            assert test["index"] == 1
            if test["op"] == "SCMP_CMP_LT":
                return command < test["value"]
            if test["op"] == "SCMP_CMP_EQ":
                return command == test["value"]
            assert test["op"] == "SCMP_CMP_MASKED_EQ"
            return command & test["value"] == test["valueTwo"]

        return any(all(map(holds, one)) for one in tests)

    wanted = [command for name, command in vars(fcntl).items() if name.startswith("F_") and command >= 0]
    hints = range(1035, 1039)
    refused = {fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW, *hints}
    assert {command for command in {*wanted, *hints} if not is_allowed(command)} == refused
    assert not any(is_allowed(command | high << 32) for command in refused for high in (0, 1, 1 << 31, 2**32 - 1))
