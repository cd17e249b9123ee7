"""Questions that take tools: what is asked, which calls answer it, and what the tools say. Whole numbers only."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass

GOODS = ("nails", "screws", "boards", "hinges", "tiles", "bricks", "pipes")
SHOPS = ("Leeds", "Turin", "Porto", "Graz", "Bergen")
PEOPLE = ("Mira", "Jonas", "Petra", "Emil", "Nadia", "Oskar")


@dataclass(frozen=True)
class Step:
    """A tool call and its result."""

    tool: str
    arguments: dict
    result: object


@dataclass(frozen=True)
class Question:
    """``other`` is a wrong number that the tools showed on the way; ``wrong`` is near the answer."""

    prompt: str
    answer: int
    steps: tuple[Step, ...]
    other: int
    wrong: int
    thing: str

    def opening(self, steps: int | None = None) -> list[dict]:
        """The user's question and the first ``steps`` calls with their results (None: all)."""
        said: list[dict] = [{"role": "user", "content": self.prompt}]
        for number, step in enumerate(self.steps[:steps], 1):
            call = {"name": step.tool, "arguments": json.dumps(step.arguments)}
            said.append(
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": f"c{number}", "type": "function", "function": call}],
                }
            )
            said.append(
                {"role": "tool", "tool_call_id": f"c{number}", "name": step.tool, "content": json.dumps(step.result)}
            )
        return said


def stock(rng: random.Random) -> Question:
    """The sum of two shops."""
    thing, (one, two) = rng.choice(GOODS), rng.sample(SHOPS, 2)
    left, right = rng.sample(range(120, 900), 2)
    steps = tuple(
        Step("stock", {"shop": shop, "article": thing}, {"shop": shop, "pieces": count})
        for shop, count in ((one, left), (two, right))
    )
    prompt = f"How many {thing} do the shops in {one} and {two} have together?"
    return Question(prompt, left + right, steps, right, left + right + 1, thing)


def price(rng: random.Random) -> Question:
    """Pieces times the price of one."""
    thing, pieces, each = rng.choice(GOODS), rng.randrange(12, 80), rng.randrange(12, 90)
    steps = (
        Step("price", {"article": thing}, {"article": thing, "euros": each}),
        Step("multiply", {"a": pieces, "b": each}, pieces * each),
    )
    prompt = f"What do {pieces} boxes of {thing} cost in euros?"
    return Question(prompt, pieces * each, steps, each, pieces * each + 10, "euros")


def account(rng: random.Random) -> Question:
    """What is left after a payment."""
    who, held, paid = rng.choice(PEOPLE), rng.randrange(500, 990), rng.randrange(101, 399)
    steps = (
        Step("balance", {"owner": who}, {"owner": who, "euros": held}),
        Step("bill", {"owner": who}, {"owner": who, "due": paid}),
    )
    prompt = f"How many euros does {who} have left after paying the open bill?"
    return Question(prompt, held - paid, steps, held, held - paid - 1, "euros")


def longest(rng: random.Random) -> Question:
    """The largest of several."""
    values = rng.sample(range(110, 990), 4)
    rows = [{"route": name, "km": value} for name, value in zip("ABCD", values, strict=True)]
    steps = (Step("routes", {}, rows),)
    prompt = "How many kilometres long is the longest of the routes?"
    return Question(prompt, max(values), steps, min(values), max(values) + 2, "km")


KINDS: dict[str, Callable[[random.Random], Question]] = {
    "stock": stock, "price": price, "account": account, "longest": longest,
}  # fmt: skip
