"""What the engine is told of a box: all that it may and may not. docs/explanation/threat_model.md has the reasons."""

from collections.abc import Mapping
from typing import Any

from sandbox.backends.docker import gvisor
from sandbox.images import layout
from sandbox.interface import BoxResources, BoxSpec

WORK_FOLDER = "/tmp"  # noqa: S108 -- a tmpfs of the box's own
_COMMAND = ("python3", "-s", "-P", "-S", f"{layout.GUEST_ROOT}/sandbox/guest/__main__.py")
"""All of ``-I`` but ``-E``, which would ignore the hash seed. No other ``PYTHON…`` variable is in a box: neither the
image's environment (``layout.ENVIRONMENT``) nor :attr:`BoxSpec.environment` has one.
"""
_HEADROOM_MB = 96  # For the zygote, its imports and the work folder, in addition to what a call may use.


def box_config(
    spec: BoxSpec,
    image: str,
    uid: int,
    labels: Mapping[str, str],
    profile: str,
    *,
    can_limit_cpu: bool,
    runtime: str | None = None,
) -> dict[str, Any]:
    """The body of the engine's ``POST /containers/create`` for a box of the image with this id.

    ``uid``: the box's own user and group. ``profile``: the seccomp profile, as JSON. Without ``can_limit_cpu`` a limit
    on processors would be an error of the engine; the box may then use every processor.
    """
    return {
        "Image": image,
        "Cmd": list(_COMMAND),
        "Entrypoint": [],
        "Env": list(spec.environment),
        "User": f"{uid}:{uid}",
        "Hostname": "box",
        "WorkingDir": "/",
        # PID 1 without handlers ignores other signals; the engine would wait 10 s for it to end.
        "StopSignal": "SIGKILL",
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "NetworkDisabled": True,
        "Labels": dict(labels),
        "HostConfig": host_config(spec.resources, profile, can_limit_cpu=can_limit_cpu, runtime=runtime),
    }


def host_config(
    resources: BoxResources, profile: str, *, can_limit_cpu: bool, runtime: str | None = None
) -> dict[str, Any]:
    """The limits and guards of :func:`box_config`, which its ``HostConfig`` holds."""
    memory = (resources.memory_mb * resources.memory_shares + resources.folder_mb + _HEADROOM_MB) << 20
    tmpfs = (
        f"rw,noexec,nosuid,nodev,size={resources.folder_mb}m,nr_inodes={resources.folder_file_count},"
        "mode=1777"  # of root: a call may fill it, and cannot change its mode, owner or times
    )
    config: dict[str, Any] = {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges", f"seccomp={profile}"],
        "IpcMode": "none",
        "PidsLimit": resources.process_count,
        "Memory": memory,
        "MemorySwap": memory,
        "Tmpfs": {WORK_FOLDER: tmpfs},
        "LogConfig": {"Type": "none", "Config": {}},
        "OomScoreAdj": 500,
        "AutoRemove": True,
    }
    if can_limit_cpu:
        config["NanoCpus"] = int(resources.cpu_count * 1e9)
    if runtime:
        config["Runtime"] = runtime
    return gvisor.adapt(config, resources, profile) if gvisor.is_gvisor(runtime) else config
