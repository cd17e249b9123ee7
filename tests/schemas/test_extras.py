"""A message never sends a user to an index for what was installed from a folder."""

import json
import shlex
from importlib.metadata import Distribution
from pathlib import Path
from types import SimpleNamespace

import pytest

from schemas import extras
from schemas.extras import how_to_install

HERE = {"url": "file:///opt/veri%20hub", "dir_info": {"editable": True}}
FOLDER = {"url": "file:///opt/verihub", "dir_info": {}}
WHEEL = {"url": "file:///opt/verihub-0.7.0-py3-none-any.whl", "archive_info": {}}
GIT = {"url": "https://git.example.org/verihub", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (HERE, "pip install -e '/opt/veri hub[ray]'"),
        (FOLDER, "pip install '/opt/verihub[ray]'"),
        (WHEEL, "pip install 'verihub[ray] @ file:///opt/verihub-0.7.0-py3-none-any.whl'"),
        (GIT, "pip install 'verihub[ray] @ git+https://git.example.org/verihub@0a1b'"),
        (None, "pip install 'verihub[ray]'"),
    ],
    ids=["editable", "folder", "wheel", "git", "index"],
)
def test_an_extra_comes_from_where_verihub_came_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: dict[str, object] | None, command: str
) -> None:
    metadata = tmp_path / "verihub-0.7.0.dist-info"
    metadata.mkdir()
    if origin is not None:
        (metadata / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.setattr(extras, "Distribution", SimpleNamespace(from_name=lambda _: Distribution.at(metadata)))
    assert how_to_install("ray") == command
    assert shlex.split(command)[:2] == ["pip", "install"]
