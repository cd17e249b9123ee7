"""The script that fills a demo hub with simulated results: it stays on this machine, and what it publishes is sound."""

import subprocess
import sys
from pathlib import Path

import pytest

from hub_client.packaging.pack import pack
from hub_client.releases.cache import Cache
from schemas.benchmark import ResultsCreate
from tests.making import field

SCRIPT = Path(__file__).parents[3] / "scripts" / "simulated_field.py"


def test_it_refuses_a_hub_elsewhere() -> None:
    said = subprocess.run(
        [sys.executable, SCRIPT, "https://hub.example.org"], capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert "demo hub on this machine" in said.stderr


@pytest.mark.parametrize("environment", field.ENVIRONMENTS, ids=lambda one: one.name)
def test_its_packages_are_sound_and_say_that_they_are_simulated(environment: field.Environment, tmp_path: Path) -> None:
    folder = field.write_project(tmp_path / "made", environment.package, field.project_files(environment))
    contents = pack(folder, Cache(tmp_path / "cache")).contents
    assert contents.manifest.id.startswith("simulated/")
    assert "Simulated" in contents.readme
    assert len(list(contents.tasks("test"))) == environment.test
    assert len(contents.cases()) == environment.cases


def test_its_results_are_of_simulated_models_only() -> None:
    for body in field.results(models=2, attempts=1):
        results = ResultsCreate.model_validate(body)
        assert results.model.startswith("simulated/")
        assert results.environment.startswith("simulated/")
