"""verifiers, ragas, AReaL, openevals, pydantic-evals: one or two functions each."""

import asyncio
import json


def verify_boxed_math_answer(task, response):
    """``verify_boxed_math_answer`` of verifiers."""
    from adapters.extract import without_dollars
    from verifiers.v1.utils.score import verify_boxed_math_answer as verify

    return verify(response, without_dollars(str(task["answer"])))


def ragas(task, response, metric="ExactMatch"):
    """A metric of ragas that asks no model."""
    import ragas.metrics
    from ragas.dataset_schema import SingleTurnSample

    sample = SingleTurnSample(response=response, reference=task["answer"])
    return asyncio.run(getattr(ragas.metrics, metric)().single_turn_ascore(sample))


def areal(task, response, reward="gsm8k"):
    """``gsm8k_reward_fn`` or ``geometry3k_reward_fn`` of AReaL."""
    from adapters.framework_files import part

    module = part(f"areal.reward.{reward}", "areal", "areal.utils")
    return getattr(module, f"{reward}_reward_fn")("", response, [], [], str(task["answer"]))


def openevals_exact(task, response):
    """``exact_match`` of openevals on the parsed record; what is no JSON is compared as text."""
    from openevals.exact import exact_match

    try:
        given = json.loads(response)
    except ValueError:
        given = response
    return exact_match(outputs=given, reference_outputs=task["info"]["record"])["score"]


def openevals_levenshtein(task, response):
    """``levenshtein_distance`` of openevals: 1 minus the share of edits."""
    from openevals.string.levenshtein import levenshtein_distance

    return levenshtein_distance(outputs=response, reference_outputs=task["answer"])["score"]


def pydantic_evals_contains(task, response):
    """``Contains`` of pydantic-evals, as its documents use it: without regard to case."""
    from types import SimpleNamespace

    from pydantic_evals.evaluators import Contains

    return Contains(task["answer"], case_sensitive=False).evaluate(SimpleNamespace(output=response)).value


def pydantic_evals_equals(task, response):
    """``EqualsExpected`` of pydantic-evals on the parsed record."""
    from types import SimpleNamespace

    from pydantic_evals.evaluators import EqualsExpected

    try:
        given = json.loads(response)
    except ValueError:
        given = response
    return EqualsExpected().evaluate(SimpleNamespace(output=given, expected_output=task["info"]["record"]))
