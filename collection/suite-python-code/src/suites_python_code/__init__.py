"""Cases whose label is certain by construction: a function of a list, and code that computes it, or does not."""

import random

from suites_python_code.pipelines import Pipeline, make_pipeline
from suites_python_code.programs import NO_WORK, STYLES, TALK

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule, run on its tests"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong code take turns.

    Wrong code gives another value for at least one of the task's tests, or does no work at all.
    """
    rng = random.Random(f"python-code/{split}/{seed}/{index}")
    pipeline = make_pipeline(rng)
    tests = [{"args": [numbers], "value": pipeline.value_of(numbers)} for numbers in pipeline.inputs(rng)]
    if index % 2 == 0:
        style, label = sorted(STYLES)[index // 2 % len(STYLES)], "correct"
        tag, code = style, STYLES[style](pipeline)
    else:
        tag, code, label = *_wrong(rng, index // 2, pipeline, tests), "incorrect"
    talk = rng.choice(sorted(TALK))
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {
            "id": f"function-{split}-{index:04d}",
            "prompt": f"Complete this Python function.\n\n```python\n{pipeline.prompt}```",
            "answer": tests,
            "info": {"function": {"prompt": pipeline.prompt, "entry": pipeline.entry}},
        },
        "response": TALK[talk].replace("@", code),
        "label": label,
        "tags": [tag, talk],
        "cluster": f"{tag}, {talk}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }


def _wrong(rng: random.Random, number: int, pipeline: Pipeline, tests: list[dict]) -> tuple[str, str]:
    """Two of three are nearly right; the third does no work, and only one of its tests can come out right by chance."""
    if number % 3 == 2:
        name = sorted(NO_WORK)[number // 3 % len(NO_WORK)]
        return name, NO_WORK[name](pipeline, tests)
    name, changed = pipeline.changed(rng, [test["args"][0] for test in tests])
    return f"nearly: {name}", STYLES[rng.choice(sorted(STYLES))](changed)
