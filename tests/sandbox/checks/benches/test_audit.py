import json

from sandbox.checks.benches import audit as bench


def test_the_measurement_prints_one_flat_object_of_numbers(monkeypatch, capsys):
    monkeypatch.setattr(bench, "_TASK_COUNT", 10)
    bench.main(["--format", "json", "--backend", "local", "--isolation", "batch"])
    found = json.loads(capsys.readouterr().out)
    assert found["cases"] == 20
    assert found["wrong_verdicts"] == 0
    assert 0 < found["best_seconds"] <= found["median_seconds"]
    assert found["host_cpu_seconds"] > 0
