"""Cases of short answers in words. A rule over made-up people and plain words decides, so every label is certain."""

import random
from collections.abc import Iterator
from typing import Any

FIRST = ("Mira", "Jonas", "Petra", "Emil", "Nadia", "Oskar", "Lena", "Ruben", "Vera", "Tomas")
LAST = ("Holt", "Brandt", "Keller", "Lind", "Moreno", "Novak", "Sato", "Weber", "Okoye", "Dahl")
WORDS = (
    "amber",
    "violin",
    "harbour",
    "quarry",
    "basket",
    "needle",
    "feather",
    "valley",
    "desert",
    "ladder",
    "market",
    "pepper",
)

RIGHT = {
    "bare": "{a}",
    "full-stop": "{a}.",
    "bold": "**{a}**",
    "quoted": '"{a}"',
    "capitals": "{upper}",
    "sentence": "The answer is {a}.",
    "label": "Answer: {a}",
    "label-final": "I compare them one by one.\nFinal answer: {a}",
    "tag": "<answer>{a}</answer>",
    "boxed": "The answer is \\boxed{{\\text{{{a}}}}}.",
    "others-named": "It is not {w}, and {v} does not fit either. The answer is {a}.",
    "corrected": "At first I thought of {w}, but that is wrong. The answer is {a}.",
}
WRONG = {
    "other": "{w}",
    "other-sentence": "The answer is {w}.",
    "other-label": "Final answer: {v}",
    "other-tag": "<answer>{w}</answer>",
    "two": "{a} or {w}",
    "all": "{everything}",
    "denied": "The answer is not {a}.",
    "taken-back": "The answer is {a}. No, that is wrong: the answer is {w}.",
    "not-this-one": "Some would say {a}, but the answer is {w}.",
    "near-spelling": "{near}",
    "longer": "{longer}",
    "part": "{part}",
    "no-answer": "I do not know.",
    "no-text": "",
}


def cases(each: int = 10, seed: int = 11) -> Iterator[dict[str, Any]]:
    """``each`` cases of every form, people and words in turn."""
    for label, forms in (("correct", RIGHT), ("incorrect", WRONG)):
        for form, text in forms.items():
            for number in range(each):
                rng = random.Random(f"text/{seed}/{form}/{number}")  # noqa: S311 -- reproducible cases
                task, words = (_people if number % 2 or form in ("part", "near-spelling") else _words)(rng)
                yield {
                    "id": f"text-{form}-{number}",
                    "task": {"id": f"text-{form}-{number}", **task},
                    "response": text.format(**words),
                    "label": label,
                    "tags": [form],
                    "cluster": f"form {form}",
                    "source": "made by rule",
                    "licence": "Apache-2.0",
                }


def _people(rng: random.Random) -> tuple[dict[str, Any], dict[str, str]]:
    """Asks who is the oldest. Among them is one of the same first name, and one whose last name differs in a letter."""
    first, last, third = rng.sample(FIRST, 3), rng.sample(LAST, 3), rng.choice("aeiou")
    right = f"{first[0]} {last[0]}"
    near = f"{first[0]} {last[0]}{third}"
    others = [f"{first[1]} {last[1]}", f"{first[2]} {last[2]}", near, f"{first[0]} {last[1]}"]
    ages = sorted(rng.sample(range(21, 80), 5), reverse=True)
    listed = list(zip([right, *others], ages, strict=True))
    rng.shuffle(listed)
    asked = ", ".join(f"{name} is {age}" for name, age in listed)
    task = {"prompt": f"{asked}. Who is the oldest? Give the full name.", "answer": right}
    longer = f"{first[0]} {last[0]}-{last[2]}"
    return task, _texts(right, others, [name for name, _ in listed], near=near, longer=longer, part=first[0])


def _words(rng: random.Random) -> tuple[dict[str, Any], dict[str, str]]:
    """Asks which word comes first in the dictionary."""
    listed = rng.sample(WORDS, 4)
    right, *others = sorted(listed)
    task = {"prompt": f"Which of these words comes first in the dictionary: {', '.join(listed)}?", "answer": right}
    return task, _texts(right, others, listed, near=others[0], longer=f"{right}like", part=right[:2])


def _texts(right: str, others: list[str], listed: list[str], **special: str) -> dict[str, str]:
    return {
        "a": right,
        "upper": right.upper(),
        "w": others[0],
        "v": others[1],
        "everything": ", ".join(listed),
        **special,
    }
