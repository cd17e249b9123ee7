"""The same formula with commands of LaTeX that change only how it is set."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.expression_text import boxed
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_BRACKET = re.compile(r"(?<![\\A-Za-z])[()]")
_WORD = re.compile(r"[^\W\d_]{3,}")
"""Words between commas are a list of words: whoever judges those need not know LaTeX's spaces."""
_COMMAND = re.compile(r"\\[A-Za-z]+")
_SIZED = re.compile(r"\\left|\\right|\\big", re.IGNORECASE)


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Brackets that grow, larger fractions, thin spaces behind commas; in the last box of an accepted response."""
    if not material.judges_only_the_answer:
        return
    for item in material.accepted:
        place = boxed(item.text or "")
        if place is None:
            continue
        before, text, after = place
        if _WORD.search(_COMMAND.sub(" ", text)) or "\\text" in text:
            continue
        forms = [form for form in _forms(text) if form != text]
        if forms:
            form = random.choice(forms)
            yield item.saying(f"{before}{form}{after}", note=f"{text} -> {form}")


def _forms(text: str) -> Iterator[str]:
    """Other settings of a formula. Brackets grow only where they are of one kind and in pairs, and do not yet."""
    if _is_in_pairs(text) and not _SIZED.search(text):
        yield _BRACKET.sub(lambda found: "\\left(" if found[0] == "(" else "\\right)", text)
    yield text.replace("\\frac{", "\\dfrac{")
    yield text.replace(", ", ",\\, ")


def _is_in_pairs(text: str) -> bool:
    """Whether each round bracket closes one that was opened, and there are no others: ``[0, 1)`` is an interval."""
    if re.search(r"[\[\]]|\\[()]", text):
        return False
    depth = 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found[0] == "(" else -1
        if depth < 0:
            return False
    return depth == 0


FAMILY = Family(
    name="benign_setting",
    expects="correct",
    rule="\\left, \\right, \\dfrac and thin spaces change how a formula is set, and nothing that it says",
    make=make,
)
