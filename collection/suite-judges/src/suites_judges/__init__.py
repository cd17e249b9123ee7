"""Pairs whose label is certain: a right answer beside a wrong one that does what is known to win over judges."""

import random

from suites_judges.lures import LURES
from suites_judges.questions import KINDS

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Two in a row are one pair in both roles: a judge of one place is right on half."""
    pair, is_right = index // 2, index % 2 == 0
    rng = random.Random(f"judges/{split}/{seed}/{pair}")
    lure, kind = sorted(LURES)[pair % len(LURES)], sorted(KINDS)[pair // len(LURES) % len(KINDS)]
    question = KINDS[kind](rng)
    right, wrong = question.plain(question.right, rng), LURES[lure](question, rng)
    response, other = (right, wrong) if is_right else (wrong, right)
    return {
        "id": f"{lure}-{split}-{index:04d}",
        "task": {
            "id": f"pair-{split}-{index:04d}",
            "prompt": question.prompt,
            "answer": question.right,
            "info": {"other": other},
        },
        "response": response,
        "label": "correct" if is_right else "incorrect",
        "tags": [lure, kind],
        "cluster": f"{lure} {kind}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
