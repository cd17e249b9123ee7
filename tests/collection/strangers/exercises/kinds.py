"""The list of kinds, and what stands around an answer."""

from collections.abc import Iterator
from random import Random

from tests.collection.strangers.textbook.kinds import Case, Kind, at, same, sgn

KINDS: dict[str, Kind] = {}
SEED, ROWS = 20261128, 2
WORK = (
    "We apply the definition, and the rest is arithmetic.",
    "By the product rule and a short computation the claim follows; I checked it with a second method.",
    "Let us denote the unknown by t. After clearing denominators only one case is left.",
)
FRAMES = (
    "{w}\n\nHence the answer is $\\boxed{{{m}}}$.",
    "{d}",
    "{w}\n\n**Final answer:** {d}",
    "**Solution.** {w}\n\n$$\\boxed{{{m}}}$$",
    "The answer is {d}.",
    "<think>\nIs it 7 or 12? Let me see.\n</think>\n\n{w}\n\n\\[\n\\boxed{{{m}}}\n\\]",
    "{w}\n\nAnswer: {d}",
)

__all__ = ["KINDS", "ROWS", "SEED", "at", "cases", "kind", "sgn"]


def kind(made: Kind) -> Kind:
    KINDS[made.__name__] = made
    return made


def framed(random: Random, text: str) -> str:
    r"""The text in a frame. Text that begins with ``~`` is prose: no dollar signs, and ``\text`` in a box."""
    is_prose, text = text.startswith("~"), text.removeprefix("~")
    boxed, inline = (f"\\text{{{text}}}", text) if is_prose else (text, f"${text}$")
    return random.choice(FRAMES).format(w=random.choice(WORK), m=boxed, d=inline)


def cases(seed: int = SEED, rows: int = ROWS) -> Iterator[Case]:
    """``kind``, ``row``, ``answer``, ``text``, ``response`` and ``is_right`` of each; ``rows`` gold answers a kind."""
    for name, made in KINDS.items():
        random = Random(f"{seed}/{name}")
        for row in range(rows):
            (gold, value), answers = made(random)
            for text, meant in answers:
                yield {
                    "kind": name, "row": row, "answer": gold, "text": text,
                    "response": framed(random, text), "is_right": same(value, meant),
                }  # fmt: skip
