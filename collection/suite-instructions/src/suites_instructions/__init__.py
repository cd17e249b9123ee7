"""Cases whose label is certain by construction: an instruction about form, and a text that keeps it, or breaks it."""

import random

from suites_instructions.rules import RULES
from suites_instructions.texts import TOPICS

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong answers take turns; every rule comes as often as any other."""
    rng = random.Random(f"instructions/{split}/{seed}/{index}")
    name = sorted(RULES)[index // 2 % len(RULES)]
    made = RULES[name](rng)
    is_right = index % 2 == 0
    form, response = rng.choice(made.kept if is_right else made.broken)
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {
            "id": f"instruction-{split}-{index:04d}",
            "prompt": f"Write a few words about {rng.choice(TOPICS)}. {made.words}",
            "answer": [{"rule": name, "args": made.args}],
        },
        "response": response,
        "label": "correct" if is_right else "incorrect",
        "tags": [name],
        "cluster": f"{name}: {form}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
