"""A package of a few lines that makes an environment of the hub a taskset of `verifiers`, installable by name."""

import json
from pathlib import Path
from typing import Any

import tomlkit

from hub_client.environments import Environment
from hub_client.errors import ConflictError

_PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
description = {description}
requires-python = ">=3.11"
dependencies = ["verihub[verifiers]"]

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
"""
_INIT = '''\
"""{reference} of the hub as a taskset of verifiers."""

import json
from importlib.resources import files

from hub_client.adapters.verifiers import {imports}

HubTaskset = make_taskset(Spec.parse(json.loads((files(__name__) / "environment.json").read_text())))
__all__ = {exported}
'''
_README = """\
# {name}

{reference} (`{digest}`), made by `verihub export`. Its tasks and verdicts come from the hub; nothing is copied here.

    vf-eval {name} -m MODEL --env.agent.harness.id null --env.agent.runtime.type subprocess
"""


def describe(env: Environment, target: str | None = None) -> dict[str, Any]:
    """What a taskset must know before anything is fetched; ``target`` defaults to the release by its digest."""
    return {
        "target": target or f"{env.manifest.id}@{env.digest}",
        "rewards": {name: reward.model_dump(mode="json") for name, reward in env.rewards.items()},
        "split": next(iter(env.manifest.tasks)),
        "has_session": env.manifest.session is not None,
    }


def write_package(env: Environment, folder: Path, *, target: str | None = None) -> str:
    """Write the package into ``folder``, which must not be there; returns the id that verifiers knows it by.

    Raises ConflictError where ``folder`` exists.
    """
    if folder.exists():
        raise ConflictError(f"{folder} is there already: remove it, or name another folder")
    module = f"{env.manifest.import_name}_v1"
    name = module.replace("_", "-")
    is_session = env.manifest.session is not None
    words = {
        "name": name,
        "module": module,
        "version": env.version,
        "description": tomlkit.string(env.package.contents.metadata.summary).as_string(),
        "reference": env.package.reference,
        "digest": env.digest,
        "imports": "HubSessionEnv, Spec, make_taskset" if is_session else "Spec, make_taskset",
        "exported": '["HubSessionEnv", "HubTaskset"]' if is_session else '["HubTaskset"]',
    }
    (folder / module).mkdir(parents=True)
    (folder / "pyproject.toml").write_text(_PYPROJECT.format(**words), encoding="utf-8")
    (folder / "README.md").write_text(_README.format(**words), encoding="utf-8")
    (folder / module / "__init__.py").write_text(_INIT.format(**words))
    (folder / module / "environment.json").write_text(json.dumps(describe(env, target), indent=2) + "\n")
    return name
