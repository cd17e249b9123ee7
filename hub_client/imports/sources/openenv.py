"""An environment written for OpenEnv, from pip's index, a folder or a wheel: played in the box, without its server."""

import functools
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hub_client.errors import UsageError
from hub_client.imports.draft import Draft, ImportRefusedError, Item, Provenance
from hub_client.imports.packages import BoxNeeds, FolderPackage, IndexPackage, WheelPackage, open_package
from hub_client.imports.registry import Request
from hub_client.imports.reported_rewards import read_report
from hub_client.imports.source import code_of

_STANDS_IN = {"_stand_ins/not_carried.py": "not_carried"}
_WITHOUT = ("fastapi", "fastmcp", "gradio", "huggingface-hub", "openai", "rich", "typer", "uvicorn")
"""Dependencies that serve, display or fetch; none of them runs in a box."""
_APP = re.compile(rb"\bcreate_(?:fastapi_|web_interface_)?app\(\s*\w")
_NAME = re.compile(r"^name: *[\"']?([\w.-]+)", re.MULTILINE)
_RANGE = re.compile(r"^ +range: *\[ *(-?[\d.]+) *, *(-?[\d.]+) *\]", re.MULTILINE)
_FURTHEST = 1e6
_NOTES = (
    "The environment itself is played in the box; its app is imported and not served.",
    "An action is a call of `act`, or a text: the action's one field, or a JSON object.",
    "`reward` is that of the last step, as OpenEnv's clients read it; `total` adds all of them up.",
    "An episode is accepted when `reward` reaches the top of its range: OpenEnv knows numbers and no right or wrong.",
    "The state of an episode is its list of actions; the verifier plays them again from the same seed.",
    "OpenEnv has no words for what is asked of a model: the prompt is what `reset` shows, and the action's form.",
)


class OpenEnv:
    """One package: ``where`` is a folder with an ``openenv.yaml``, a wheel, or the name that pip knows."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def _package(self) -> FolderPackage | WheelPackage | IndexPackage:
        return open_package(self._request, "openenv", BoxNeeds((), without=_WITHOUT))

    def items(self) -> list[Item]:
        """The one that was named. Whether it can be imported is only known after its code ran in a box."""
        return [Item(self._request.where, f"version {self._package.version}")]

    def draft(self, item: str) -> Draft:
        """A first draft, which plays the environment in a box."""
        package = self._package
        licence = self._request.licence or package.licence
        if not licence:
            raise UsageError(f"{item} does not say its licence, since all on a hub is public: give it with --licence")
        flat = isinstance(package, FolderPackage) and "openenv.yaml" in package.copied  # the folder is the package
        files = package.files if isinstance(package, IndexPackage) else package.copied
        described = files.get("openenv.yaml", b"").decode(errors="replace")
        found = _NAME.search(described)
        name = re.sub(r"\W", "_", found[1]) if found else package.module
        copied = {f"{name}/{path}" if flat else path: data for path, data in package.copied.items()}
        words = {"MODULE": _app_of(files if isinstance(package, IndexPackage) else copied), "NAME": name}
        span = _RANGE.search(described)
        first = Draft(
            Provenance(f"openenv:{item}", package.version, licence, package.home),
            summary=package.summary or f"The environment {name} of OpenEnv",
            code=code_of("openenv", words) + "\n\ngenerate = describe\n",
            rewards={"reward": {}},
            needs=package.needs(self._request.cache),
            generates=True,
            files={
                **{path: code_of(template).encode() for path, template in _STANDS_IN.items()},
                **{f"environment/{path}": data for path, data in copied.items()},
            },
            tags=["multi-turn"],
            memory_mb=1024,
            timeout_seconds=120.0,
        )
        stated = (float(span[1]), float(span[2])) if span else None
        return replace(first, then=functools.partial(_complete, first, words, stated))


def _app_of(files: Mapping[str, bytes]) -> str:
    """The module that creates the app."""
    found = [path for path, data in sorted(files.items()) if path.endswith(".py") and _APP.search(data)]
    own = [path for path in found if not path.startswith(("openenv/", "openenv_core/"))]
    if not own:
        raise ImportRefusedError("no module of it creates an app of OpenEnv")
    chosen = next((path for path in own if path.endswith("app.py")), own[0])
    return chosen.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _complete(
    first: Draft, words: Mapping[str, str], stated: tuple[float, float] | None, told: Mapping[str, Any]
) -> Draft:
    """``first`` as a session, with the range of its reward that was ``stated`` or seen in a box."""
    found = read_report(told)
    _, low, high = found.rewards["reward"]
    low, high = stated or (min(-1.0, low), max(1.0, high))
    metrics = {
        "total": ("the rewards of all steps together", [-_FURTHEST, _FURTHEST]),
        "steps": ("actions, and texts that were none", [0.0, 200.0]),
        "done": ("the environment ended the episode", [0.0, 1.0]),
    }
    return replace(
        first,
        code=code_of("openenv", words),
        rewards={
            "reward": {"description": "the reward of the last step", "range": [low, high], "threshold": high},
            **{name: {"description": line, "role": "metric", "range": span} for name, (line, span) in metrics.items()},
        },
        session=True,
        notes=_NOTES,
        then=None,
    )
