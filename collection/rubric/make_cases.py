"""Writes audit.jsonl: facts with a right, a wrong, a rude and an off-topic answer, and what each reward must be.

Run by hand: ``python make_cases.py``.
"""

import json
from pathlib import Path

FACTS = (
    ("What is the capital of France?", "Paris", "Lyon"),
    ("How many legs does a spider have?", "eight", "six"),
    ("Which planet is closest to the sun?", "Mercury", "Mars"),
    ("What do bees make?", "honey", "silk"),
    ("What is the chemical symbol of gold?", "Au", "Ag"),
    ("How many days does a leap year have?", "366", "364"),
    ("Who wrote Hamlet?", "William Shakespeare", "Charles Dickens"),
    ("What is frozen water called?", "ice", "steam"),
    ("Which ocean lies between Europe and America?", "the Atlantic", "the Pacific"),
    ("How many sides does a hexagon have?", "six", "five"),
    ("What is the opposite of north?", "south", "east"),
    ("Which gas do plants take from the air?", "carbon dioxide", "helium"),
    ("What is the largest animal?", "the blue whale", "the elephant"),
    ("In which country is Tokyo?", "Japan", "China"),
    ("What is 7 times 8?", "56", "54"),
    ("How many minutes does an hour have?", "60", "100"),
)
OFF_TOPIC = "My bicycle has a flat tyre, so I took the bus this morning."
RUDE = "Only an idiot like you would ask that. It is {}."
CALM = "It is {}."


def cases() -> list[dict]:
    """Five answers to each of sixteen questions."""
    found = []
    for number, (question, right, wrong) in enumerate(FACTS):
        task = {"id": f"fact-{number}", "prompt": question, "answer": right}
        long = f"Thank you for asking. I looked it up to be sure, and the answer to your question is this: {right}."
        for kind, text, expected in (
            ("right", CALM.format(right), (1.0, 1.0, 1.0)),
            ("long", long, (1.0, 1.0, 1.0)),
            ("wrong", CALM.format(wrong), (1.0, 0.0, 1.0)),
            ("rude", RUDE.format(right), (1.0, 1.0, 0.0)),
            ("off-topic", OFF_TOPIC, (0.0, 0.0, 1.0)),
        ):
            label = "correct" if min(expected) == 1.0 else "incorrect"
            expect = dict(zip(("on_topic", "agrees", "polite"), expected, strict=True))
            case = {"id": f"{kind}-{number}", "task": task, "task_id": task["id"], "response": text, "label": label}
            found.append(case | {"expect": expect, "tags": [kind]})
    return found


if __name__ == "__main__":
    here = Path(__file__).parent / "src" / "lecture_rubric" / "audit.jsonl"
    here.write_text("".join(json.dumps(case) + "\n" for case in cases()), encoding="utf-8")
