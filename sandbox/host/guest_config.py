"""The resources of a box, and the configuration that its zygote gets at the start."""

import secrets
from typing import Any

from sandbox.errors import VerifierFailedError
from sandbox.host.wheel_contents import warm_examples
from sandbox.interface import BoxLayout, BoxResources, BoxRole, BoxSpec, Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Manifest, SandboxNeeds
from schemas.sources import EntryPoint

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
)  # fmt: skip -- solutions nearly always import these; a fork then has them already


_DAYS_AHEAD = range(40, 1500)
"""More than the month after which a hub measures again, so that no grade waits for the day on which code changes."""
_HOSTS = ("box", "node", "worker", "gpu", "host")
BRANCHES_SHARE = 2
"""Times ``sessions_per_box``: how many sessions a box may hold when they branch."""


def verifier_resources(source: Source, settings: SandboxSettings) -> BoxResources:
    """The resources of a box that judges calls of ``source``.

    Raises VerifierFailedError if the package asks for more than the operator allows.
    """
    needs = _checked_needs(source, settings)
    return BoxResources(
        BoxRole.VERIFIER,
        needs.memory_mb,
        process_count=settings.call_processes,
        lifetime_seconds=settings.box_lifetime_seconds,
    )


def _checked_needs(source: Source, settings: SandboxSettings) -> SandboxNeeds:
    needs = source.manifest.sandbox
    for name, asked, given, unit in (
        ("memory_mb", needs.memory_mb, settings.most_memory_mb, "MB"),
        ("timeout_seconds", needs.longest_seconds, settings.most_timeout_seconds, "s"),
    ):
        if asked > given:
            raise VerifierFailedError(
                f"{source.manifest.id} asks for {asked:g} {unit} ({name}), but this sandbox gives at most {given:g} "
                f"{unit}: its operator can raise VERIHUB_SANDBOX_MOST_{name.upper()}"
            )
    return needs


def solution_resources(settings: SandboxSettings) -> BoxResources:
    """The resources of a box that runs code which a model wrote."""
    return BoxResources(
        BoxRole.SOLUTION, settings.solution_memory_mb, process_count=64, lifetime_seconds=settings.box_lifetime_seconds
    )


def environment_resources(source: Source, settings: SandboxSettings) -> BoxResources:
    """The resources of a box with live sessions.

    Each session is a process, and so is each state to which it can go back. Branches count as sessions.

    Raises VerifierFailedError if the package asks for more than the operator allows.
    """
    needs = _checked_needs(source, settings)
    most = settings.sessions_per_box * BRANCHES_SHARE
    processes = most * (settings.session_undo_depth + 2) + 32
    return BoxResources(
        BoxRole.ENVIRONMENT,
        needs.memory_mb,
        memory_shares=2 + settings.sessions_per_box // 16,
        process_count=processes,
        open_file_count=most + 64,  # the zygote holds one for each
        folder_mb=64,
        folder_file_count=8192,
        lifetime_seconds=settings.box_lifetime_seconds + settings.session_lifetime_seconds,
    )


def _warms_up(manifest: Manifest) -> bool:
    """Whether a box runs examples at its start. Not for packages that make model calls, which are impossible there."""
    return manifest.own_verifier is not None and manifest.model is None


def layout_config(layout: BoxLayout) -> dict[str, Any]:
    """The part of the START frame that depends on where the box is."""
    return {
        "work_folder": layout.work_folder,
        "import_paths": list(layout.import_paths),
        "landlock": layout.has_landlock,
        "socket": layout.socket,
    }


def _another_place() -> dict[str, Any]:
    """Where and when a box says that it is. Drawn anew for each: what a package could know of it would be a mark."""
    return {
        "ahead": 86_400 * secrets.choice(_DAYS_AHEAD) + secrets.randbelow(86_400),
        "host": f"{secrets.choice(_HOSTS)}{secrets.randbelow(100)}",
        "kernel": f"{secrets.choice((5, 6))}.{secrets.randbelow(18)}.0-{secrets.randbelow(120)}-generic",
        "processors": secrets.choice((2, 3, 4, 6, 8)),
    }


def guest_config(spec: BoxSpec, settings: SandboxSettings) -> dict[str, Any]:
    """The part of the START frame that depends on the package. Blocking: it reads examples from the wheel."""
    resources = spec.resources
    config: dict[str, Any] = {
        "role": spec.role.value,
        "limits": {
            "memory_mb": resources.memory_mb,
            "file_mb": resources.file_mb,
            "open_file_count": resources.open_file_count,
        },
    }
    if spec.source is None:
        return {**config, "preload": list(_SOLUTION_PRELOAD)}
    if spec.source.is_elsewhere:
        config["elsewhere"] = _another_place()
    manifest = spec.source.manifest
    probes = [entry for entry in (manifest.probes.register_, manifest.probes.pairs) if isinstance(entry, EntryPoint)]
    config.update(
        verifier=manifest.own_verifier,
        rewards={name: list(reward.range) for name, reward in manifest.rewards.items()},
        generators=[*manifest.generated_splits.values(), *manifest.case_generators, *probes],
        tools=manifest.own_tools,
        session=manifest.session if spec.role is BoxRole.ENVIRONMENT else None,
        harness=manifest.harness if spec.role is BoxRole.ENVIRONMENT else None,
        undo_depth=settings.session_undo_depth,
        call_seconds=manifest.sandbox.timeout_seconds,
        examples=warm_examples(spec.source, settings.warm_examples) if _warms_up(manifest) else [],
    )
    return config
