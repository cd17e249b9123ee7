"""Cases whose label is certain by construction: a question with lettered options, and a response that picks one."""

import random

from suites_choice.forms import RIGHT, WORKED, WRONG
from suites_choice.questions import make_question

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule"


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong answers take turns; every form comes as often as any other."""
    rng = random.Random(f"choice/{split}/{seed}/{index}")
    label, forms = ("correct", RIGHT) if index % 2 == 0 else ("incorrect", WRONG)
    name = sorted(forms)[index // 2 % len(forms)]
    question = make_question(rng)
    words = question.words(rng)
    ending = forms[name].format(**words)
    is_alone = name.startswith(("bare", "no-")) or rng.random() < 0.4
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {
            "id": f"question-{split}-{index:04d}",
            "prompt": question.prompt,
            "answer": question.letter,
            "info": {"choices": question.options},
        },
        "response": ending if is_alone else f"{rng.choice(WORKED).format(**words)}\n{ending}",
        "label": label,
        "tags": [name],
        "cluster": f"form {name}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }
