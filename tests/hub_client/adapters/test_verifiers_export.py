"""The package that makes an environment a taskset of verifiers: sound for any summary, and written over nothing."""

import json
import tomllib

import pytest

from hub_client.adapters.verifiers_export import describe, write_package
from hub_client.errors import ConflictError
from tests.hub_client.test_environments import environment
from tests.making.wheel import METADATA

HOSTILE = ['Sums"\\n[project.scripts]', "{name} {digest} {0}", 'a """ b', "back\\slash", "ünï ✓", "tab\there"]


@pytest.mark.parametrize("summary", HOSTILE)
def test_no_summary_of_a_stranger_adds_a_setting(tmp_path, summary):
    env, _ = environment(metadata=METADATA.replace("Sums of small numbers", summary))
    write_package(env, tmp_path / "made")
    table = tomllib.loads((tmp_path / "made/pyproject.toml").read_text(encoding="utf-8"))
    assert table["project"]["description"] == env.package.contents.metadata.summary
    assert set(table["project"]) == {"name", "version", "description", "requires-python", "dependencies"}
    compile((tmp_path / "made/alice_small_sums_v1/__init__.py").read_text(), "x", "exec")


def test_the_release_is_pinned_by_its_digest_unless_another_target_is_named():
    env, _ = environment()
    assert describe(env)["target"] == f"alice/small-sums@{env.digest}"
    assert describe(env, "./here")["target"] == "./here"
    assert (describe(env)["split"], describe(env)["has_session"]) == ("train", False)


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_there_already_is_left_as_it_is(tmp_path, kind):
    place = tmp_path / "shelf/mine"
    place.parent.mkdir()
    place.write_text("dear") if kind == "file" else place.mkdir()
    env, _ = environment()
    with pytest.raises(ConflictError, match="is there already"):
        write_package(env, place)
    assert list(place.parent.rglob("*")) == [place]


def test_the_tasks_and_answers_are_not_copied(tmp_path):
    env, _ = environment()
    write_package(env, tmp_path / "made")
    text = "".join(path.read_text() for path in (tmp_path / "made").rglob("*.*"))
    assert "1+1?" not in text
    assert json.loads((tmp_path / "made/alice_small_sums_v1/environment.json").read_text())["rewards"].keys() == {
        "correct"
    }


def test_the_package_says_where_its_release_is_and_depends_on_no_name_that_anybody_could_take(tmp_path):
    env, _ = environment()
    write_package(env, tmp_path / "made", hub_url="https://hub.example.org")
    assert tomllib.loads((tmp_path / "made/pyproject.toml").read_text())["project"]["dependencies"] == [
        "verifiers>=0.4"
    ]
    said = json.loads((tmp_path / "made/alice_small_sums_v1/environment.json").read_text())
    assert said["hub"] == "https://hub.example.org"
    assert "the hub at https://hub.example.org" in (tmp_path / "made/README.md").read_text()
