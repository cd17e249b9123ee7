"""What a box is allowed, and what its zygote is told at its start."""

from typing import Any

from sandbox.contents import warm_examples
from sandbox.interface import BoxPlace, BoxRole, BoxSpec, Policy, Source
from sandbox.settings import SandboxSettings

_SOLUTION_PRELOAD = (
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "typing",
)  # fmt: skip -- what models' solutions import nearly always; a fork then finds it there


BRANCHES_SHARE = 2
"""Times ``sessions_per_box``: how many sessions a box may hold when they branch."""


def verifier_policy(source: Source, settings: SandboxSettings) -> Policy:
    """For the calls of ``source``."""
    needs = source.manifest.sandbox
    return Policy(BoxRole.VERIFIER, needs.memory_mb, lifetime_seconds=settings.box_lifetime_seconds)


def solution_policy(settings: SandboxSettings) -> Policy:
    """For code that a model wrote."""
    return Policy(
        BoxRole.SOLUTION, settings.solution_memory_mb, process_count=64, lifetime_seconds=settings.box_lifetime_seconds
    )


def environment_policy(source: Source, settings: SandboxSettings) -> Policy:
    """For live sessions: each is a process, and so is each state that it can go back to. Branches count as sessions."""
    needs = source.manifest.sandbox
    most = settings.sessions_per_box * BRANCHES_SHARE
    processes = most * (settings.session_undo_depth + 2) + 32
    return Policy(
        BoxRole.ENVIRONMENT,
        needs.memory_mb,
        memory_shares=2 + settings.sessions_per_box // 16,
        process_count=processes,
        open_file_count=most + 64,  # the zygote holds one for each
        folder_mb=64,
        folder_file_count=8192,
        lifetime_seconds=settings.box_lifetime_seconds + settings.session_lifetime_seconds,
    )


def place_config(place: BoxPlace, *, landlock: bool) -> dict[str, Any]:
    """The part of the START frame that depends on where the box is."""
    return {
        "work_folder": place.work_folder,
        "import_paths": list(place.import_paths),
        "landlock": landlock,
        "door": place.door,
    }


def guest_config(spec: BoxSpec, settings: SandboxSettings) -> dict[str, Any]:
    """The part of the START frame that depends on the package. Blocking: it reads examples from the wheel."""
    policy = spec.policy
    config: dict[str, Any] = {
        "role": spec.role.value,
        "limits": {
            "memory_mb": policy.memory_mb,
            "file_mb": policy.file_mb,
            "open_file_count": policy.open_file_count,
        },
    }
    if spec.source is None:
        return {**config, "preload": list(_SOLUTION_PRELOAD)}
    manifest = spec.source.manifest
    register = manifest.probes.register_
    own_verifier = manifest.verifier if manifest.foreign_verifier is None else None
    config.update(
        verifier=own_verifier,
        rewards={name: list(reward.range) for name, reward in manifest.rewards.items()},
        generators=[point for point in (*manifest.tasks.values(), *manifest.audit, register or "") if ":" in point],
        tools=[point for point in manifest.tools if ":" in point and "/" not in point],
        session=manifest.session if spec.role is BoxRole.ENVIRONMENT else None,
        harness=manifest.harness if spec.role is BoxRole.ENVIRONMENT else None,
        undo_depth=settings.session_undo_depth,
        call_seconds=manifest.sandbox.timeout_seconds,
        examples=warm_examples(spec.source, settings.warm_examples) if own_verifier else [],
    )
    return config
