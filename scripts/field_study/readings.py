"""Random samples of the flagged verdicts of a run, for careful readers: ``python -m scripts.field_study.readings``.

Each row is a verdict that the run calls wrong. A sample is drawn by a fixed seed, in turn from each list of failures
(one for a verifier and a family) and kind of failure, so that a verifier that is wrong often does not fill it. What a
reader found is kept in a file of its own: ``wrong`` (the verifier is), ``right`` (it is blamed wrongly: the label is
wrong, can be argued about, or the answer is in a form that the verifier does not claim to read) or ``unsure``.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.field_study.environments import cache_folder

SHOWN = 1500
Reading = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """How a reader's sample was drawn, and where the readings are kept."""

    seed: int
    count: int
    kept: Path


FIRST = Sample(20261126, 242, Path(__file__).with_name("readings.jsonl"))
SECOND = Sample(20261127, 300, Path(__file__).with_name("readings_second.jsonl"))
"""The second reader read the first one's sample as well, without its findings. ``drawn``: in the sample of his own."""
AFTER = Sample(20261128, 300, Path(__file__).with_name("readings_after.jsonl"))
"""Drawn when the rules that had made wrong labels were corrected, from the lists without what those no longer make."""
THIRD = Sample(20261129, 300, Path(__file__).with_name("readings_third.jsonl"))
"""Drawn from a later run by another seed, and read by a third reader, whose rows hold the texts as well."""
LAST = Path(__file__).with_name("readings_last.jsonl")
"""Wrong verdicts on probes of mathematics, all of the first ten packages that were measured with them. Same reader."""
FOURTH = Path(__file__).with_name("readings_fourth.jsonl")
"""Wrong verdicts on probes alone that nobody had read, of families that no reader had met first; then one of each other

family and list in turn. A fourth reader, of the first six packages of a later run.
"""
SAMPLES = {"first": FIRST, "second": SECOND, "after": AFTER, "third": THIRD}
SETTLED = Path(__file__).with_name("readings_settled.jsonl")
"""What became of each verdict on which the two differ: ``found`` and ``why``."""
DRAWN = Path(__file__).with_name("readings_drawn.jsonl")
"""Every verdict that was read, with its texts as ``shown`` gives them, so that it can be read again without a run."""
KEPT = (FIRST.kept, SECOND.kept, SETTLED, AFTER.kept, THIRD.kept, LAST)


def sample(folder: Path, count: int, seed: int) -> list[dict[str, Any]]:
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


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a reader sees of a verdict. Longer texts are cut in the middle."""
    task = row.get("task") or {}
    texts = {"prompt": task.get("prompt", ""), "answer": task.get("answer"), "response": row.get("response")}
    names = ("list", "case", "origin", "kind", "expected")
    return {name: row[name] for name in names} | {name: _cut(str(text)) for name, text in texts.items()}


def _cut(text: str) -> str:
    half = SHOWN // 2
    return text if len(text) <= SHOWN else f"{text[:half]} […] {text[-half:]}"


def read(place: Path) -> list[Reading]:
    """What was read: ``list``, ``case``, ``origin``, ``kind``, ``found``, and ``why``."""
    if not place.is_file():
        return []
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Which verdict a row is about."""
    return row["list"], row["case"], row["kind"]


def main() -> None:
    """Print a sample, a few lines a verdict: the one that was read, or with ``--lists`` one drawn from another run."""
    parser = argparse.ArgumentParser(prog="python -m scripts.field_study.readings", description=__doc__)
    parser.add_argument("--sample", choices=SAMPLES, default="second", help="which of the samples")
    parser.add_argument(
        "--lists", type=Path, help=f"draw from a run's lists instead, such as {cache_folder()}/failures"
    )
    asked = parser.parse_args()
    drawn = SAMPLES[asked.sample]
    kept = {key(row): row for row in read(DRAWN)}
    rows = (
        (shown(row) for row in sample(asked.lists, drawn.count, drawn.seed))
        if asked.lists
        else (row if "response" in row else kept[key(row)] for row in read(drawn.kept) if row.get("drawn", True))
    )
    for number, row in enumerate(rows):
        print(f"{number} {row['list']} {row['case']}: labelled {row['expected']}")
        print(f"   ? {row['prompt']!r}\n   = {row['answer']!r}\n   > {row['response']!r}")


if __name__ == "__main__":
    sys.exit(main())
