import ast

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.library import Library
from tests.making.library import keep, plain_wheel

BARE = frozenset({"reasoning_gym", "reasoning_gym.arithmetic", "reasoning_gym.logic"})


@pytest.fixture
def library(cache, index) -> Library:
    return Library("reasoning_gym", cache)


def test_it_is_named_and_licensed_as_its_metadata_says(library) -> None:
    assert (library.name, library.version, library.licence) == ("reasoning-gym", "0.9.1", "Apache-2.0")
    assert library.home == "https://example.org/reasoning-gym"


def test_its_needs_are_resolved_at_its_own_version_and_only_when_they_are_asked_for(library, index) -> None:
    assert library.modules["reasoning_gym.factory"]
    assert index.asked == ["reasoning_gym"]
    library.needs({"small_yaml"})
    assert index.asked[1] == "reasoning-gym==0.9.1", "pip would take an older release that needs less"


def test_a_module_needs_what_it_imports_itself_or_through_others_of_the_library(library) -> None:
    assert library.imports("reasoning_gym.arithmetic.legs", BARE) == {"small_yaml"}
    assert library.imports("reasoning_gym.arithmetic.halves", BARE) == set()
    assert library.imports("reasoning_gym.coaching", BARE) == {"small_yaml"}
    assert library.imports("reasoning_gym.logic.zebra", BARE) == {"c_parser"}, "an import inside a function counts"


def test_what_is_not_imported_is_left_out_with_what_only_it_needs(library) -> None:
    needs = library.needs({"small_yaml"})
    assert needs.dependencies == ["reasoning-gym==0.9.1"]
    assert needs.without == ["c-parser", "unused-thing"], "an extra's dependency is none"
    assert [item.name for item in needs.lock] == ["inner-parts", "reasoning-gym", "small-yaml"]


def test_what_another_dependency_needs_stays_although_the_library_names_it_too(cache, monkeypatch) -> None:
    parts = {"grammars": ("frames",), "frames": (), "unused": ("frames",), "core": ("grammars", "frames", "unused")}
    locks = {
        name: keep(cache, name, "1.0", plain_wheel(name, "1.0", {f"{name}.py": ""}, needs))
        for name, needs in parts.items()
    }
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: locks["core"])
    monkeypatch.setattr(libraries, "lock_what_can_be_built", lambda *_: (list(locks.values()), {}))
    needs = Library("core", cache).needs({"grammars"})
    assert needs.without == ["unused"]
    assert [item.name for item in needs.lock] == ["core", "frames", "grammars"]


def test_a_dependency_of_a_dependency_that_is_imported_is_named(library) -> None:
    needs = library.needs({"inner_parts"})
    assert needs.dependencies == ["reasoning-gym==0.9.1", "inner-parts==3.0"]
    assert needs.without == ["c-parser", "small-yaml", "unused-thing"]
    assert [item.name for item in needs.lock] == ["inner-parts", "reasoning-gym"]


def test_what_is_named_is_left_out_if_it_is_a_dependency_and_others_are_added(library, monkeypatch) -> None:
    asked = {}
    monkeypatch.setattr(
        libraries, "lock_dependencies", lambda names, *_, without: asked.update(names=names, without=without) or []
    )
    needs = library.needs_without(["C_Parser", "never-heard-of"], ["pydantic"])
    assert needs.dependencies == asked["names"] == ["reasoning-gym==0.9.1", "pydantic"]
    assert needs.without == asked["without"] == ["c-parser"]


def test_what_a_box_cannot_have_refuses_only_what_imports_it(library) -> None:
    with pytest.raises(ImportRefusedError, match=r"c-parser .* has C extensions"):
        library.needs({"small_yaml", "c_parser"})
    with pytest.raises(ImportRefusedError, match="imports nowhere, which none of its"):
        library.needs({"nowhere"})


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from . import b", "b"),
        ("from .b import x", "b"),
        ("from .. import top", "top"),
        ("import lib.sub.b", "b"),
        ("from lib.sub import b", "b"),
        ("import lib.sub.b as other", "b"),
    ],
)
def test_every_way_to_import_a_module_of_the_library_is_followed(library, line: str, found: str) -> None:
    leaf = {"b": "lib.sub.b", "top": "lib.top"}[found]
    sources = {"lib": "", "lib.sub": "", "lib.sub.a": line, leaf: f"import needed_by_{found}"}
    library.__dict__["modules"] = {name: ast.parse(text) for name, text in sources.items()}
    library.__dict__["files"] = {"lib/__init__.py": b"", "lib/sub/__init__.py": b""}
    assert library.imports("lib.sub.a") == {f"needed_by_{found}"}


@pytest.mark.parametrize(
    ("line", "licence"),
    [
        ("License: MIT", "MIT"),
        ("Classifier: License :: OSI Approved :: Apache Software License", "Apache-2.0"),
        ("License: see the file", ""),
    ],
)
def test_an_older_way_to_state_the_licence_is_read(cache, monkeypatch, line: str, licence: str) -> None:
    data = plain_wheel("old", "1.0", {"old.py": ""})
    monkeypatch.setattr(
        "hub_client.imports.library.lock_alone", lambda _, cache, *_more: keep(cache, "old", "1.0", data)
    )
    library = Library("old", cache)
    library.__dict__["files"] = {"old-1.0.dist-info/METADATA": f"Name: old\n{line}\n".encode()}
    assert library.licence == licence
