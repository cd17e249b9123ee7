import json
import sys

from sandbox.checks.benches import audit as bench


def test_the_measurement_prints_one_flat_object_of_numbers(monkeypatch, capsys):
    monkeypatch.setattr(bench, "_TASK_COUNT", 10)
    monkeypatch.setattr(sys, "argv", ["bench", "--format", "json", "--backend", "local", "--isolation", "batch"])
    bench.main()
    found = json.loads(capsys.readouterr().out)
    assert found["cases"] == 20
    assert found["wrong_verdicts"] == 0
    assert found["backend"] == "local"
    assert 0 < found["best_seconds"] <= found["median_seconds"]
    assert found["host_cpu_seconds"] > 0


def test_people_get_a_table(monkeypatch, capsys):
    monkeypatch.setattr(
        bench, "measure", lambda isolation, backend: {"median_seconds": 1.5, "isolation": str(isolation)}
    )
    monkeypatch.setattr(sys, "argv", ["bench"])
    bench.main()
    assert capsys.readouterr().out == "median seconds     1.5\nisolation          call\n"
