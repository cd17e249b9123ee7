"""Tasks with references of other kinds: negative, with a point, large, small, a fraction, a share, no number at all.

A suite's answers are of one kind, say whole numbers between 40 and 2000. A verifier could be careful with those, and
take anything where the reference is of another kind. So this family brings both the reference and a wrong response. The
question stays: whoever judges by it rejects the response as well.
"""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material, has_tolerance, lacks_answer

_KINDS = 14


def _pairs(random: Random) -> dict[str, tuple[object, str]]:
    """Kind -> a reference, and another value. No part of the one could be read as the other, and they are far apart."""
    small, large = random.randint(3, 9), random.randint(120, 480)
    return {
        "negative": (-large, str(large)),
        "negative and far": (-large, str(-3 * large - 7)),
        "a digit": (small, str(small + 55)),
        "nought": (0, str(large + 1)),
        "one": (1, str(large + 2)),
        "with a point": (large + 0.5, f"{3 * large}.25"),
        "below one": (0.25, f"{small}.75"),
        "large": (large * 10_000_019, str(large * 30_000_041)),
        "as text": (str(large * 3), str(large * 7 + 1)),
        "grouped": (f"{large},719", f"{2 * large},354"),
        "a fraction": ("7/8", "3/5"),
        "a fraction in LaTeX": ("\\frac{7}{8}", "\\frac{3}{5}"),
        "a share": (f"{small}5%", f"{large}%"),
        "a name": ("Lisbon", str(large + 3)),
    }


def make(material: Material, random: Random) -> Iterator[Draft]:
    """In the place of the answer of an accepted response, where one reward about a number decides alone."""
    if not material.judges_only_the_answer:
        return
    for item in material.stated_and_accepted:
        if item.place is None or item.answer is None or item.answer.value is None:
            continue
        if item.task.get("info") or has_tolerance(item.task):  # it might hold the answer once more
            continue
        for way, (reference, wrong) in _pairs(random).items():
            text = item.place.with_answer(wrong)
            task = item.task | {"answer": reference}
            if lacks_answer(item.task, text) and lacks_answer(task, text):
                draft = item.saying(text, note=f"{reference} and {wrong}", way=way)
                yield Draft(task, draft.response, draft.files, draft.messages, draft.note, draft.state, way)


FAMILY = Family(
    name="leak_other_values",
    expects="incorrect",
    rule="another value is not the answer, of whatever kind the reference is",
    make=make,
    most=2 * _KINDS,
)
