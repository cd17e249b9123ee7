"""Cases whose label is certain by construction: a sum, and a response that gives its value, or does not."""

import random

from suites_short_number.forms import RIGHT, WORKED, WRONG
from suites_short_number.sums import make_sum

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong answers take turns; every form comes as often as any other."""
    rng = random.Random(f"short-number/{split}/{seed}/{index}")
    label, forms = ("correct", RIGHT) if index % 2 == 0 else ("incorrect", WRONG)
    name = sorted(forms)[index // 2 % len(forms)]
    problem = make_sum(rng, with_cents=name.startswith("cents"))
    ending = forms[name].format(**problem.words(rng))
    worked = rng.choice(WORKED).format(**problem.words(rng))
    response = ending if name.startswith(("bare", "no-")) or rng.random() < 0.25 else f"{worked}\n{ending}"
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {"id": f"sum-{split}-{index:04d}", "prompt": problem.question, "answer": problem.answer},
        "response": response,
        "label": label,
        "tags": [name],
        "cluster": f"form {name}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
