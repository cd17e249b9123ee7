"""The author's ten minutes, as the README tells them: init, check, publish, measured, browsed, judged."""

import json
from pathlib import Path

import httpx
import pytest

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.together("end_to_end")]


def test_a_strangers_verifier_is_measured_and_judges_by_the_readme_alone(alice) -> None:
    alice.run("init", "alice/final-number", "--kind", "verifier")
    alice.run("check", "final-number")
    published = alice.run("publish", "final-number", "--wait")
    assert "grade" in published

    card = alice.json("search", "final number")["items"][0]
    assert card["id"] == "alice/final-number"
    overall = card["audit"]["overall"]
    assert (overall["fp"], overall["fn"]) == (0, 0)
    assert overall["tp"] >= 10
    assert overall["tn"] >= 10

    task = json.dumps({"id": "t", "prompt": "2 + 2?", "answer": "4"})
    right = alice.json("score", "alice/final-number", "--task", task, "--response", "The answer is 4")
    wrong = alice.json("score", "alice/final-number", "--task", task, "--response", "The answer is 5")
    assert right["rewards"] == {"correct": 1.0}
    assert wrong["rewards"] == {"correct": 0.0}

    page = httpx.get(f"{alice.hub.url}/packages/alice/final-number").text
    assert "final-number" in page
    report = httpx.get(f"{alice.hub.url}/packages/alice/final-number/releases/0.1.0/audit")
    assert report.status_code == 200
    assert "Confusion matrix" in report.text


def test_publishing_again_is_harmless_and_other_bytes_are_refused(alice) -> None:
    alice.run("init", "alice/second", "--kind", "verifier")
    alice.run("publish", "second")
    alice.run("publish", "second")
    code = alice.home / "second" / "src" / "alice_second" / "__init__.py"
    code.write_text(code.read_text() + "\n# changed\n")
    said = alice.run("publish", "second", expect=5)
    assert "releases never change" in said


def test_a_misspelt_key_is_refused_with_the_right_one(alice) -> None:
    alice.run("init", "alice/third", "--kind", "verifier")
    manifest: Path = alice.home / "third" / "src" / "alice_third" / "verihub.toml"
    manifest.write_text(manifest.read_text().replace("verifier = ", "verifer = "))
    said = alice.run("check", "third", expect=6)
    assert "did you mean 'verifier'?" in said


def test_a_verifier_that_raises_loops_or_breaks_its_vector_is_never_a_zero(alice) -> None:
    alice.run("init", "alice/broken", "--kind", "verifier")
    code = alice.home / "broken" / "src" / "alice_broken" / "__init__.py"
    task = json.dumps({"id": "t", "prompt": "?", "answer": "4"})
    for body, kind in {
        "raise RuntimeError('no')": "verifier_failed",
        "while True: pass": "timeout",
        "return {'correct': float('nan')}": "verifier_failed",
        "return {'correct': 1.0, 'extra': 1.0}": "verifier_failed",
        "return {'correct': 7.0}": "verifier_failed",
        "x = b'x' * 10**10": "memory",
    }.items():
        code.write_text(f'"""Broken."""\n\n\ndef verify(task, response):\n    {body}\n')
        verdict = alice.json("score", "broken", "--task", task, "--response", "4")
        assert verdict["rewards"] == {"correct": None}, body
        assert verdict["error"]["kind"] == kind, body


def test_refusals_have_their_exit_codes(alice, tmp_path) -> None:
    assert "no-such" in alice.run("info", "alice/no-such", expect=4)
    alice.run("--offline", "pull", "lecture/never-seen", expect=8)
    alice.run("search", "--no-such-option", expect=2)
    alice.run("--url", "http://127.0.0.1:1", "search", "x", expect=8)


def test_a_wrong_token_is_told_apart_from_no_token(alice, tmp_path) -> None:
    alice.run("init", "alice/tokenless", "--kind", "verifier")
    stranger = type(alice)(alice.hub, tmp_path / "stranger", "stranger")
    project = str(alice.home / "tokenless")
    assert "log in" in stranger.run("publish", project, expect=3).lower()
    stranger.run("login", "--with-token", stdin="verihub_pat_" + "0" * 40, expect=3)


def test_a_taken_port_is_one_clear_sentence(alice, tmp_path) -> None:
    said = alice.run("serve", "--port", str(alice.hub.port), "--data", str(tmp_path / "other"), expect=2)
    assert "--port" in said
