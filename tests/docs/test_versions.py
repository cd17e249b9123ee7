"""Who copies an example gets a release: the versions that examples name are those of the collection today."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

NAMED = re.compile(r"lecture/([a-z0-9-]+)@(\d+\.\d+\.\d+)")
PLACES = [*(DOCS / "how_to").glob("*.md"), *(DOCS / "tutorials").glob("*.md"), DOCS / "reference" / "commands.md",
          ROOT / "README.md", *(ROOT / "hub_client").rglob("*.py")]  # fmt: skip


def present(name: str) -> str:
    project = tomllib.loads((ROOT / "collection" / name / "pyproject.toml").read_text())
    return str(project["project"]["version"])


def astray(text: str) -> list[str]:
    return [
        f"lecture/{name}@{version} is {present(name)} today"
        for name, version in NAMED.findall(text)
        if version != present(name)
    ]


def test_a_version_of_the_past_is_found() -> None:
    now = present("wordle")
    assert astray(f"lecture/wordle@0.0.1 lecture/wordle@{now}") == [f"lecture/wordle@0.0.1 is {now} today"]


@pytest.mark.parametrize(
    "path", [path for path in PLACES if NAMED.search(path.read_text())], ids=lambda path: str(path.relative_to(ROOT))
)
def test_examples_name_versions_that_the_collection_has(path: Path) -> None:
    assert astray(path.read_text()) == []
