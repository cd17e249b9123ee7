"""A hub that is killed again and again while it is written to; ``scripts/kill_hub`` does it for longer."""

from pathlib import Path

import pytest

from scripts import kill_hub


@pytest.mark.slow
def test_what_was_acknowledged_outlives_kills_at_any_moment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kill_hub, "_LONGEST_LIFE_SECONDS", 1.0)
    assert kill_hub.main(["--kills", "2"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 kills; ")
    assert "nothing is lost" in said


@pytest.mark.slow
def test_a_release_that_is_lost_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a test that finds nothing would say nothing."""
    hub = kill_hub.KilledHub(tmp_path)

    def start_without_bytes() -> None:
        for wheel in (tmp_path / "hub" / "blobs" / "sha256").rglob("*"):
            if wheel.is_file():
                wheel.unlink()
        kill_hub.KilledHub.start(hub)

    monkeypatch.setattr(hub, "start", start_without_bytes)
    monkeypatch.setattr(kill_hub, "_LONGEST_LIFE_SECONDS", 0.1)
    try:
        assert kill_hub.report(hub, 1, kill_hub.random.Random(0)) == 1
    finally:
        hub.kill()
    assert "is not what was published" in capsys.readouterr().out
