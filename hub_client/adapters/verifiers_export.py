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
dependencies = ["verifiers>=0.4"]

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
"""
_INIT = '''\
"""{reference} of the hub as a taskset of verifiers."""

import json
from importlib.resources import files

try:
    from hub_client.adapters.verifiers import {imports}
except ImportError as error:
    raise ImportError("{name} plays with Verihub's client: install Verihub beside it, as its README says") from error

HubTaskset = make_taskset(Spec.parse(json.loads((files(__name__) / "environment.json").read_text())))
__all__ = {exported}
'''
_README = """\
# {name}

{reference} (`{digest}`), made by `verihub export`. Its tasks and verdicts come from {hub}; nothing is copied here.

Install Verihub's client into the same environment, from where you have it: `pip install "PATH/TO/verihub[verifiers]"`.
It is no dependency by name, because whoever owns that name on an index would run code here.
`VERIHUB_URL` names another hub.

    vf-eval {name} -m MODEL --env.agent.harness.id null --env.agent.runtime.type subprocess -c 2 --select.limit 5 -r 1

That plays five episodes, two at once, which a laptop can do. Without the last three options it plays all tasks, 128 at
once.
"""


def describe(env: Environment, target: str | None = None, hub_url: str = "") -> dict[str, Any]:
    """What a taskset needs to know before anything is fetched. ``target`` defaults to the release by its digest."""
    return {
        "hub": hub_url,
        "target": target or f"{env.manifest.id}@{env.digest}",
        "rewards": {name: reward.model_dump(mode="json") for name, reward in env.rewards.items()},
        "split": next(iter(env.manifest.tasks)),
        "has_session": env.manifest.session is not None,
    }


def write_package(env: Environment, folder: Path, *, target: str | None = None, hub_url: str = "") -> str:
    """Write the package into ``folder``, which must not exist. Returns the id by which verifiers finds it.

    ``hub_url``: the hub of the release, for workers whose settings name none.
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
        "hub": f"the hub at {hub_url}" if hub_url else "the hub",
        "imports": "HubSessionEnv, Spec, make_taskset" if is_session else "Spec, make_taskset",
        "exported": '["HubSessionEnv", "HubTaskset"]' if is_session else '["HubTaskset"]',
    }
    (folder / module).mkdir(parents=True)
    (folder / "pyproject.toml").write_text(_PYPROJECT.format(**words), encoding="utf-8")
    (folder / "README.md").write_text(_README.format(**words), encoding="utf-8")
    (folder / module / "__init__.py").write_text(_INIT.format(**words))
    (folder / module / "environment.json").write_text(json.dumps(describe(env, target, hub_url), indent=2) + "\n")
    return name
