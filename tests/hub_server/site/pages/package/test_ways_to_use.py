"""What a package page tells a reader to run must run: every import, every command and every option exists."""

import ast
import importlib
import shlex

import pytest

from hub_client.commands.group import load_command
from hub_server.site.pages.docs.documents import read_documents
from hub_server.site.pages.package.ways_to_use import Way, ways_to_use
from schemas.kinds import PackageKind
from schemas.package import Release
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
    )
    for way in ways_to_use(one)
]


@pytest.mark.parametrize("way", [way for way in ALL if way.is_program], ids=lambda way: way.title)
def test_a_program_is_whole_and_what_it_imports_of_ours_exists(way: Way) -> None:
    tree = ast.parse(way.code)
    ours = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("hub_client")]
    assert ours
    for node in ours:
        module = importlib.import_module(node.module or "")
        assert all(hasattr(module, name.name) for name in node.names)


@pytest.mark.parametrize("way", [way for way in ALL if not way.is_program], ids=lambda way: way.code.split()[1])
def test_a_command_and_its_options_exist(way: Way) -> None:
    program, name, *words = shlex.split(way.code)
    assert program == "verihub"
    command = load_command(name)
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("way", ALL, ids=lambda way: way.title)
def test_the_version_is_pinned_and_the_guide_exists(way: Way) -> None:
    assert "alice/thing@2.1.0" in way.code
    assert way.guide in read_documents()


def test_a_session_is_played_and_not_given_to_trainers_that_take_none() -> None:
    ways = ways_to_use(release("environment", session="thing:Session"))
    assert [way.title for way in ways] == ["Python", "Evaluate"]
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
