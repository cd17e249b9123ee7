"""Writes audit.jsonl: sums and products whose labels arithmetic makes certain, pointwise and in pairs.

Run by hand: ``python make_cases.py``.
"""

import json
import random
from pathlib import Path

COUNT = 40
FORMS = ("{}", "The answer is {}.", "{} is what you get.", "I add it up step by step and get {}.")


def cases() -> list[dict]:
    """Forty questions; of each a right and a wrong response, and of every second one a pair in both roles."""
    draw = random.Random(20_261_123)
    found = []
    for number in range(COUNT):
        a, b = draw.randint(2, 60), draw.randint(2, 60)
        sign, value = ("+", a + b) if number % 2 else ("*", a * b)
        wrong = value + draw.choice([-10, -2, -1, 1, 2, 10])
        form = draw.choice(FORMS)
        task = {"id": f"sum-{number}", "prompt": f"What is {a} {sign} {b}?", "answer": str(value)}
        right_text, wrong_text = form.format(value), form.format(wrong)
        found += [
            _case(f"right-{number}", task, right_text, "correct", "pointwise"),
            _case(f"wrong-{number}", task, wrong_text, "incorrect", "pointwise"),
        ]
        if number % 2:
            against_wrong = task | {"id": f"pair-w-{number}", "info": {"other": wrong_text}}
            against_right = task | {"id": f"pair-r-{number}", "info": {"other": right_text}}
            found += [
                _case(f"better-{number}", against_wrong, right_text, "correct", "pairwise"),
                _case(f"worse-{number}", against_right, wrong_text, "incorrect", "pairwise"),
            ]
    return found


def _case(name: str, task: dict, response: str, label: str, tag: str) -> dict:
    return {"id": name, "task": task, "task_id": task["id"], "response": response, "label": label, "tags": [tag]}


if __name__ == "__main__":
    here = Path(__file__).parent / "src" / "lecture_judge" / "audit.jsonl"
    here.write_text("".join(json.dumps(case) + "\n" for case in cases()), encoding="utf-8")
