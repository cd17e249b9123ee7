import io
import json
import os
import signal
from pathlib import Path

import pytest

from sandbox.checks.samples import TASK, Sample
from sandbox.cli import main
from tests.sandbox.guest.forked import in_child


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    out, err = capsys.readouterr()
    return int(exit_.value.code or 0), out, err


def test_conformance_over_trusted_processes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "true")
    status, out, _ = run(capsys, "conformance", "--backend", "local", "--only", "keeps_nulls", "--format", "json")
    assert status == 0
    assert json.loads(out) == {"name": "keeps_nulls", "seconds": json.loads(out)["seconds"], "problem": ""}


def test_a_failed_check_is_exit_status_6(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "conformance", "--backend", "scripted", "--only", "keeps_nulls")
    assert status == 6
    assert out.startswith("FAILED")


def test_an_untrusted_local_backend_is_exit_status_8(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", raising=False)
    status, _, err = run(capsys, "conformance", "--backend", "local")
    assert status == 8
    assert "without any isolation" in err


def test_run_scores_json_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "true")
    code = "def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n"
    wheel = Sample(code, name="cli").source(tmp_path).wheel
    lines = [json.dumps({"id": text, "task": TASK, "response": text}) for text in ("2", "3")]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    status, out, _ = run(capsys, "run", str(wheel), "--backend", "local")
    assert status == 0
    answers = {row["id"]: row["verdict"]["rewards"] for row in map(json.loads, out.splitlines())}
    assert answers == {"2": {"correct": 1.0}, "3": {"correct": 0.0}}


def test_a_file_that_is_no_wheel_is_a_usage_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.whl"
    path.write_bytes(b"nothing")
    status, _, err = run(capsys, "run", str(path), "--backend", "scripted")
    assert status == 2
    assert "x.whl" in err


@pytest.mark.docker
def test_doctor_knows_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "doctor")
    assert status in (0, 6)
    assert "Docker engine" in out


@pytest.mark.docker
def test_reap_says_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "reap")
    assert status == 0
    assert "orphaned boxes removed" in out


def test_a_misspelt_setting_is_exit_status_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_RUNTIM", "runsc")
    with pytest.raises(SystemExit) as ended:
        main(["doctor"])
    assert ended.value.code == 2
    assert "did you mean VERIHUB_SANDBOX_RUNTIME?" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_harm_that_is_told_to_end_ends_its_engine(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM, and an interrupt that a shell lets it ignore: its engine's disks stayed mounted."""
    gone: list[str] = []

    def run_harm(*_: object) -> None:
        try:
            os.kill(os.getpid(), number)
            pytest.fail("it went on")
        finally:
            gone.append("engine")

    def body() -> list[object]:
        monkeypatch.setattr("sandbox.cli.run_harm", run_harm)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with pytest.raises(SystemExit) as ended:
            main(["harm", "--minutes", "1"])
        return [ended.value.code, gone]

    assert in_child(body) == [130, ["engine"]]
