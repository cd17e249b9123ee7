"""Conversations for the warm-ups of ``scripts/curves``: scripted games, programs, and lecture/calculator's own
demonstrations.

The player of a game says known words at random and does not look at the marks. So a model that imitates it knows words
and the course of a game, and nothing of what the marks mean.
"""

import importlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from curve_programs import conversations

ROOT = Path(__file__).resolve().parents[1]
WORDLE, SHORT_WORDLE = ROOT / "collection" / "wordle", ROOT / "scripts" / "curve_tasks" / "short_wordle"
SECRETS = 12
"""How many secrets of lecture/wordle are trained on: those of its first tasks, which are all that the player knows."""
DEMONSTRATED_SEED = 1000
"""Of the tasks of lecture/python-functions that are demonstrated: no run's seed, so other tasks than it trains on."""
OPENING = "greet"
"""The one of them whose marks tell the twelve apart best: eleven different answers."""


def play(session: Any, task: dict[str, Any], words: Sequence[str]) -> list[dict[str, str]]:
    """One game to its end, as chat messages. The last reply is left out, since nothing is said after it."""
    messages = list(session.reset(task, 0)["messages"])
    for word in words:
        messages.append({"role": "assistant", "content": word})
        told = session.step(messages[-1])
        if told["done"]:
            break
        messages += told["messages"]
    return messages


def package_of(folder: Path, name: str) -> Any:
    """A project's package."""
    sys.path.insert(0, str(folder / "src"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder / "src"))


def wordle_tasks() -> list[dict[str, Any]]:
    """The first tasks of lecture/wordle's training split."""
    lines = (WORDLE / "src" / "lecture_wordle" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:SECRETS]]


def write_wordle(path: Path, count: int = 1000) -> None:
    """Games of lecture/wordle on the first tasks of its training split, always the same."""
    package, tasks = package_of(WORDLE, "lecture_wordle"), wordle_tasks()
    words = sorted(task["answer"] for task in tasks)
    random = Random(0)  # noqa: S311 -- no secret
    _write(path, [play(package.Session(), random.choice(tasks), shuffled(words, random)) for _ in range(count)])


def write_wordle_openings(path: Path, count: int = 1000) -> None:
    """The same games by a player who always says OPENING first, and then two of the other words at random."""
    package, tasks = package_of(WORDLE, "lecture_wordle"), wordle_tasks()
    others = sorted({task["answer"] for task in tasks} - {OPENING})
    random = Random(0)  # noqa: S311 -- no secret
    games = [play(package.Session(), random.choice(tasks), [OPENING, *random.sample(others, 2)]) for _ in range(count)]
    _write(path, games)


def write_short_wordle(path: Path, count: int = 1000) -> None:
    """Games of the short Wordle beside this script, always the same."""
    package, random = package_of(SHORT_WORDLE, "curves_short_wordle"), Random(0)  # noqa: S311 -- no secret
    tasks = [package.generate("train", 0, index) for index in range(count)]
    _write(path, [play(package.Session(), task, shuffled(sorted(package.WORDS), random)) for task in tasks])


def write_calculator(path: Path, count: int = 512) -> None:
    """Conversations of lecture/calculator, by the script that it comes with."""
    path.parent.mkdir(parents=True, exist_ok=True)
    script = ROOT / "collection" / "calculator" / "make_demonstrations.py"
    subprocess.run([sys.executable, script, path, str(count)], check=True, stdout=subprocess.DEVNULL)


def write_python_functions(path: Path, count: int = 800) -> None:
    """Tasks of lecture/python-functions with programs whose numbers and rules were drawn by chance, always the same."""
    package = package_of(ROOT / "collection" / "python-functions", "lecture_python_functions")
    levels = importlib.import_module("lecture_python_functions.families").LEVELS
    families = {family.__name__: family for level in levels.values() for family in level}
    _write(path, conversations(package.generate, families, count, DEMONSTRATED_SEED))


def shuffled(words: Sequence[str], random: Random) -> list[str]:
    """The words in a random order."""
    return random.sample(words, len(words))


def _write(path: Path, games: Sequence[Sequence[dict[str, str]]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"messages": game}) + "\n" for game in games), encoding="utf-8")
