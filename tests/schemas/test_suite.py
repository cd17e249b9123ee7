"""Which families of tasks a suite is for, and a verifier judges."""

import pytest

from schemas.manifest import Manifest, ManifestError
from schemas.suite import SuiteAdapter, SuiteFamily


def test_a_manifest_names_the_families_that_it_judges():
    text = (
        'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n[rewards.correct]\n'
        '[judges.short-number]\nanswer = "info.gold"\n'
    )
    assert Manifest.from_toml(text).judges == {SuiteFamily.SHORT_NUMBER: SuiteAdapter(answer="info.gold")}
    with pytest.raises(ManifestError, match="short-number"):
        Manifest.from_toml(text.replace("short-number", "numbers"))


def test_a_suite_needs_cases_and_a_family():
    text = 'format = 1\nid = "al/numbers"\nkind = "suite"\nfamily = "choice"\naudit = ["cases.jsonl"]\n'
    assert Manifest.from_toml(text).family is SuiteFamily.CHOICE
    with pytest.raises(ManifestError, match="a suite needs family"):
        Manifest.from_toml(text.replace('family = "choice"\n', ""))
    with pytest.raises(ManifestError, match="a suite needs labelled cases"):
        Manifest.from_toml(text.replace('audit = ["cases.jsonl"]\n', ""))


@pytest.mark.parametrize(
    "adapter",
    [
        'answer = "prompt"',
        'answer = "id"',
        'answer = "info"',
        'answer = "prompt.answer"',
        'response = "42"',
        'response = "{response}{response}"',
        f'response = "{"{response}" * 50}"',
    ],
)
def test_an_adapter_moves_the_answer_and_neither_replaces_a_task_nor_makes_all_cases_one(adapter: str):
    """An answer put into ``id`` left out every case whose answer is a number, and fifty copies filled the memory."""
    text = (
        'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n[rewards.correct]\n'
        f"[judges.short-number]\n{adapter}\n"
    )
    with pytest.raises(ManifestError):
        Manifest.from_toml(text)
