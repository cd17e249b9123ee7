"""Where things lie in an image: nothing in another's place, and every tag one that an engine takes."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.images import layout
from sandbox.images.image_builder import guest_files

ROOTS = [layout.GUEST_ROOT, layout.DEPENDENCIES_ROOT, layout.PACKAGE_ROOT]
LABELS = [value for name, value in vars(layout).items() if name.startswith("LABEL_")]
REPOSITORIES = [value for name, value in vars(layout).items() if name.endswith("_REPOSITORY")]
_TAG = re.compile(r"[a-z0-9]+(/[a-z0-9]+)*:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
"""What the engine's own grammar allows of what we use."""


@given(st.binary(min_size=32, max_size=32).map(bytes.hex), st.sampled_from(REPOSITORIES))
def test_every_digest_makes_a_tag(digest: str, repository: str) -> None:
    tag = layout.reference(repository, f"sha256:{digest}")
    assert _TAG.fullmatch(tag)
    assert tag == layout.reference(repository, digest)
    assert tag.partition(":")[2] == digest[:40]


def test_no_kind_of_image_takes_the_tag_of_another() -> None:
    assert len(REPOSITORIES) == 4
    assert len({layout.reference(repository, "0" * 64) for repository in REPOSITORIES}) == 4


@pytest.mark.parametrize(("one", "other"), list(combinations(ROOTS, 2)))
def test_no_file_of_a_package_can_lie_in_the_guests_place(one: str, other: str) -> None:
    assert not f"{one}/".startswith(f"{other}/")
    assert not f"{other}/".startswith(f"{one}/")


def test_the_guest_is_importable_from_its_root_and_from_nowhere_else() -> None:
    assert {"sandbox/__init__.py", "sandbox/guest/__init__.py", "sandbox/guest/__main__.py"} <= set(guest_files())
    assert all(name.startswith("sandbox/guest/") for name in guest_files() if name != "sandbox/__init__.py")


def test_labels_are_told_apart() -> None:
    assert len(LABELS) == len(set(LABELS)) == 5
    assert all(label.startswith(layout.LABEL_KIND) for label in LABELS)


def test_an_image_brings_no_secret_and_no_search_path_of_ours() -> None:
    assert {variable.partition("=")[0] for variable in layout.ENVIRONMENT} == {"PATH", "LANG"}
    path = dict(variable.split("=") for variable in layout.ENVIRONMENT)["PATH"]
    assert all(folder.startswith("/") and "verihub" not in folder for folder in path.split(":"))
