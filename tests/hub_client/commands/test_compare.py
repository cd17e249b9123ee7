"""What `verihub compare` prints can be read by somebody who never heard of kappa."""

import json
from contextlib import contextmanager
from typing import Any

import pytest

from hub_client.commands import compare as command
from hub_client.commands.compare import comparison_text
from hub_client.commands.main import run
from schemas.comparison import Disagreement, RewardDistance, VerifierComparison
from schemas.evidence.rates import Rate


def comparison(**more: Any) -> VerifierComparison:
    fields: dict[str, Any] = {
        "first": "alice/one@1.0.0",
        "second": "bob/two@2.0.0",
        "case_count": 20,
        "probe_count": 8,
        "judged": 18,
        "counts": {"accepted/accepted": 10, "accepted/rejected": 1, "rejected/null": 2},
        "agreement": Rate(value=0.95, low=0.9, high=0.98),
        "kappa": 0.9,
        "distance": RewardDistance(value=0.034, low=0.01, high=0.06),
        "disagreements": [],
    }
    return VerifierComparison(**{**fields, **more})


def test_every_figure_stands_with_what_it_means() -> None:
    said = comparison_text(comparison())
    assert "first   alice/one@1.0.0" in said
    assert "95.0 % (90.0–98.0) of the cases that both judged" in said
    assert "0.90 (Cohen's kappa: 1 = always the same, 0 = as often as by chance)" in said
    assert "0.034 (0.010–0.060; 0 = the same order" in said


def test_what_was_not_judged_is_called_so() -> None:
    said = comparison_text(comparison())
    assert "rejected / not judged      2" in said
    assert "null" not in said


def test_what_is_unknown_is_said_to_be() -> None:
    said = comparison_text(comparison(agreement=Rate(value=None, low=0.0, high=1.0), kappa=None, distance=None))
    assert "same verdict      unknown" in said
    assert "reward distance   unknown" in said
    assert "kappa" not in said


def test_a_case_on_which_they_differ_says_who_is_right_by_its_label() -> None:
    one = Disagreement(
        case="c7", label="correct", first=True, second=None, first_rewards={"r": 1.0}, second_rewards={"r": None},
        sides_with="first", response="  4  \n",
    )  # fmt: skip
    said = comparison_text(comparison(disagreements=[one], disagreement_count=3))
    assert "c7: accepted / not judged; by the case's label the first is right: '4'" in said
    assert "and 2 more" in said


def test_options_that_the_hub_cannot_obey_are_refused(tmp_path, capsys) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text("")
    assert run(["compare", "a/one", "b/two", "--on-hub", "--cases", str(cases)]) == 2
    assert "leave out --cases" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "code"), [(None, 2), ("{", 6)])
def test_cases_that_cannot_be_read_are_named(tmp_path, capsys, text, code) -> None:
    file = tmp_path / "cases.jsonl"
    if text is not None:
        file.write_text(text)
    assert run(["compare", "a/one", "b/two", "--cases", str(file)]) == code
    assert "cases.jsonl" in capsys.readouterr().err


def test_the_result_is_one_object_for_programs(monkeypatch, capsys) -> None:
    opened = command.open_context

    @contextmanager
    def session(**_):
        with opened() as found:
            monkeypatch.setattr(found.hub, "verifier", lambda target: target)
            monkeypatch.setattr(found.hub, "runner", lambda: None)
            yield found

    monkeypatch.setattr(command, "open_context", session)
    monkeypatch.setattr(command, "refuse_without_model", lambda *_: None)
    monkeypatch.setattr(command, "compare_verifiers", lambda *_, **__: comparison())
    assert run(["compare", "a/one", "b/two", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["kappa"] == 0.9
    assert run(["compare", "a/one", "b/two", "-q"]) == 0
    assert capsys.readouterr().out == "0.9500\n"
