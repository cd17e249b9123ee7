"""A harness is opened by name with the tools that it brings; what is no harness is refused."""

from types import SimpleNamespace

import pytest

from hub_client.errors import UsageError
from hub_client.evaluation.built_in_loop import BuiltInLoop
from hub_client.evaluation.harness_loader import open_harness
from schemas.kinds import PackageKind


def package(name, kind, *, tools=(), foreign=()):
    manifest = SimpleNamespace(kind=kind, own_tools=tools, foreign_tools=foreign)
    return SimpleNamespace(package=name, reference=name, digest=name, contents=SimpleNamespace(manifest=manifest))


class Hub:
    def __init__(self, *packages):
        self.packages = {one.package: one for one in packages}

    def load(self, target):
        return self.packages[target]

    def runner(self):
        return None


LOOP = package("a/loop", PackageKind.HARNESS, foreign=("a/search",))
SEARCH = package("a/search", PackageKind.TOOL, tools=("a:search",))


def test_a_harness_brings_its_own_tools():
    harness = open_harness(Hub(LOOP, SEARCH), "a/loop")
    assert harness.tool_packages == (SEARCH,)
    assert harness.name == "a/loop"


def test_without_a_name_it_is_the_loop_that_is_built_in():
    assert isinstance(open_harness(Hub(), "").loop, BuiltInLoop)


def test_what_is_no_harness_and_what_has_no_tools_is_refused():
    with pytest.raises(UsageError, match="a/search is a tool, no harness"):
        open_harness(Hub(SEARCH), "a/search")
    with pytest.raises(UsageError, match="without tools of its own"):
        open_harness(Hub(LOOP, package("a/search", PackageKind.VERIFIER)), "a/loop")
