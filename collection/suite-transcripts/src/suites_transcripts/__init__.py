"""Cases whose label is certain by construction: a conversation with tools that ends in a number, or should have."""

import random

from suites_transcripts.endings import RIGHT, WRONG
from suites_transcripts.questions import KINDS

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong answers take turns; every ending comes as often as any other."""
    rng = random.Random(f"transcripts/{split}/{seed}/{index}")
    label, forms = ("correct", RIGHT) if index % 2 == 0 else ("incorrect", WRONG)
    name = sorted(forms)[index // 2 % len(forms)]
    kind = sorted(KINDS)[index // 2 // len(forms) % len(KINDS)]
    question = KINDS[kind](rng)
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {"id": f"{kind}-{split}-{index:04d}", "prompt": question.prompt, "answer": question.answer},
        "messages": forms[name](question),
        "label": label,
        "tags": [name, kind],
        "cluster": f"ending {name} of {kind}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
