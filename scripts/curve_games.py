"""Scripted games for the warm-ups of ``scripts/curves wordle`` and ``short-wordle``: known words at random.

The player does not look at the marks. So a model that imitates it knows words and the course of a game, and nothing of
what the marks mean.
"""

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {
    "lecture_wordle": (ROOT / "collection" / "wordle" / "src", "lecture_wordle.words"),
    "curves_short_wordle": (ROOT / "scripts" / "curve_tasks" / "short_wordle" / "src", "curves_short_wordle"),
}
"""Where each game's package lies, and which module of it has its WORDS."""


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


def draw_task(package: Any, index: int, words: Sequence[str], random: Random) -> dict[str, Any]:
    """A game of the package's own generator, or one in the words of lecture/wordle's training tasks."""
    if hasattr(package, "generate"):
        task: dict[str, Any] = package.generate("train", 0, index)
        return task
    prompt = f"Game {random.randint(1, 1500)}: I have a word in mind. What is your first guess?"
    return {"prompt": prompt, "answer": random.choice(words)}


def write_games(path: Path, name: str, count: int = 1000) -> None:
    """Write ``count`` games of a package, always the same."""
    folder, words_module = PACKAGES[name]
    sys.path.insert(0, str(folder))
    try:
        package, words = importlib.import_module(name), sorted(importlib.import_module(words_module).WORDS)
    finally:
        sys.path.remove(str(folder))
    random = Random(0)  # noqa: S311 -- no secret
    games = []
    for index in range(count):
        task = draw_task(package, index, words, random)
        games.append(play(package.Session(), task, random.sample(words, len(words))))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"messages": game}) + "\n" for game in games), encoding="utf-8")
