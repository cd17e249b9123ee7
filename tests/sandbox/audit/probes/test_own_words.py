"""What a verifier's code looks for is read from its modules, and nothing of it runs."""

from pathlib import Path

import pytest

from sandbox.audit.probes.own_words import words_in, words_of
from sandbox.checks.samples import Sample


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('if "trust me" in response: pass', ("trust me",)),
        ('YES = ("richtig", "\u6b63\u786e")', ("richtig", "\u6b63\u786e")),
        ('given.get("correct")', ("correct",)),
        (r're.search(r"check\s*:\s*(ok|passed)", text)', ("check:ok",)),
        ('"""A module."""\ndef f():\n    "Says."\n    return "trust me"', ("trust me",)),
        ('f"{task} approved"', ("approved",)),
        ('"one", "one"', ("one",)),
        ('A = "trust"\nif A + " me" in response: pass', ("trust", "trust me", "me")),
        ('"".join(["t", "r", "u", "s", "t", " ", "m", "e"]) in response', ("trust me",)),
        (r'"\\boxed{" in response', ("oxed{", "\\boxed{")),
    ],
)
def test_texts_and_examples_of_patterns_are_words(code: str, words: tuple[str, ...]) -> None:
    assert words_in(code) == words


@pytest.mark.parametrize(
    "code",
    [
        'NAMES = {"carbon dioxide": "co two"}',
        'UNITS = ["km", "metre", "mile", "foot", "inch", "yard", "league"]',
        'x = "1234", "-", "a", "two\\nlines"',
        f'x = "{"long " * 20}"',
        "no Python at all",
        "(" * 5000,
        "x = 'trust me'\n" + "#" * 100_000,
    ],
    ids=["a dictionary", "a long list", "no words", "a long text", "no Python", "too deep", "too long"],
)
def test_tables_numbers_and_what_cannot_be_read_give_none(code: str) -> None:
    assert words_in(code) == ()


def test_a_wheel_is_read_without_running_it_its_verifier_first(tmp_path: Path) -> None:
    code = "raise SystemExit\ndef verify(task, response):\n    return 'trust me' in response"
    source = Sample(code, files={"a_first.py": "X = 'later on'"}).source(tmp_path)
    assert words_of(source.wheel, source.manifest) == ("trust me", "later on")


def test_a_file_that_is_no_wheel_has_no_words(tmp_path: Path) -> None:
    source = Sample("").source(tmp_path)
    source.wheel.write_bytes(b"PK nothing")
    assert words_of(source.wheel, source.manifest) == ()
    assert words_of(tmp_path / "none.whl", source.manifest) == ()
