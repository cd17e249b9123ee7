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


def said(*reports: tuple[str, str, float, float]) -> list[Difficulty]:
    return difficulty_of(
        (voice, model, observed_interval(Observed(rate, tries))) for voice, model, rate, tries in reports
    )


def both(model: str, rate: float, tries: float) -> list[Difficulty]:
    return said(("ann", model, rate, tries), ("ben", model, rate, tries))


def test_few_tries_say_nothing() -> None:
    """None of 8 solved may still be a third of all."""
    assert both("a-135M", 0.0, 8) == []
    assert both("a-135M", 0.0, 24) == [Difficulty.HARD_FOR_SMALL]
    assert both("a-135M", 1.0, 8) == [Difficulty.REACHABLE_FOR_SMALL]
    assert both("a-135M", 1.0, 24) == [Difficulty.SOLVED_BY_SMALL]
    assert both("a-135M", 0.12, 1000) == [Difficulty.HARD_FOR_SMALL]


def test_the_best_model_of_each_size_speaks_for_a_voice() -> None:
    runs = [("a-135M", 0.0, 50), ("b-1B", 0.4, 50), ("c-8B", 0.95, 200), ("d-70B", 0.1, 50), ("unknown", 1.0, 500)]
    reports = [(voice, *run) for voice in ("ann", "ben") for run in runs]
    assert said(*reports) == [Difficulty.REACHABLE_FOR_SMALL, Difficulty.SOLVED_BY_LARGE]
    assert said() == both("unknown", 0.0, 500) == []


HONEST = {Difficulty.HARD_FOR_SMALL: 0.0, Difficulty.REACHABLE_FOR_SMALL: 0.4, Difficulty.SOLVED_BY_SMALL: 1.0}


@pytest.mark.parametrize("truth", HONEST)
@pytest.mark.parametrize("lie", [0.0, 0.1, 0.5, 1.0])
def test_one_liar_changes_nothing_that_two_agree_on(truth: Difficulty, lie: float) -> None:
    """Whatever it claims of however many models and tries."""
    lies = [("liar", f"m{n}-1B", lie, 1e6) for n in range(10)]
    assert said(*lies) == []
    honest = [(voice, "a-135M", HONEST[truth], 50.0) for voice in ("ann", "ben")]
    assert said(*lies, *honest) == said(*honest, *lies) == [truth]


def test_one_that_says_solved_and_one_that_says_reachable_say_reachable() -> None:
    assert said(("ann", "a-1B", 1.0, 50), ("ben", "b-1B", 0.4, 50)) == [Difficulty.REACHABLE_FOR_SMALL]
    assert said(("ann", "a-1B", 0.0, 50), ("ben", "b-1B", 0.4, 50)) == []
