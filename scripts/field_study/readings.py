"""A random sample of the flagged verdicts of a run, for a person to read: ``python -m scripts.field_study.readings``.

Each row is a verdict that the run calls wrong. The sample is drawn by a fixed seed, in turn from each list of failures
and kind of failure, so that a verifier that is wrong often does not fill it. What the reader found is kept in
``readings.jsonl``: ``wrong`` (the verifier is), ``right`` (blamed wrongly) or ``unsure``.
"""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.field_study.environments import cache_folder

KEPT = Path(__file__).with_name("readings.jsonl")
SEED, COUNT = 20261126, 242
SHOWN = 170


def sample(folder: Path, count: int = COUNT, seed: int = SEED) -> list[dict[str, Any]]:
    """``count`` flagged verdicts: one of each list and kind in turn, each list and kind in an order of its own."""
    piles = [pile for place in sorted(folder.glob("*.jsonl")) for pile in _piles(place, seed)]
    drawn: list[dict[str, Any]] = []
    while piles and len(drawn) < count:
        drawn += [pile.pop() for pile in piles][: count - len(drawn)]
        piles = [pile for pile in piles if pile]
    return drawn


def _piles(place: Path, seed: int) -> Iterator[list[dict[str, Any]]]:
    """The wrong verdicts of a list, by origin and kind. What was not judged is blamed for nothing."""
    with place.open(encoding="utf-8") as lines:
        rows = [row | {"list": place.stem} for row in map(json.loads, lines) if row["kind"] != "unscored"]
    for group in sorted({(row["origin"], row["kind"]) for row in rows}):
        pile = sorted((row for row in rows if (row["origin"], row["kind"]) == group), key=lambda row: str(row["case"]))
        random.Random(f"{seed}/{place.stem}/{group}").shuffle(pile)  # noqa: S311 -- a sample that can be drawn again
        yield pile


def read(place: Path = KEPT) -> list[dict[str, Any]]:
    """What was read: ``list``, ``case``, ``kind``, ``found``."""
    if not place.is_file():
        return []
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Print the sample, a few lines a verdict."""
    for number, row in enumerate(sample(cache_folder() / "failures")):
        task, said = row.get("task") or {}, str(row.get("response"))
        print(f"{number} {row['list']} {row['kind']} {row['origin']} {','.join(row['tags'])[:60]}")
        print(f"   ? {str(task.get('prompt', ''))[-SHOWN:]!r}\n   = {str(task.get('answer'))[:SHOWN]!r}")
        print(f"   > {said[:SHOWN]!r} … {said[-SHOWN:]!r}" if len(said) > 2 * SHOWN else f"   > {said!r}")


if __name__ == "__main__":
    sys.exit(main())
