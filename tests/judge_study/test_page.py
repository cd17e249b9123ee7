"""docs/reference/judges.md says what the stored figures say."""

import copy
import json
from typing import Any

import pytest

from scripts.judge_study.__main__ import STORED, as_text, main, scripted_figures
from scripts.judge_study.figures import figures
from scripts.judge_study.page import PAGE, page, reading
from scripts.judge_study.scripted import JUDGES
from tests.judge_study.test_scripted import verdicts_of

KEPT: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
AGAIN = "run .venv/bin/python -m scripts.judge_study --store (its options: docs/reference/judges.md)"


def test_the_page_agrees_with_the_figures() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(KEPT), AGAIN


def test_the_figures_are_small_and_stored_as_the_script_stores_them() -> None:
    text = STORED.read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert as_text(KEPT) == text


@pytest.mark.slow
def test_the_control_gives_the_stored_figures_again() -> None:
    assert scripted_figures() == KEPT["scripted"], AGAIN


def test_every_scripted_judge_and_at_least_one_model_are_stored() -> None:
    assert set(KEPT["scripted"]) == set(JUDGES)
    assert KEPT["models"]


def test_a_page_with_another_figure_is_another_page() -> None:
    other = copy.deepcopy(KEPT)
    other["scripted"]["honest"]["attacks"]["length"]["won of those"][0] = 0.5
    assert page(other) != page(KEPT)


def test_a_judge_is_called_worthless_only_where_no_agreement_is_above_chance() -> None:
    kinds = ("short", "pairs")
    told = {name: " ".join(reading(name, figures(verdicts_of(name, kinds)))) for name in ("honest", "coin", "mumbles")}
    assert "worth nothing" not in told["honest"]
    assert "worth nothing" in told["coin"]
    assert "worth nothing" in told["mumbles"]
    assert "It chose the right answer in both orders in 200 of 200 pairs" in told["honest"]


def test_the_command_says_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--judge-model" in capsys.readouterr().out
