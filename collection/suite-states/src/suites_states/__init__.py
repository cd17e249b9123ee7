"""Cases whose label is certain by construction: a request to change a small database, and how it was left."""

import copy
import random

from suites_states.endings import RIGHT, WRONG
from suites_states.requests import KINDS

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong states take turns; every ending comes as often as any other."""
    rng = random.Random(f"states/{split}/{seed}/{index}")
    label, forms = ("correct", RIGHT) if index % 2 == 0 else ("incorrect", WRONG)
    name = sorted(forms)[index // 2 % len(forms)]
    kind = sorted(KINDS)[index // 2 // len(forms) % len(KINDS)]
    request = KINDS[kind](rng)
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {
            "id": f"{kind}-{split}-{index:04d}",
            "prompt": request.words,
            "answer": request.wanted,
            "info": {"start": request.start},
        },
        "state": forms[name](copy.deepcopy(request)),
        "label": label,
        "tags": [name, kind],
        "cluster": f"ending {name} of {kind}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
