r"""Groups by their factors, and spaces by vectors that span them.

``\mathbb{Z}_2 \times \mathbb{Z}_4`` is ``\mathbb{Z}/4\mathbb{Z} \oplus \mathbb{Z}/2\mathbb{Z}``, and the span of (1, 2)
is that of (2, 4).
"""

import re
from fractions import Fraction

from lecture_math_answer.equal import number_of
from lecture_math_answer.reading import readings

_Z = r"(?:\\mathbb\s*\{?\s*Z\s*\}?|\\mathbf\s*\{?\s*Z\s*\}?|ℤ|Z|C)"
_FACTOR = re.compile(rf"{_Z}(?:_\{{?(?P<index>\d{{1,6}})\}}?|/\(?(?P<order>\d{{1,6}})\)?(?:{_Z})?)")
_PRODUCT = re.compile(r"\\times|\\oplus|×|⊕")
_NAME = re.compile(r"^\s*[A-Za-z]\s*(?:\\cong|\\simeq|\\equiv|=|≅)\s*")
_NOISE = re.compile(r"\\[,;:! ]|\\left|\\right|[\s$]")
_SPAN = re.compile(
    r"^(?:[A-Za-z]\w*\s*=\s*)?(?:\\(?:operatorname|mathrm|text)\s*\{\s*[Ss]pan\s*\}|\\?[Ss]pan)\s*(?:\\\{|[({\\⟨<])(?P<inside>.*)$",
    re.DOTALL,
)
_COLUMN = re.compile(r"\\begin\s*\{[pbB]?matrix\}(.*?)\\end\s*\{[pbB]?matrix\}(?:\s*\^\s*\{?(T)\}?)?", re.DOTALL)
_TUPLE = re.compile(r"[(\[⟨]([^()\[\]⟨⟩]*,[^()\[\]⟨⟩]*)[)\]⟩]")
_MOST_VECTORS, _LONGEST = 6, 6


def same_algebra(gold: str, response: str) -> bool | None:
    """The verdict where both answers are products of cyclic groups, or both are spans; else None."""
    groups = _orders(gold), _orders(response)
    if groups[0] is not None:
        return groups[0] == groups[1] if groups[1] is not None else None
    spans = _rows(gold), _rows(response)
    if spans[0] is None or spans[1] is None:
        return None
    return spans[0] == spans[1]


def _orders(text: str) -> list[tuple[int, int]] | None:
    """The powers of primes whose cyclic groups it is a product of: groups with the same ones are isomorphic."""
    text = _NOISE.sub("", _NAME.sub("", text.strip(" $."))).replace("\\displaystyle", "")
    factors = [_FACTOR.fullmatch(part) for part in _PRODUCT.split(text)]
    if not all(factors) or (len(factors) == 1 and "mathbb" not in text):
        return None
    found: list[tuple[int, int]] = []
    for factor in factors:
        if factor:
            found += _prime_powers(int(factor["index"] or factor["order"]))
    return sorted(found)


def _prime_powers(order: int) -> list[tuple[int, int]]:
    found, prime = [], 2
    while prime * prime <= order:
        power = 0
        while order % prime == 0:
            order, power = order // prime, power + 1
        if power:
            found.append((prime, power))
        prime += 1
    return [*found, (order, 1)] if order > 1 else found


def _rows(text: str) -> list[list[Fraction]] | None:
    """The reduced rows of the vectors; None where the text is no span of vectors of numbers."""
    text = re.sub(r"\\(?:left|right)(?![a-zA-Z])", "", text).strip(" $.")
    found = _SPAN.match(text)
    if found is None:
        return None
    inside = found["inside"]
    parts = [re.split(r"\\\\|&", column[0]) for column in _COLUMN.findall(inside)]
    parts += [row.split(",") for row in _TUPLE.findall(_COLUMN.sub(" ", inside))]
    vectors = [[_fraction(part) for part in vector] for vector in parts]
    if not 0 < len(vectors) <= _MOST_VECTORS or len({len(vector) for vector in vectors}) > 1:
        return None
    if len(vectors[0]) > _LONGEST or any(entry is None for vector in vectors for entry in vector):
        return None
    return _reduced([[Fraction(entry or 0) for entry in vector] for vector in vectors])


def _fraction(text: str) -> Fraction | None:
    read = readings(text)
    value = number_of(read[0]) if read else None
    return value if isinstance(value, Fraction) else None


def _reduced(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """Reduced row echelon form, without rows of zeros."""
    at = 0
    for column in range(len(rows[0])):
        pivot = next((row for row in range(at, len(rows)) if rows[row][column]), None)
        if pivot is None:
            continue
        rows[at], rows[pivot] = rows[pivot], rows[at]
        head = rows[at][column]
        rows[at] = [entry / head for entry in rows[at]]
        for other in range(len(rows)):
            if other != at:
                times = rows[other][column]
                rows[other] = [x - times * y for x, y in zip(rows[other], rows[at], strict=True)]
        at += 1
    return rows[:at]
