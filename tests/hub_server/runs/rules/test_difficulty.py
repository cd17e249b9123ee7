import pytest

from hub_server.runs.rules.difficulty import difficulty_of, parameters_of
from schemas.measures.corrected import Observed, observed_interval
from schemas.package import Difficulty


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("SmolLM2-135M-Instruct", 135e6),
        ("Qwen2.5-0.5B", 0.5e9),
        ("meta-llama/Llama-3.1-8B-Instruct", 8e9),
        ("Mixtral-8x7B-v0.1", 56e9),
        ("kimi-1t", 1e12),
        ("local:smollm2", 135e6),
        ("local:./checkpoint", None),
        ("gpt-5", None),
        ("4bit-model", None),
        ("", None),
    ],
)
def test_a_models_size_is_what_its_name_says(model: str, parameters: float | None) -> None:
    assert parameters_of(model) == parameters


def said(*runs: tuple[str, float, float]) -> list[Difficulty]:
    return difficulty_of((model, observed_interval(Observed(rate, tries))) for model, rate, tries in runs)


def test_few_tries_say_nothing() -> None:
    """None of 8 solved may still be a third of all."""
    assert said(("a-135M", 0.0, 8)) == []
    assert said(("a-135M", 0.0, 24)) == [Difficulty.HARD_FOR_SMALL]
    assert said(("a-135M", 1.0, 8)) == [Difficulty.REACHABLE_FOR_SMALL]
    assert said(("a-135M", 1.0, 24)) == [Difficulty.SOLVED_BY_SMALL]


def test_the_best_model_of_each_size_speaks_for_it() -> None:
    runs = [("a-135M", 0.0, 50), ("b-1B", 0.4, 50), ("c-8B", 0.95, 200), ("d-70B", 0.1, 50), ("unknown", 1.0, 500)]
    assert said(*runs) == [Difficulty.REACHABLE_FOR_SMALL, Difficulty.SOLVED_BY_LARGE]
    assert said() == said(("unknown", 0.0, 500)) == []
