import importlib.util
import tomllib

import pytest
import tomlkit

from schemas.extras import how_to_install
from schemas.kinds import PackageKind
from tests.making.project import make_project


def test_an_environment_becomes_a_package_for_verifiers(verihub, tmp_path) -> None:
    project = make_project(tmp_path / "sums", "alice/small-sums", PackageKind.ENVIRONMENT)
    said = verihub("export", project, tmp_path / "made", "--format", "json")
    assert (said.code, said.json["id"]) == (0, "alice-small-sums-v1")
    assert (tmp_path / "made/alice_small_sums_v1/environment.json").is_file()
    again = verihub("export", project, tmp_path / "made")
    assert (again.code, "there already" in again.err) == (5, True)


def test_a_summary_with_an_emoji_quotes_and_lines_gives_a_valid_project(verihub, tmp_path) -> None:
    project = make_project(tmp_path / "sums", "alice/small-sums", PackageKind.ENVIRONMENT)
    summary = 'Sums \U0001f9ee of "small" $(numbers) \\'
    pyproject = tomlkit.parse((project / "pyproject.toml").read_text())
    pyproject["project"]["description"] = summary
    (project / "pyproject.toml").write_text(tomlkit.dumps(pyproject))
    said = verihub("export", project, tmp_path / "made")
    assert said.code == 0, said.err
    assert tomllib.loads((tmp_path / "made/pyproject.toml").read_text())["project"]["description"] == summary


def test_its_tasks_become_harbors(verihub, tmp_path) -> None:
    project = make_project(tmp_path / "sums", "alice/small-sums", PackageKind.ENVIRONMENT)
    said = verihub("export", project, tmp_path / "made", "--for", "harbor", "--tasks", "1", "--format", "json")
    assert (said.code, said.json["tasks"]) == (0, ["small-sums-test-0-0"])
    assert (tmp_path / "made/small-sums-test-0-0/tests/judge.py").is_file()


@pytest.mark.skipif(importlib.util.find_spec("openenv") is not None, reason="openenv is installed here")
def test_without_openenv_its_command_says_what_to_install(verihub, tmp_path) -> None:
    said = verihub("openenv", make_project(tmp_path / "sums", "alice/small-sums", PackageKind.ENVIRONMENT))
    assert (said.code, how_to_install("openenv") in said.err) == (2, True)
