"""``python -m sandbox.backends.docker.base_image``: what it prints, and its exit status."""

import re
from pathlib import Path

import pytest

from sandbox.backends.docker import base_image as module
from sandbox.backends.docker.base_image import base_image
from sandbox.images import layout
from sandbox.images.engine import ImageRecord
from sandbox.images.errors import BaseImageError
from tests.fakes.docker_engine import ScriptedEngine, refusal

MADE = ImageRecord("sha256:aa", ("verihub/base:1-amd64",), {layout.LABEL_SOURCE: "debian:bookworm"}, (), 82_800_000)


def test_without_an_engine_it_says_what_to_do_and_ends_with_8(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert base_image(f"unix://{tmp_path}/none.sock") == 8
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"no Docker engine answers \(.*\): start it .*\n", said.err)


def test_an_engine_that_refuses_is_quoted(scripted: ScriptedEngine, capsys: pytest.CaptureFixture[str]) -> None:
    scripted.told["GET /images/*"] = refusal(500, "the image store is locked")
    assert base_image(scripted.url) == 8
    assert "the image store is locked" in capsys.readouterr().err


@pytest.mark.parametrize("was_there", [True, False])
def test_it_says_whether_it_was_there_or_made_and_from_what(
    scripted: ScriptedEngine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], was_there: bool
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(module, "find_base", lambda _, python: MADE if was_there else asked.append(python))

    def ensure(_: object, __: object, say: object, python: str) -> ImageRecord:
        assert callable(say)
        say("building it")
        asked.append(python)
        return MADE

    monkeypatch.setattr(module, "ensure_base", ensure)
    assert base_image(scripted.url, python="3.13") == 0
    said = capsys.readouterr()
    how = "is there" if was_there else r"made in \d+ s"
    assert re.fullmatch(rf"base image {how}: verihub/base:1-amd64 from debian:bookworm, 83 MB\n", said.out)
    assert re.fullmatch(r" +\d+\.\d s  building it\n", said.err), "progress is no result"
    assert set(asked) == {"3.13"}


def test_no_way_to_make_one_is_a_reason_and_not_a_traceback(
    scripted: ScriptedEngine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ensure(*_: object) -> ImageRecord:
        raise BaseImageError("the base image needs a registry or mmdebstrap")

    monkeypatch.setattr(module, "find_base", lambda *_: None)
    monkeypatch.setattr(module, "ensure_base", ensure)
    assert base_image(scripted.url) == 8
    assert capsys.readouterr().err == "the base image needs a registry or mmdebstrap\n"
