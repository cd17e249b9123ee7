"""Writes audit.jsonl: worked answers to word problems, right to the end or with one slip, labels by arithmetic.

Run by hand: ``python make_cases.py``.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

COUNT = 60
THINGS = ("pencils", "apples", "stamps", "bricks", "tickets", "marbles")
NAMES = ("Ada", "Ben", "Chen", "Dana", "Eli", "Fatima")


def cases() -> Iterator[dict]:
    """Of each problem a right answer and a wrong one, with its slip in the product, the sum or the last line alone."""
    draw = random.Random(20_261_125)
    for number in range(COUNT):
        boxes, each, more = draw.randint(3, 12), draw.randint(6, 30), draw.randint(2, 60)
        name, thing = draw.choice(NAMES), draw.choice(THINGS)
        prompt = f"{name} has {boxes} boxes of {each} {thing} and finds {more} more. How many {thing} are that?"
        task = {"id": f"boxes-{number}", "prompt": prompt, "answer": str(boxes * each + more)}
        slip = draw.choice((-10, -2, -1, 1, 2, 10))
        kind = ("product", "sum", "last")[number % 3]
        product = boxes * each + (slip if kind == "product" else 0)
        total = product + more + (slip if kind == "sum" else 0)
        last = total + (slip if kind == "last" else 0)
        yield _case(f"right-{number}", task, _worked(boxes, each, more), "correct", "right")
        yield _case(
            f"{kind}-{number}", task, _text(boxes, each, more, product, total, last), "incorrect", f"slip-{kind}"
        )


def _worked(boxes: int, each: int, more: int) -> str:
    product = boxes * each
    return _text(boxes, each, more, product, product + more, product + more)


def _text(boxes: int, each: int, more: int, product: int, total: int, last: int) -> str:
    steps = f"{boxes} boxes of {each} are {boxes} * {each} = {product}. With {more} more: {product} + {more} = {total}."
    return f"{steps}\nAnswer: {last}"


def _case(name: str, task: dict, response: str, label: str, tag: str) -> dict:
    return {"id": name, "task": task, "task_id": task["id"], "response": response, "label": label, "tags": [tag]}


if __name__ == "__main__":
    here = Path(__file__).parent / "src" / "lecture_generative_verifier" / "audit.jsonl"
    here.write_text("".join(json.dumps(case) + "\n" for case in cases()), encoding="utf-8")
