"""``verihub admin reindex``: what the index lost is found again."""

from pathlib import Path

from typer.testing import CliRunner

from hub_server.admin.command import app as command
from hub_server.settings import ServerSettings
from hub_server.wiring import wire


def test_a_damaged_index_is_whole_again(tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert run(command, ["seed", "--packages", "20", "--releases", "20", "--data", str(tmp_path)]).exit_code == 0
    services = wire(ServerSettings(data=tmp_path))
    services.search.write([], [], 20)  # it says that it holds everything, and holds nothing
    services.close()
    done = run(command, ["reindex", "--data", str(tmp_path)])
    assert (done.exit_code, done.stderr.strip()) == (0, "20 packages can be found.")


def test_there_must_be_a_hub(tmp_path: Path) -> None:
    assert CliRunner().invoke(command, ["reindex", "--data", str(tmp_path / "none")]).exit_code == 9
