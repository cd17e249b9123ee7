"""What ``scripts/bench hub`` counts as lost: a line without its right verdict, however often others were answered."""

import importlib.util
import json
from pathlib import Path

import pytest

PATH = Path(__file__).parents[4] / "scripts" / "bench_hub.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_hub", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(number: int, correct: float | None) -> bytes:
    return json.dumps({"id": str(number), "verdict": {"rewards": {"correct": correct}}}).encode() + b"\n"


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        ([(0, 0.0), (1, 1.0), (2, 0.0), (3, 1.0)], 0),
        ([(0, 0.0), (1, 1.0), (2, 0.0)], 1),
        ([(0, 0.0), (0, 0.0), (1, 1.0), (2, 0.0)], 1),
        ([(0, 1.0), (1, 0.0), (2, None), (3, 1.0)], 3),
        ([], 4),
    ],
    ids=["all", "one-missing", "one-twice-and-one-missing", "wrong-and-null", "nothing"],
)
def test_a_line_without_its_right_verdict_is_lost(bench, lines, lost) -> None:
    body = b"".join(answer(*line) for line in lines) + b'{"summary":{"received":4}}\n'
    assert bench._unanswered(body, 4) == lost


def test_half_of_the_requests_are_right(bench) -> None:
    requests = bench._requests(16)
    assert [request.response.endswith(request.task["answer"]) for request in requests] == [False, True] * 8
