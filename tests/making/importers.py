"""Packages with importers, installed for one test."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hub_client.imports.installed import installed_importers
from hub_client.imports.registry import sources

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how_to" / "import.md"


@contextmanager
def site_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that packages are installed in."""
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    _forget()
    yield folder
    _forget()


def _forget() -> None:
    sources.cache_clear()
    installed_importers.cache_clear()


def install(site: Path, name: str, points: str, files: dict[str, str]) -> None:
    info = site / f"{name.replace('-', '_')}-0.1.dist-info"
    metadata = f"Metadata-Version: 2.4\nName: {name}\nVersion: 0.1\nSummary: Puzzles of mine.\n"
    group = f"[verihub.importers]\n{points}\n"
    written = {info / "METADATA": metadata, info / "entry_points.txt": group, **{site / p: t for p, t in files.items()}}
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    _forget()


def install_documented(site: Path) -> None:
    """The example of the page on imports, as it is written there."""
    blocks = re.findall(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    files = {path.removeprefix("src/"): text for path, text in blocks if "mypuzzles" in path}
    points = next(text for path, text in blocks if path == "pyproject.toml" and "verihub.importers" in text)
    install(site, "verihub-mypuzzles", points.splitlines()[1].replace('"', ""), files)
