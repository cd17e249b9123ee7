"""``verihub eval`` without a hub, and where nothing could be judged: the reader learns why, and no script goes on."""

import json

import pytest

from hub_client.evaluation.evaluate import play_cell
from schemas.kinds import PackageKind
from tests.hub_client.commands.model_server import Model, saying
from tests.making.project import make_project

BROKEN = '"""Broken."""\n\n\ndef run(messages):\n    raise KeyError("nothing here")\n    yield {}\n'


@pytest.fixture
def model():
    served = Model()
    yield served
    served.close()


@pytest.fixture
def evaluate(verihub, model, tmp_path, monkeypatch):
    """``evaluate(folder, …)`` with two attempts and no hub anywhere."""
    monkeypatch.setenv("VERIHUB_URL", "http://127.0.0.1:1")
    model.answer = lambda body: saying("3")

    def call(folder, *more):
        where = ["--endpoint", model.url, "--model", "m", "--output", tmp_path / "out"]
        return verihub("eval", folder, "--split", "train", "--tasks", 2, "--no-hub", *where, *more)

    return call


@pytest.fixture
def environment(tmp_path):
    return make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT)


def test_the_first_evaluation_needs_neither_a_hub_nor_a_harness(evaluate, environment) -> None:
    said = evaluate(environment)
    assert said.code == 0, said.err
    assert "the built-in one is used" in said.err
    assert "alice/letters@0.1.0 under built-in" in said.out


def test_where_every_attempt_broke_the_reason_is_shown_and_the_command_fails(evaluate, environment, tmp_path) -> None:
    harness = make_project(tmp_path / "loop", "alice/loop", PackageKind.HARNESS, files={"__init__.py": BROKEN})
    said = evaluate(environment, "--harness", harness)
    assert said.code == 6
    assert "2 of 2 attempts broke in the harness" in said.out
    assert "2 × harness: alice/loop: KeyError: 'nothing here'" in said.out
    assert "no attempt of alice/letters@0.1.0 under alice/loop was judged" in said.err
    assert "nothing here" in said.err


def test_the_reasons_are_in_the_json_too(evaluate, environment, tmp_path) -> None:
    harness = make_project(tmp_path / "loop", "alice/loop", PackageKind.HARNESS, files={"__init__.py": BROKEN})
    said = evaluate(environment, "--harness", harness, "--format", "json")
    assert said.code == 6
    (cell,) = said.json["cells"]
    (reason,) = cell["reasons"]
    assert (reason["attempts"], "nothing here" in reason["reason"]) == (2, True)
    assert "nothing here" in json.loads(said.err.splitlines()[-1])["message"]


def test_after_an_interrupt_it_is_told_where_and_how_it_goes_on(evaluate, environment, tmp_path, monkeypatch) -> None:
    def interrupted(*given, **more):
        play_cell(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr("hub_client.commands.evaluate.play_cell", interrupted)
    said = evaluate(environment)
    assert said.code == 130
    assert f"What ended is kept in {tmp_path / 'out'}: the same command goes on there." in said.err
