"""Tasks of a single-turn environment as Harbor task directories, with their verifier inside.

``verihub export TARGET FOLDER --for harbor --split test --tasks 20`` writes one directory a task. The agent is asked to
put its answer into ``/app/answer.txt``; a container of the verifier's own, which the agent never saw, gets that file,
the package's wheel and those of its dependencies, and writes ``/logs/verifier/reward.json``: ``reward`` and the whole
vector. It needs no network and nothing of the hub; its limits are Harbor's, not those of the hub's sandbox.
"""

import hashlib
import json
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomlkit

from hub_client.adapters import harbor_judge
from hub_client.environments import Environment
from hub_client.errors import CheckFailedError, ConflictError
from schemas.task import Task

ANSWER = "/app/answer.txt"
_IMAGE = "python:3.11-slim"
_NAME_LENGTH = 100
_DOCKERFILE = f"FROM {_IMAGE}\nWORKDIR /app\n"
_TEST = f"""\
#!/bin/sh
exec python3 /tests/judge.py /tests {ANSWER} /logs/verifier/reward.json
"""
_SOLVE = f"#!/bin/sh\ncp /solution/answer.txt {ANSWER}\n"


def write_tasks(
    env: Environment,
    folder: Path,
    *,
    split: str | None = None,
    seed: int = 0,
    limit: int | None = None,
    wheels: Sequence[Path] = (),
) -> list[Path]:
    """Write a directory for each task into ``folder``, which must not be there; returns them.

    ``wheels`` are the package's locked dependencies. Raises CheckFailedError for what cannot be judged by one function
    in one container: sessions, and verifiers that run a model's code in a box of its own.
    """
    if folder.exists():
        raise ConflictError(f"{folder} is there already: remove it, or name another folder")
    _refuse_what_needs_more(env)
    wanted = split or ("test" if "test" in env.manifest.tasks else next(iter(env.manifest.tasks)))
    rows = env.task_list(wanted, seed=seed, limit=limit)
    names = _folder_names(env.manifest.id.partition("/")[2], [row["id"] for row in rows])
    fresh = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.new")
    fresh.mkdir(parents=True)
    try:
        for name, row in zip(names, rows, strict=True):
            _write_task(env, row, fresh / name, [env.judge.wheel, *wheels])
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return [folder / name for name in names]


def _folder_names(package: str, task_ids: Sequence[str]) -> list[str]:
    """One folder name for each task.

    Ids that would give the same name (``a/b`` and ``a-b``), and long ones, get a digest of the id.
    """
    plain = [re.sub(r"[^a-z0-9]+", "-", f"{package}-{task_id}".lower()).strip("-") for task_id in task_ids]
    counts = Counter(plain)
    return [
        name if counts[name] == 1 and len(name) <= _NAME_LENGTH else f"{name[:_NAME_LENGTH]}-{_short_digest(task_id)}"
        for name, task_id in zip(plain, task_ids, strict=True)
    ]


def _short_digest(task_id: str) -> str:
    return hashlib.sha256(task_id.encode(errors="surrogatepass")).hexdigest()[:12]


def _refuse_what_needs_more(env: Environment) -> None:
    code = [content for path, content in env.judge.contents.files.items() if path.endswith(".py")]
    if env.manifest.session is not None:
        raise CheckFailedError(
            f"{env.package.reference} is played in turns (it has a session), and a task of Harbor's takes one answer: "
            "`--for verifiers` takes sessions"
        )
    if any(b"sandbox.guest" in content for content in code):
        raise CheckFailedError(
            f"{env.judge.reference} runs a model's code in a solution box, which Harbor does not have"
        )


def _write_task(env: Environment, row: dict[str, Any], folder: Path, wheels: Sequence[Path]) -> Path:
    tests, solution = folder / "tests", folder / "solution"
    for place in (tests, folder / "environment"):
        place.mkdir(parents=True)
    (folder / "instruction.md").write_text(_instruction(row), encoding="utf-8")
    (folder / "task.toml").write_text(_task_toml(env, row, folder.name), encoding="utf-8")
    (folder / "environment/Dockerfile").write_text(_DOCKERFILE)
    about = {
        "task": row,
        "verifier": env.judge.contents.manifest.verifier,
        "rewards": {name: reward.model_dump(mode="json") for name, reward in env.rewards.items()},
    }
    (tests / "judge.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    shutil.copyfile(str(harbor_judge.__file__), tests / "judge.py")
    for number, wheel in enumerate(wheels):
        shutil.copyfile(wheel, tests / f"{number:02}.whl")
    _write_script(tests / "test.sh", _TEST)
    if isinstance(row.get("answer"), str | int | float):
        solution.mkdir()
        (solution / "answer.txt").write_text(str(row["answer"]), encoding="utf-8")
        _write_script(solution / "solve.sh", _SOLVE)
    return folder


def _write_script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _instruction(row: dict[str, Any]) -> str:
    said = [message["content"] for message in Task.model_validate(row).messages()]
    asked = "\n\n".join(text for text in said if isinstance(text, str))
    return f"{asked}\n\nWrite your answer, and nothing else, to `{ANSWER}`.\n"


def _task_toml(env: Environment, row: dict[str, Any], slug: str) -> str:
    contents = env.package.contents
    limits = env.judge.contents.manifest.sandbox
    return tomlkit.dumps(
        {
            "schema_version": "1.4",
            "artifacts": [ANSWER],
            "task": {
                "name": f"{env.manifest.id.partition('/')[0]}/{slug}",
                "version": env.version,
                "description": contents.metadata.summary,
                "keywords": list(env.manifest.tags),
            },
            "metadata": {
                "verihub_release": f"{env.manifest.id}@{env.digest}",
                "verihub_judge": f"{env.judge.package}@{env.judge.digest}",
                "verihub_task": row["id"],
                "licence": contents.metadata.licence,
            },
            "environment": {"memory_mb": 2048},
            "verifier": {
                "environment_mode": "separate",
                "network_mode": "no-network",
                "timeout_sec": float(limits.timeout_seconds + 30),
            },
        }
    )
