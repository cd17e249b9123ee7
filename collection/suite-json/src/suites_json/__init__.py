"""Cases whose label is certain by construction: a record of a schema, written again, or changed in one place."""

import json
import random

from suites_json.forms import RIGHT, WRONG
from suites_json.records import KINDS

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"
_ASK = (
    "{text}\n\nWrite this as one JSON object that fits the schema. Answer with the JSON alone, or in one code block."
    "\n\n{schema}"
)


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong answers take turns; every form comes as often as any other."""
    rng = random.Random(f"json/{split}/{seed}/{index}")
    label, forms = ("correct", RIGHT) if index % 2 == 0 else ("incorrect", WRONG)
    name = sorted(forms)[index // 2 % len(forms)]
    kind = sorted(KINDS)[index // 2 // len(forms) % len(KINDS)]
    record, text, schema = KINDS[kind](rng)
    place = f"{kind}-{split}-{index:04d}"
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {
            "id": place,
            "prompt": _ASK.format(text=text, schema=json.dumps(schema)),
            "answer": record,
            "info": {"schema": schema},
        },
        "response": forms[name](record),
        "label": label,
        "tags": [name, kind],
        "cluster": f"form {name} of {kind}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
