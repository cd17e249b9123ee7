"""What a package page tells a reader to run must run: every import, every command and every option exists."""

import ast
import importlib
import json
import re
import runpy
import shlex
from pathlib import Path

import pytest

from hub_client.commands.group import load_command
from hub_server.site.pages.docs.documents import read_documents
from hub_server.site.pages.package.ways_to_use import Way, ways_to_use
from schemas.kinds import PackageKind
from schemas.package import Release
from schemas.suite import SuiteAdapter, SuiteFamily
from tests.hub_server.site import samples
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def release(kind: str, *, session: str | None = None, **more: object) -> Release:
    made = samples.release("2.1.0", None, 5, **more)
    change = {"id": "alice/thing", "kind": PackageKind(kind), "session": session}
    return made.model_copy(update={"manifest": made.manifest.model_copy(update=change)})


ALL = [
    way
    for one in (
        release("environment"),
        release("environment", session="thing:Session"),
        release("verifier"),
        release("harness"),
        release("benchmark"),
        release("tool"),
        release("recipe"),
        release("suite"),
    )
    for way in ways_to_use(one)
]


@pytest.mark.parametrize("way", [way for way in ALL if way.language == "python"], ids=lambda way: way.title)
def test_a_program_is_whole_and_what_it_imports_of_ours_exists(way: Way) -> None:
    tree = ast.parse(way.code)
    ours = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("hub_client")]
    assert ours
    for node in ours:
        module = importlib.import_module(node.module or "")
        assert all(hasattr(module, name.name) for name in node.names)


OURS = [way for way in ALL if way.code.startswith("verihub ")]


def test_a_line_of_a_manifest_is_shown_as_a_files_and_not_as_a_command() -> None:
    lines = [way for way in ALL if way.code.startswith("[")]
    assert [way.language for way in lines] == ["toml"]


@pytest.mark.parametrize("way", OURS, ids=lambda way: way.code.split()[1])
def test_a_command_and_its_options_exist(way: Way) -> None:
    _, name, *words = shlex.split(way.code)
    command = load_command(name)
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_every_other_command_is_inspects_with_parameters_that_our_task_takes() -> None:
    others = [way for way in ALL if way.language == "shell" and way not in OURS]
    tree = ast.parse(Path("hub_client/adapters/inspect.py").read_text())
    task = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "environment")
    known = {argument.arg for argument in task.args.args}
    for way in others:
        assert way.code.startswith("inspect eval hub_client/environment ")
        assert {word.partition("=")[0] for word in re.findall(r"-T (\S+)", way.code)} <= known


@pytest.mark.parametrize("way", ALL, ids=lambda way: way.title)
def test_the_version_is_pinned_and_the_guide_exists(way: Way) -> None:
    assert "alice/thing@2.1.0" in way.code or way.language == "toml"
    assert way.guide in read_documents()


def test_a_session_is_played_and_not_given_to_adapters_that_take_none() -> None:
    ways = ways_to_use(release("environment", session="thing:Session"))
    titles = [way.title for way in ways]
    assert titles[:4] == ["Python", "Evaluate", "Try to train here: minutes on a CPU", "Train here"]
    assert not [title for title in titles if "verl:" in title]
    [trl] = [way.code for way in ways if way.title == "Train with TRL"]
    compile(trl, "trl", "exec")
    assert "environment_factory=environment_factory(env)" in trl
    assert "env.session(task" in ways[0].code


def test_a_split_that_the_release_lacks_is_not_named() -> None:
    ways = ways_to_use(release("environment", task_counts={"hard": 12}))
    assert all('"train"' not in way.code and "--split test" not in way.code for way in ways)


def test_a_quarantined_release_offers_no_way_to_run_it() -> None:
    assert ways_to_use(release("environment", state="quarantined", state_reason="It calls home.")) == []


def test_every_kind_is_answered() -> None:
    assert all(ways_to_use(release(kind)) for kind in PackageKind)


def test_the_page_shows_them_with_this_hubs_address(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages/alice/small-sums")
    assert "Use it" in page.text
    assert 'hub.environment("alice/small-sums@1.1.0")' in page.text
    assert "verihub train alice/small-sums@1.1.0" in page.text
    assert "export VERIHUB_URL=http://hub.test" in page.text
    assert "VERIHUB_JUDGE_MODEL" not in page.text, "its verifier asks no model"


def test_a_package_without_a_split_train_is_trained_on_the_split_that_it_has() -> None:
    only_test = release("environment", task_counts={"test": 2})
    codes = [way.code for way in ways_to_use(only_test) if way.title == "Train here"]
    assert codes == [
        f"verihub train {only_test.manifest.id}@2.1.0 --model smollm2 --recipe dapo --steps 10 --set train_split=test"
    ]
    assert not any("train_split" in way.code for way in ALL)


def test_a_first_try_of_training_stands_before_the_run_itself_and_ends_episodes_early() -> None:
    ways = ways_to_use(release("environment"))
    tries = {way.title: way.code for way in ways if way.code.startswith("verihub train")}
    assert list(tries) == ["Try to train here: minutes on a CPU", "Train here"]
    assert "--steps 2 --prompts-per-step 2 --num-generations 4 --eval-tasks 8" in next(iter(tries.values()))
    assert "max_turns" not in next(iter(tries.values()))
    session = release("environment", session="alice_thing:Session")
    assert any("--eval-tasks 8 --set max_turns=3" in way.code for way in ways_to_use(session))


def test_a_verifier_of_states_is_given_a_state() -> None:
    of_states = release("verifier")
    manifest = of_states.manifest.model_copy(update={"judges": {SuiteFamily.STATE: SuiteAdapter()}})
    python, command = ways_to_use(of_states.model_copy(update={"manifest": manifest}))
    words = shlex.split(command.code)
    task = json.loads(words[words.index("--task") + 1])
    state = json.loads(words[words.index("--state") + 1])
    assert "--response" not in words
    final_state = runpy.run_path("collection/final-state/src/lecture_final_state/__init__.py")
    assert final_state["verify"](task, state) == {"as_asked": 1.0, "rows": 1.0}
    compile(python.code, "python", "exec")
    assert "score_call(request)" in python.code


def test_an_export_goes_into_a_folder_that_is_called_as_the_package_in_it() -> None:
    """``verifiers`` finds a taskset by that name, whatever the release's own version is."""
    [export] = [way.code for way in ways_to_use(release("environment")) if way.code.startswith("verihub export")]
    assert export == "verihub export alice/thing@2.1.0 alice_thing_v1"
