"""One random sample of all wrong verdicts with certain labels, in strata, and what a reader found in it.

``python -m scripts.field_study.stratified FOLDER`` draws it again from a run's lists of failures. A stratum is a family
of probes, or the labelled cases of one family of tasks. Larger strata are drawn from more often, but less than in
proportion (by the root of their size), so that rare families are read too; a share of all failures is therefore
weighted by stratum.
"""

import json
import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.measures.intervals import wilson
from scripts.field_study.readings import Reading, shown

SEED, COUNT, FRAME_VERIFIERS = 20261128, 300, 55
"""The sample that was read, and how many of the 68 verifiers had a wrong verdict in its frame."""
KEPT = Path(__file__).with_name("readings_one.jsonl")


def stratum_of(row: Mapping[str, Any]) -> str:
    """``probe leak_sign`` or ``cases mathematics``."""
    if row["origin"] == "probe":
        return f"probe {row['case'].split(':')[1]}"
    return f"cases {row['list'].rpartition('--')[2].partition(':')[0]}"


def frame(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Stratum -> its wrong verdicts, in a fixed order. What was not judged is blamed for nothing."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for place in sorted(folder.glob("*.jsonl")):
        for line in place.read_text(encoding="utf-8").splitlines():
            row = json.loads(line) | {"list": place.stem}
            if row["kind"] != "unscored":
                found[stratum_of(row)].append(row)
    return {name: sorted(found[name], key=lambda row: (row["list"], row["case"])) for name in sorted(found)}


def allocation(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """How many of each stratum: by the root of its size, at least one, at most all; ``count`` together if it can be."""
    total = min(count, sum(sizes.values()))
    taken = dict.fromkeys(sizes, 1)
    while sum(taken.values()) < total:
        open_ones = [name for name in sizes if taken[name] < sizes[name]]
        wanted = max(open_ones, key=lambda name: (math.sqrt(sizes[name]) / taken[name], name))
        taken[wanted] += 1
    return taken


def drawn(folder: Path, count: int = COUNT, seed: int = SEED) -> list[dict[str, Any]]:
    """The sample: each row as a reader sees it, with its stratum and the stratum's size."""
    strata = frame(folder)
    taken = allocation({name: len(rows) for name, rows in strata.items()}, count)
    return [
        shown(row) | {"stratum": name, "size": len(strata[name])}
        for name, many in taken.items()
        for row in random.Random(f"{seed}/{name}").sample(strata[name], many)  # noqa: S311 -- can be drawn again
    ]


def weighted_tries(rows: Sequence[Reading]) -> float:
    """How many verdicts drawn alike the sample is worth for a share of all failures (Kish's effective size)."""
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        counts[row["stratum"]] += 1
    weights = [row["size"] / counts[row["stratum"]] for row in rows]
    return sum(weights) ** 2 / sum(weight * weight for weight in weights)


def blamed_share(rows: Sequence[Reading]) -> tuple[float, float, float]:
    """The share of all failures that blame a verifier wrongly, weighted by stratum, and its 95 % interval."""
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        counts[row["stratum"]] += 1
    weights = [row["size"] / counts[row["stratum"]] for row in rows]
    pairs = zip(weights, rows, strict=True)
    share = sum(weight for weight, row in pairs if row["found"] == "right") / sum(weights)
    tries = weighted_tries(rows)
    return (share, *wilson(share * tries, tries))


def main(folder: Iterable[str]) -> None:
    """Print the sample, a few lines a verdict."""
    for number, row in enumerate(drawn(Path(next(iter(folder))))):
        print(f"{number} {row['list']} {row['case']} [{row['stratum']}]: labelled {row['expected']}")
        print(f"   ? {row['prompt']!r}\n   = {row['answer']!r}\n   > {row['response']!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
