"""Tools of several packages for one caller: which are served, and what cannot be served together."""

from types import SimpleNamespace

import pytest

from hub_client.errors import CheckFailedError, NotFoundError, SandboxMissingError, UsageError
from hub_client.tools import ToolSet, gather_tools, open_tool_session


def loaded(name, *, tools=(), session=None, uses=(), tasks=None):
    manifest = SimpleNamespace(own_tools=list(tools), session=session, foreign_tools=list(uses), tasks=tasks or {})
    contents = SimpleNamespace(manifest=manifest, metadata=SimpleNamespace(summary=f"about {name}"))
    return SimpleNamespace(package=name, reference=f"{name}@1.0.0", digest=f"sha256:{name}", contents=contents)


class Hub:
    """Packages by name; every session has the tasks ``rows``."""

    url = "http://hub.example"

    def __init__(self, *packages, rows=({"id": "t1"},), runner=None):
        self.known = {one.package: one for one in packages}
        self.rows, self.resolver, self.runner = list(rows), self, lambda: runner

    def load(self, name):
        return self.known[name]

    def environment_of(self, package):
        return SimpleNamespace(
            manifest=package.contents.manifest,
            find_task=lambda name: next((row for row in self.rows if row["id"] == name), None),
            tasks=lambda split, *, seed, limit: iter(self.rows[:limit]),
        )


NOTES = loaded("a/notes", tools=["x:f"])
ROOM = loaded("a/room", session="x:Session", uses=["a/notes"], tasks={"train": "tasks.jsonl"})
ATTIC = loaded("a/attic", session="x:Session", tasks={"train": "tasks.jsonl"})
DATA = loaded("a/data")


def test_what_a_package_names_is_served_with_it_and_once():
    found = gather_tools(Hub(ROOM, NOTES), ["a/room", "a/notes"], seed=3)
    assert [one.package for one in found.packages] == ["a/room", "a/notes"]
    assert (found.is_stateful, found.name, found.seed) == (True, "a/room and 1 more", 3)
    assert found.about == "a/room@1.0.0: about a/room\na/notes@1.0.0: about a/notes"


def test_tools_alone_play_no_task():
    found = gather_tools(Hub(NOTES), ["a/notes"])
    assert (found.task, found.is_stateful, found.name) == (None, False, "a/notes")


def test_a_session_plays_the_task_that_was_named_or_the_first():
    hub = Hub(ROOM, NOTES, rows=[{"id": "t1"}, {"id": "t2"}])
    assert gather_tools(hub, ["a/room"]).task == {"id": "t1"}
    assert gather_tools(hub, ["a/room"], task="t2").task == {"id": "t2"}


@pytest.mark.parametrize(
    ("targets", "task", "error", "words"),
    [
        (["a/data"], None, CheckFailedError, "no tools here"),
        (["a/notes"], "t1", UsageError, "there are 0 among"),
        (["a/room", "a/attic"], "t1", UsageError, "there are 2 among"),
        (["a/room", "a/attic"], None, UsageError, "are both sessions"),
        (["a/room"], "t9", NotFoundError, "no stored task 't9'"),
    ],
)
def test_what_cannot_be_served_says_why(targets, task, error, words):
    with pytest.raises(error, match=words):
        gather_tools(Hub(NOTES, ROOM, ATTIC, DATA), targets, task=task)


def test_a_session_without_tasks_is_said():
    with pytest.raises(NotFoundError, match="no task in its split 'train'"):
        gather_tools(Hub(ATTIC, rows=[]), ["a/attic"])


def test_without_a_sandbox_here_the_hubs_own_address_is_offered():
    with pytest.raises(SandboxMissingError, match=r"http://hub\.example/api/v1/packages/a/notes/releases/latest/mcp"):
        open_tool_session(Hub(runner=object()), ToolSet((NOTES,), None))


def test_with_a_sandbox_here_it_is_opened_with_the_task_and_the_seed():
    runner = SimpleNamespace(tool_session=lambda *given: given)
    assert open_tool_session(Hub(runner=runner), ToolSet((ROOM,), {"id": "t"}, 7)) == ((ROOM,), {"id": "t"}, 7)
