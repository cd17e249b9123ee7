"""A verifier that asks a model, from the command line: with a model, without one, with one that is away."""

import json

import pytest

from tests.hub_client.commands.model_server import Model, saying

MANIFEST = """format = 1
id = "alice/kindness"
kind = "verifier"
verifier = "alice_kindness:verify"
audit = ["audit.jsonl"]
[rewards.kind]
[model]
[model.prompts.point]
user = "Is this kind? {response} Answer yes or no."
"""
CODE = '''"""Asks whether a text is kind."""


def verify(response: str):
    """1 when the model says yes."""
    said = yield {"complete": "point", "values": {"response": response}}
    word = said["content"].strip().lower()
    return {"kind": {"yes": 1.0, "no": 0.0}.get(word)}
'''
PROJECT = """[project]
name = "alice-kindness"
version = "0.1.0"
description = "Kindness"
license = "Apache-2.0"
requires-python = ">=3.11"
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""
CASES = [
    {"id": "a", "task": {"id": "t", "prompt": "?"}, "response": "thank you", "label": "correct"},
    {"id": "b", "task": {"id": "t", "prompt": "?"}, "response": "go away", "label": "incorrect"},
]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("VERIHUB_RUN_AT", "here")
    monkeypatch.setenv("VERIHUB_SANDBOX_JUDGE_CACHE_FOLDER", str(tmp_path / "answers"))
    package = tmp_path / "kindness" / "src" / "alice_kindness"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(CODE)
    (package / "verihub.toml").write_text(MANIFEST)
    (package / "audit.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    (package.parents[1] / "pyproject.toml").write_text(PROJECT)
    (package.parents[1] / "README.md").write_text("# Kindness\n")
    return package.parents[1]


@pytest.fixture
def model():
    served = Model()
    served.answer = lambda body: saying("yes" if "thank" in body["messages"][0]["content"] else "no")
    yield served
    served.close()


def score(verihub, project, *more):
    return verihub("score", project, "--task", '{"prompt": "?"}', "--response", "thank you", *more)


def test_a_verdict_shows_the_models_answer_and_a_second_one_asks_nobody(verihub, project, model):
    for _ in range(2):
        said = score(verihub, project, "--judge-model", f"{model.url}#judge")
        assert said.code == 0, said.err
        assert "accepted, sum 1" in said.out
        assert "asked judge (point): 'yes'" in said.out
    assert len(model.asked) == 1


def test_an_audit_says_which_model_and_how_much(verihub, project, model):
    said = verihub("audit", project, "--no-probes", "--judge-model", f"{model.url}#judge", "--format", "json")
    assert said.code == 0, said.err
    assert said.json["judge_model"] == "judge"
    assert said.json["asked_model"]["calls"] == 2
    assert said.json["overall"]["fp"] == said.json["overall"]["fn"] == 0


def test_a_check_runs_the_cases_with_the_model(verihub, project, model):
    said = verihub("check", project, "--judge-model", f"{model.url}#judge")
    assert said.code == 0, said.err
    assert "own cases: 2 of 2 as labelled" in said.out


@pytest.mark.parametrize("command", ["audit", "check", "score", "compare"])
def test_without_a_model_one_sentence_says_what_is_missing(verihub, project, command):
    more = {"score": ["--task", '{"prompt": "?"}', "--response", "x"], "compare": [project]}.get(command, [])
    said = verihub(command, project, *more)
    assert said.code == 2, said.out
    assert "alice/kindness" in said.err
    assert "asks a model, and none is offered: name any model with --judge-model" in said.err


def test_a_check_of_the_format_alone_needs_no_model(verihub, project):
    assert verihub("check", project, "--no-run").code == 0


def test_a_model_that_is_away_judges_nothing(verihub, project):
    said = score(verihub, project, "--judge-model", "http://127.0.0.1:9/v1#judge", "--format", "json")
    assert said.json["rewards"] == {"kind": None}
    assert said.json["error"]["kind"] == "model"


def test_an_answer_that_is_neither_word_judges_nothing(verihub, project, model):
    model.answer = lambda _: saying("I think it is rather kind.")
    said = score(verihub, project, "--judge-model", f"{model.url}#judge", "--format", "json")
    assert said.json["rewards"] == {"kind": None}
    assert said.json["asked"][0]["answer"] == "I think it is rather kind."


@pytest.mark.parametrize("value", ["gpt", "http://127.0.0.1:9/v1", "ftp://x#m"])
def test_a_value_that_names_no_model_is_refused(verihub, project, value):
    said = score(verihub, project, "--judge-model", value)
    assert said.code == 2
    assert "--judge-model: it is local:NAME, or URL#MODEL" in said.err


def test_a_projects_settings_cannot_choose_a_model(verihub, project, model, monkeypatch):
    (project / ".verihub.toml").write_text(f'judge_model = "{model.url}#judge"\n')
    monkeypatch.chdir(project)
    said = score(verihub, ".")
    assert said.code == 2
    assert "judge_model" in said.err
    assert model.asked == []
