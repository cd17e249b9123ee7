"""Cases of a form alone: one block of thinking between tags at the start, then the answer."""

import random
from collections.abc import Iterator
from typing import Any

THOUGHTS = (
    "First I add the numbers.",
    "The train leaves at noon.\nSo it takes two hours.",
    "Let me see.",
    "1 < 2, so a > b.",
)
ANSWERS = ("The answer is 4.", "It takes two hours.\n\nThat is all.", "\\boxed{7}", "Yes.")
RIGHT = {
    "as-asked": "<think>{t}</think>{a}",
    "new-line": "<think>\n{t}\n</think>\n{a}",
    "two-lines": "<think>{t}</think>\n\n{a}",
}
WRONG = {
    "no-tags": "{t} {a}",
    "not-closed": "<think>{t} {a}",
    "not-opened": "{t}</think>{a}",
    "text-before": "Sure. <think>{t}</think>{a}",
    "opened-twice": "<think>{t}<think>{t}</think>{a}",
    "turned": "</think>{t}<think>{a}",
    "other-tags": "<thinking>{t}</thinking>{a}",
    "no-text": "",
}


def cases(each: int = 8, seed: int = 11) -> Iterator[dict[str, Any]]:
    """``each`` cases of every form."""
    for label, forms in (("correct", RIGHT), ("incorrect", WRONG)):
        for form, text in forms.items():
            for number in range(each):
                rng = random.Random(f"format/{seed}/{form}/{number}")  # noqa: S311 -- reproducible cases
                yield {
                    "id": f"format-{form}-{number}",
                    "task": {
                        "id": f"format-{form}-{number}",
                        "prompt": f"Think between <think> and </think> first, then answer question {form} {number}.",
                        "answer": "",
                    },
                    "response": text.format(t=rng.choice(THOUGHTS), a=rng.choice(ANSWERS)),
                    "label": label,
                    "tags": [form],
                    "cluster": f"form {form}",
                    "source": "made by rule",
                    "licence": "Apache-2.0",
                }
