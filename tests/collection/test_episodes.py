"""What the page of an environment with a session shows: short episodes, turn by turn, judged as they are labelled."""

import importlib.util
import json
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from hub_server.audits.rules.episode_examples import choose_episodes, is_held_out
from schemas.evidence.cases import AuditCase, Label
from schemas.manifest import Manifest
from schemas.verdict import Verdict

ROOT = Path(__file__).parents[2]
WITHOUT_TOOLS = {"wordle"}
SLOW = {"sql-questions"}
"""Each verdict runs on many databases: of these one pair is judged here, the others with the package's own tests."""


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("collection_episodes", ROOT / "scripts" / "collection_episodes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_sessions() -> list[str]:
    """Every environment of the collection with a session."""
    files = (ROOT / "collection").glob("*/src/*/verihub.toml")
    return sorted(file.parts[-4] for file in files if "\nsession = " in file.read_text())


def episodes(name: str) -> list[AuditCase]:
    [file] = (ROOT / "collection" / name).glob("src/*/episodes.jsonl")
    return [AuditCase(**json.loads(line)) for line in file.read_text().splitlines()]


def test_every_environment_with_a_session_has_episodes(maker: ModuleType) -> None:
    assert set(with_sessions()) == set(maker.ACTS)


@pytest.mark.parametrize("name", with_sessions())
def test_a_right_and_a_wrong_episode_are_shown_and_the_verifier_agrees(name: str) -> None:
    found = episodes(name)
    assert [case.label for case in found] == [Label.CORRECT, Label.INCORRECT] * 4
    sys.path.insert(0, str(ROOT / "collection" / name / "src"))
    package = importlib.import_module(f"lecture_{name.replace('-', '_')}")
    [data] = (ROOT / "collection" / name).glob("src/*/validation.jsonl")
    declared = Manifest.read(tomllib.loads(data.with_name("verihub.toml").read_text())).rewards
    tasks = {row["id"]: row for row in map(json.loads, data.read_text().splitlines())}
    for case in found:
        task = case.task or tasks[case.task_id or ""]
        assert not is_held_out(task["split"])
        if name not in SLOW or case in found[:2]:
            got = package.verify(task, json.loads(json.dumps(case.state)))
            asked = {reward: value >= declared[reward].threshold for reward, value in (case.expect or {}).items()}
            assert {reward: got[reward] >= declared[reward].threshold for reward in asked} == asked, case.id
            assert Verdict(rewards=got).accepts(declared) is (case.label is Label.CORRECT), case.id
        session = package.Session()
        opened = session.reset(task, 0)["messages"]
        assert (case.messages or [])[: len(opened)] == opened
    shown = choose_episodes(found)
    assert [case.label for case in shown] == [Label.CORRECT, Label.INCORRECT]
    assert len({(case.task or {}).get("id", case.task_id) for case in shown}) == 1, "both of one task"
    roles = [message["role"] for case in shown for message in case.messages or []]
    assert ("user" if name in WITHOUT_TOOLS else "tool") in roles[3:], "what the environment answered is in it"


@pytest.mark.parametrize("name", ["calculator", "cited-search", "connections", "wordle"])
def test_the_committed_episodes_are_those_that_the_script_makes(maker: ModuleType, name: str) -> None:
    [file] = (ROOT / "collection" / name).glob("src/*/episodes.jsonl")
    assert maker.episodes_of(name) == [json.loads(line) for line in file.read_text().splitlines()]
