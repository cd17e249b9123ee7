"""What every ``scripts/bench`` command does with its options, its figures and an engine that is not there."""

import argparse
import json

import pytest

from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.errors import SandboxUnavailableError

FIGURES = {"calls_per_second": 1234.5678, "p50_us": 2.0}


def test_people_get_a_table_and_programs_one_flat_object(capsys: pytest.CaptureFixture[str]) -> None:
    run_bench(bench_parser("host", "What it measures."), lambda _: FIGURES, [])
    assert capsys.readouterr().out == "calls_per_second      1,234.568\np50_us                    2.000\n"
    run_bench(bench_parser("host", None), lambda _: FIGURES, ["--format", "json"], digits=1)
    assert json.loads(capsys.readouterr().out) == FIGURES


def test_the_bench_gets_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[argparse.Namespace] = []
    parser = bench_parser("host", None, backends=True)
    parser.add_argument("--verdicts", type=int, default=7)

    def measure(options: argparse.Namespace) -> dict[str, float]:
        seen.append(options)
        return {}

    run_bench(parser, measure, ["--backend", "local"])
    assert (seen[0].backend, seen[0].verdicts) == ("local", 7)
    assert capsys.readouterr().out == ""


def test_without_an_engine_the_reason_is_said_and_the_status_is_8(capsys: pytest.CaptureFixture[str]) -> None:
    def measure(_: argparse.Namespace) -> dict[str, float]:
        raise SandboxUnavailableError("Docker does not answer.")

    with pytest.raises(SystemExit) as stop:
        run_bench(bench_parser("host", None), measure, [])
    assert stop.value.code == 8
    said = capsys.readouterr()
    assert "Docker does not answer." in said.err
    assert said.out == ""


def test_an_unknown_option_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        run_bench(bench_parser("host", None), lambda _: FIGURES, ["--backend", "docker"])
    assert stop.value.code == 2
    assert "scripts/bench host" in capsys.readouterr().err
