"""Scripted games for the warm-up of ``scripts/curves short-wordle``: known words at random, whatever the marks say.

So a model that imitates them knows the words and the course of a game, and nothing of what the marks mean.
"""

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

PACKAGE = Path(__file__).resolve().parent / "curve_tasks" / "short_wordle" / "src"


def play(task: dict[str, Any], random: Random) -> list[dict[str, str]]:
    """One game to its end, as chat messages. The last reply is left out: nothing is said after it."""
    from curves_short_wordle import WORDS, Session  # noqa: PLC0415 -- a package of scripts/curve_tasks

    session = Session()
    messages = list(session.reset(task, 0)["messages"])
    for word in random.sample(WORDS, len(WORDS)):
        messages.append({"role": "assistant", "content": word})
        told = session.step(messages[-1])
        if told["done"]:
            break
        messages += told["messages"]
    return messages


def write_games(path: Path, count: int = 1000) -> None:
    """Write ``count`` games, always the same."""
    sys.path.insert(0, str(PACKAGE))
    try:
        from curves_short_wordle import generate  # noqa: PLC0415

        random = Random(0)  # noqa: S311 -- no secret
        games = [play(generate("train", 0, index), random) for index in range(count)]
    finally:
        sys.path.remove(str(PACKAGE))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"messages": game}) + "\n" for game in games), encoding="utf-8")
