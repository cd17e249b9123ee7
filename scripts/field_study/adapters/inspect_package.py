"""inspect-ai: its scorers, called with a state that holds the task and the response."""

import asyncio

_LOOP = None


def _score(scorer, task, response, choices=None):
    global _LOOP  # noqa: PLW0603 -- one loop a process: the mathematics scorer keeps a worker for its loop
    from inspect_ai.model import ChatMessageUser, ModelOutput
    from inspect_ai.scorer import CORRECT, NOANSWER, Target
    from inspect_ai.solver import TaskState

    _LOOP = _LOOP or asyncio.new_event_loop()
    prompt = str(task.get("prompt", ""))
    state = TaskState(
        model="none/none", sample_id=1, epoch=1, input=prompt, messages=[ChatMessageUser(content=prompt)],
        output=ModelOutput.from_content("none/none", response), choices=choices,
    )  # fmt: skip
    found = _LOOP.run_until_complete(scorer(state, Target(str(task["answer"]))))
    if found is None:
        return None
    return {CORRECT: 1.0, "I": 0.0, NOANSWER: 0.0}.get(found.value, found.value)


def match(task, response, **options):
    """``match``: the answer at the end, at the start, anywhere, or the whole; as text or as a number."""
    from inspect_ai import scorer

    numeric = options.pop("numeric", "no") == "yes"
    return _score(scorer.match(numeric=numeric, **options), task, response)


def includes(task, response):
    """``includes``: the answer stands somewhere."""
    from inspect_ai import scorer

    return _score(scorer.includes(), task, response)


def exact(task, response):
    """``exact``: equal after normalization."""
    from inspect_ai import scorer

    return _score(scorer.exact(), task, response)


def f1(task, response):
    """``f1``: overlap of words."""
    from inspect_ai import scorer

    return _score(scorer.f1(), task, response)


def answer(task, response, pattern="line"):
    """``answer``: what follows ``ANSWER:``."""
    from inspect_ai import scorer

    return _score(scorer.answer(pattern), task, response)


def choice(task, response):
    """``multiple_choice`` reads the letter, ``choice`` compares: the solver's own reading is called first."""
    from inspect_ai import scorer
    from inspect_ai.solver._multiple_choice import parse_answers, set_choices_based_on_generated_response
    from inspect_ai.solver._task_state import Choices

    class State:
        """What the solver's parser reads."""

    state = State()
    state.choices = Choices(list(task["info"]["choices"]))
    from inspect_ai.model import ModelOutput

    state.output = ModelOutput.from_content("none/none", response)
    set_choices_based_on_generated_response(state, parse_answers(state, multiple_correct=False))
    return _score(scorer.choice(), task, response, choices=state.choices)


def math(task, response):
    """``math``: the answer as an expression."""
    from inspect_ai import scorer

    return _score(scorer.math(), task, response)
