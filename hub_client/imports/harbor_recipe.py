"""Converts one Harbor task to the data for a box, or finds the reason why a box cannot run it."""

import ast
import base64
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.harbor_folder import TaskFile, TaskFolder
from hub_client.imports.harbor_image import Image, read_image, unmet
from hub_client.imports.shell_needs import read_needs

_SYSTEM = frozenset({"bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "srv", "sys", "usr", "var"})
_OURS = ("/tests", "/logs", "/solution", "/tmp", "/root")  # noqa: S108 -- paths in a task's image
_PATH = re.compile(r"(?<![\w.~/-])/[A-Za-z_][\w.-]*(?:/[\w.-]+)*", re.ASCII)
_LONGEST_INSTRUCTION = 40_000
_BESIDE_PYTEST = frozenset({"pytest", "_pytest"})


@dataclass(frozen=True)
class HarborTask:
    """``told`` is JSON for the box; ``solution`` a command that does what the task's own solution does, or None."""

    name: str
    instruction: str
    told: Mapping[str, Any]
    solution: str | None
    left_out: tuple[str, ...]
    """Packages of its image that nothing in the task names."""
    has_canary: bool
    """Whether it says that it should never be in training data."""


def make_recipe(task: TaskFolder) -> HarborTask:
    """Raises :class:`ImportRefusedError` with one sentence, the first reason that was found."""
    if task.refused:
        raise ImportRefusedError(task.refused)
    _check_table(task.table)
    instruction = _instruction(task)
    tests = task.below("tests")
    if not task.text("tests/test.sh"):
        raise ImportRefusedError("it has no tests/test.sh")
    _check_layout(task)
    image = read_image(task.text("environment/Dockerfile"), task.below("environment"))
    image.env.update(_own_variables(task.table, "environment"))
    left_out = _check_needs(task, image)
    _check_imports(task, tests)
    workdir = str(task.table.get("environment", {}).get("workdir") or image.workdir)
    script, used = task.text("tests/test.sh"), task.text("solution/solve.sh")
    told = {
        "workdir": workdir if workdir.startswith("/") else "/",
        "env": image.env,
        "files": {path: _packed(file) for path, file in image.files.items()},
        "commands": image.commands,
        "tests": {f"/tests/{path}": _packed(file) for path, file in tests.items()},
        "test_env": _own_variables(task.table, "verifier"),
        "mapped": _mapped(image, workdir, [instruction, script, used]),
    }
    has_canary = any(b"canary" in file.data.lower() for file in task.files.values())
    return HarborTask(task.name, instruction, told, _solution(task), left_out, has_canary)


def _check_table(table: Mapping[str, Any]) -> None:
    """What ``task.toml`` asks for and a box has not."""
    environment, verifier = _section(table, "environment"), _section(table, "verifier")
    reasons = {
        "it has several steps": bool(table.get("steps")),
        f"its environment is a prebuilt image: {environment.get('docker_image')}": bool(
            environment.get("docker_image")
        ),
        "it runs on Windows": environment.get("os") == "windows",
        "it needs a GPU": bool(environment.get("gpus")),
        "it needs a TPU": bool(environment.get("tpu")),
        "it has servers of tools (mcp_servers)": bool(environment.get("mcp_servers")),
        "it waits for a service (healthcheck)": bool(environment.get("healthcheck")),
        f"it needs the network: {environment.get('allowed_hosts')}": bool(environment.get("allowed_hosts")),
        "its tests run in a container of their own": (
            verifier.get("environment_mode") == "separate" or bool(verifier.get("environment"))
        ),
        "its tests collect what services say (collect)": bool(verifier.get("collect")),
    }
    for reason, applies in reasons.items():
        if applies:
            raise ImportRefusedError(reason)


def _section(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise ImportRefusedError(f"its task.toml has no table [{name}]")
    return found


def _own_variables(table: Mapping[str, Any], section: str) -> dict[str, str]:
    found = _section(table, section).get("env") or {}
    asked = [name for name, value in found.items() if "${" in str(value)] if isinstance(found, dict) else []
    if asked and section == "verifier":
        raise ImportRefusedError(
            f"its tests ask a model or a service: they need {', '.join(asked)} from the host's environment"
        )
    if asked:
        raise ImportRefusedError(f"it needs {', '.join(asked)} from the host's environment")
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _instruction(task: TaskFolder) -> str:
    text = task.text("instruction.md").strip()
    if not text:
        raise ImportRefusedError("it has no instruction.md")
    if len(text) > _LONGEST_INSTRUCTION:
        raise ImportRefusedError(f"its instruction has over {_LONGEST_INSTRUCTION} characters")
    return text


def _check_layout(task: TaskFolder) -> None:
    for path in task.files:
        if re.fullmatch(r"environment/(?:docker-)?compose\.ya?ml", path):
            raise ImportRefusedError(f"it has services ({path})")
    if "environment/Dockerfile" not in task.files:
        raise ImportRefusedError("it has no environment/Dockerfile")
    if "tests/Dockerfile" in task.files:
        raise ImportRefusedError("its tests run in a container of their own")


def _check_needs(task: TaskFolder, image: Image) -> tuple[str, ...]:
    parts = [path for path in task.files if path != "environment/Dockerfile"]
    texts = [task.text(path) for path in parts]
    reasons, left_out = unmet(image.needs, "its image", texts)
    tests = [read_needs(task.text(path)) for path in task.files if path.startswith("tests/") and path.endswith(".sh")]
    own, _ = unmet(tests, "its tests: it", texts)
    if reasons := [*reasons, *own]:
        raise ImportRefusedError(reasons[0])
    return tuple(left_out)


def _check_imports(task: TaskFolder, tests: Mapping[str, TaskFile]) -> None:
    """Python files of the tests may import what a box has, what lies beside them, and what the work consists of."""
    own = {path.rpartition("/")[2].removesuffix(".py") for path in task.files if path.endswith(".py")}
    own |= {part for path in task.files for part in path.split("/")[:-1]}
    made = " ".join(task.text(path) for path in ("instruction.md", "solution/solve.sh"))
    for path, file in tests.items():
        if not path.endswith(".py"):
            continue
        try:
            tree = ast.parse(file.data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ImportRefusedError(f"tests/{path} cannot be read as Python") from None
        for name in sorted(_imported(tree) - sys.stdlib_module_names - own - _BESIDE_PYTEST):
            if not re.search(rf"\b{re.escape(name)}\.py\b|/{re.escape(name)}/", made):
                raise ImportRefusedError(f"its tests import {name}, and a box has Python's own library and pytest")


def _imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


def _mapped(image: Image, workdir: str, texts: list[str]) -> list[str]:
    """Folders that lie elsewhere in a box, longest first.

    These are folders with files of the image or of its commands, and paths that occur in at least two of ``texts``.
    """
    held = [*image.files, workdir, *(path for line in image.commands for path in _PATH.findall(line))]
    spoken = [set(_PATH.findall(text)) for text in texts]
    twice = {
        path for index, paths in enumerate(spoken) for path in paths if any(path in o for o in spoken[index + 1 :])
    }
    places = {_place(path) for path in [*held, *twice] if path.strip("/")} | set(_OURS)
    return sorted(places, key=lambda place: (-len(place), place))


def _place(path: str) -> str:
    """``/app/x/y`` lies in ``/app``. Of a folder that a box has too, only a part is meant: ``/etc/nginx``."""
    parts = path.strip("/").split("/")
    depth = 1 if parts[0] not in _SYSTEM and parts[0] != "home" else 3 if parts[0] == "usr" else 2
    return "/" + "/".join(parts[:depth])


def _packed(file: TaskFile) -> list[Any]:
    """A file in JSON: its text, else its bytes in base64, and whether it may be executed."""
    text = file.text
    return [text, None, file.runs] if text is not None else [None, base64.b64encode(file.data).decode(), file.runs]


def _solution(task: TaskFolder) -> str | None:
    """Everything of the folder ``solution`` in one command, which then runs ``solve.sh``."""
    script = task.text("solution/solve.sh")
    if not script:
        return None
    own = _own_variables(task.table, "solution")
    lines = [f"export {name}={shlex.quote(value)}" for name, value in own.items() if name.isidentifier()]
    others = {path: file for path, file in task.below("solution").items() if path != "solve.sh"}
    for path, file in others.items():
        place = f"/solution/{path}"
        lines.append(f"mkdir -p {shlex.quote(place.rpartition('/')[0])}")
        lines.append(_written(shlex.quote(place), file))
    return "\n".join([*lines, script])


_MARK = "_END_OF_THE_FILE_"


def _written(place: str, file: TaskFile) -> str:
    """A command that writes ``file``: as it is where it is text, so that its paths lead where the box has them."""
    text = file.text
    if text is not None and _MARK not in text:
        return f"cat > {place} <<'{_MARK}'\n{text.removesuffix(chr(10))}\n{_MARK}"
    return f"base64 -d > {place} <<'{_MARK}'\n{base64.encodebytes(file.data).decode().strip()}\n{_MARK}"
