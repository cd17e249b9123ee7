"""Cases whose label is certain by construction: an answer, and the same value, or surely another, in another form."""

import random

from suites_mathematics.families import FAMILIES
from suites_mathematics.wrappers import WRAPPERS

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong answers take turns; every family comes as often as any other."""
    rng = random.Random(f"mathematics/{split}/{seed}/{index}")
    name = sorted(FAMILIES)[index // 2 % len(FAMILIES)]
    made = FAMILIES[name](rng)
    is_right = index % 2 == 0
    form, value = rng.choice(made.right if is_right else made.wrong)
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {"id": f"task-{split}-{index:04d}", "prompt": made.question, "answer": made.answer},
        "response": rng.choice(WRAPPERS).replace("@", value),
        "label": "correct" if is_right else "incorrect",
        "tags": [name, f"{name}: {form}"],
        "cluster": f"{name}: {form}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
