"""The comparison with others: what it prints, and that it cannot measure something that is not the verifier."""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.checks.benches.math_verify import usual_calls

PEERS = Path(__file__).parents[4] / "scripts/peers"


def load(name):
    spec = importlib.util.spec_from_file_location(f"peers_{name}", PEERS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WAYS = {
    "call": {"calls_per_second": 500.0, "alone_ms": 2.0},
    "docker_exec": {"calls_per_second": 25.0, "alone_ms": 80.0},
    "call_math": {"calls_per_second": 100.0, "alone_ms": 10.0},
    "batch16_math": {"calls_per_second": 400.0, "alone_ms": 5.0},
}


def test_ratios_are_to_the_call_level_of_the_same_verifier() -> None:
    figures = load("bench").flat(WAYS)
    assert figures["docker_exec_to_call_ratio"] == 0.05
    assert figures["batch16_math_to_call_ratio"] == 4.0
    assert figures["docker_exec_calls_per_second"] == 25.0
    assert json.loads(json.dumps(figures)) == figures


def test_what_was_not_measured_is_not_in_the_table() -> None:
    bench = load("bench")
    lines = bench.table("string equality", bench.ROWS, WAYS).splitlines()
    assert len(lines) == 4
    assert "| 25 | 0.05 | 80 |" in lines[3]


def test_every_row_of_the_tables_has_a_measurement_of_its_name() -> None:
    bench = load("bench")
    written = "".join((PEERS / f"with_{part}.py").read_text() for part in ("boxes", "verifiers", "openenv"))
    written = written.replace("{ending}", "")
    for name, _, _ in (*bench.ROWS, *bench.MATH_ROWS):
        assert f'"{name}"' in written or f'"{name.removesuffix("_math")}"' in written, name


def test_a_way_that_says_something_else_is_not_measured() -> None:
    measurement = load("measurement")

    async def always_right(number):
        return 1.0

    async def right(number):
        call = measurement.call_of(number)
        return float(call["answer"] == call["response"])

    with pytest.raises(AssertionError, match="not this verifier"):
        asyncio.run(measurement.measure(always_right, seconds=0.01))
    assert asyncio.run(measurement.measure(right, seconds=0.01))["calls_per_second"] > 0


def test_without_an_engine_it_says_what_to_do(tmp_path) -> None:
    environ = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(PEERS / "bench.py")], capture_output=True, text=True, env=environ, check=False
    )
    assert done.returncode == 8
    assert "scripts/docker_engine" in done.stderr


def test_the_answers_for_math_verify_are_distinct_and_some_are_wrong() -> None:
    calls = usual_calls(100)
    assert len({(call.task["answer"], call.response) for call in calls}) == 100
    wrong = [call for call in calls if f"\\boxed{{{call.task['answer']}}}" not in call.response]
    assert len(wrong) == 20


def test_of_several_runs_the_best_of_each_way_is_kept() -> None:
    quiet = {"versions": {"docker": "7"}, "notes": {}, "call": {"calls_per_second": 700.0, "alone_ms": 2.0}}
    busy = {"versions": {"docker": "7"}, "notes": {}, "call": {"calls_per_second": 300.0, "alone_ms": 1.5}}
    assert load("bench").best_ways([quiet, busy]) == {"call": {"calls_per_second": 700.0, "alone_ms": 1.5}}
