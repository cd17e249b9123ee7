"""Cases whose label follows from rows: a query, and databases on which it gives what was asked, or does not."""

import random

from suites_sql.databases import DOMAINS, SCHEMA, fill
from suites_sql.queries import KINDS
from suites_sql.running import is_right

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "the rows that it gives, run"
_ASK = (
    "The database (SQLite) has these tables:\n\n{schema}\n\n{question}\n\n"
    "Answer with one SELECT statement that is right for any rows."
)
_DATABASES, _TRIES = 3, 400


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong queries take turns; every kind and way comes as often as others."""
    rng = random.Random(f"sql/{split}/{seed}/{index}")
    label = "correct" if index % 2 == 0 else "incorrect"
    kinds = sorted(KINDS)
    kind, turn = kinds[index // 2 % len(kinds)], index // 2 // len(kinds)
    for _ in range(_TRIES):
        domain = rng.choice(DOMAINS)
        schema, question = SCHEMA.format(**domain), KINDS[kind](domain, rng)
        databases = [fill(domain, rng) for _ in range(_DATABASES)]
        ways = question.right if label == "correct" else question.wrong
        way = sorted(ways)[turn % len(ways)]
        query = ways[way]
        if is_right(schema, databases, query, question.gold, is_ordered=question.is_ordered) is (label == "correct"):
            break
    else:
        raise ValueError(f"no databases tell that {way} of {kind} is {label}")
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {
            "id": f"{kind}-{split}-{index:04d}",
            "prompt": _ASK.format(schema=schema, question=question.words),
            "answer": question.gold,
            "info": {"schema": schema, "databases": databases, "ordered": question.is_ordered},
        },
        "state": {"answer": query, "queries": 0},
        "label": label,
        "tags": [way, kind],
        "cluster": f"{way} of {kind}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
