r"""Sets of integers by remainder: ``n = 5k+2``, ``n \equiv 2 \pmod 5``, "congruent to 2 or 3 modulo 4", "odd", "multiples of 6"."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import math
import re
from dataclasses import dataclass

_LARGEST = 10_000
_PARAMETERS = frozenset("kmnjltqrspKMN")
_NUMBERS = r"-?\d+(?:\s*(?:,|and|or|,\s*and|,\s*or|,?\s*\\text\{\s*(?:and|or)\s*\})\s*-?\d+)*"
_SIGNED = rf"(?:(?:\\pm|±)\s*\d+|{_NUMBERS})"
_MODULUS = re.compile(
    rf"(?:^|.*?(?:\\equiv|≡|=|congruent\s+to))\s*({_SIGNED})\s*[,(]?\s*\\?(?:pmod|bmod|mod|modulo)\s*\{{?\s*(\d+)\s*\}}?\s*\)?",
    re.IGNORECASE,
)
_REMAINDER = re.compile(
    rf"remainders?\s*(?:of\s+|is\s+|are\s+)?({_NUMBERS})\s*(?:,?\s*when|,?\s*if|,?\s*on|,?\s*upon|,?\s*after)?\s*(?:it\s+is\s+|is\s+|they\s+are\s+)?(?:divided|division|dividing)\s*(?:it\s+)?by\s*(\d+)",
    re.IGNORECASE,
)
_MULTIPLE = re.compile(r"\b(?:(not)\s+)?(?:multiples?\s+of|(?:evenly\s+)?divisible\s+by)\s*(\d+)", re.IGNORECASE)
_PARITY = re.compile(
    r"\s*(?:the\s+|all\s+|every\s+|any\s+)*(?:set\s+of\s+)?(?:all\s+)?(?:[a-z]\s+(?:(?:is|must\s+be|are|has\s+to\s+be)\s+(?:an?\s+)?)?)?(even|odd)"
    r"(?:\s+(?:integers?|numbers?|whole\s+numbers?|values?(?:\s+of)?))*(?:\s+[a-z])?\s*\.?\s*",
    re.IGNORECASE,
)
_LINEAR = re.compile(
    r"(?:[a-zA-Z]\s*=\s*)?([-+]?\s*\d*)\s*(?:\\cdot|\*)?\s*([a-zA-Z])\s*(\\pm\s*\d+|±\s*\d+|[-+]\s*\d+)?|(?:[a-zA-Z]\s*=\s*)?([-+]?\d+)\s*([-+])\s*(\d*)\s*(?:\\cdot|\*)?\s*([a-zA-Z])"
)
_INTEGER = re.compile(
    r"(?:,|;|\s|\(|\||:|\\mid)\s*(?:for\s+)?(?:where\s+|with\s+|some\s+|any\s+|all\s+|each\s+|every\s+)*(?:"
    r"(?:an?\s+)?(?:arbitrary\s+)?integers?\s+[a-zA-Z]|[a-zA-Z]\s*(?:is\s+(?:an?\s+)?(?:any\s+|arbitrary\s+)?integer|\\in\s*\\mathbb\s*\{?\s*[ZN]\s*\}?(?:\^\+|_0|_\{0\}|\^\{\+\})?|∈\s*[ZNℤℕ]))\s*\)?\s*$",
    re.IGNORECASE,
)
_NOT_EQUIVALENT = re.compile(r"\\not\s*\\equiv|\\nequiv|≢|\bnot\s+congruent")


@dataclass(frozen=True)
class Residues:
    """The integers that leave one of ``rests`` when divided by ``modulus``. ``is_stated``: said to be a set of integers."""

    modulus: int
    rests: frozenset[int]
    is_stated: bool

    def lifted(self, modulus: int) -> frozenset[int]:
        """The same set by a multiple of the modulus."""
        return frozenset(rest + step for rest in self.rests for step in range(0, modulus, self.modulus))


def residues(text: str) -> Residues | None:
    """The set that ``text`` (plain notation) describes; None where it describes something else."""
    text = text.strip().strip("$").strip().rstrip(".")
    if len(text) > 200 or not re.search(
        r"mod|congruent|remainder|divi|multiple|even|odd|=|\\in|∈|integer|\d\s*[a-zA-Z]", text
    ):
        return None
    parity = _PARITY.fullmatch(text)
    if parity:
        return Residues(2, frozenset({parity[1].lower() == "odd"}), is_stated=True) if not _negated(text) else None
    for pattern in (_MODULUS, _REMAINDER):
        match = pattern.search(text)
        if match:
            return _of_numbers(text, match)
    multiple = _MULTIPLE.search(text)
    if multiple and not re.search(r"[=<>]|\band\b|\bor\b|\bboth\b", text):
        return _classes(int(multiple[2]), {0}, is_stated=True, turned=bool(multiple[1]))
    return _of_formula(text)


def same_residues(one: Residues, two: Residues) -> bool:
    """Equal as sets of integers."""
    modulus = math.lcm(one.modulus, two.modulus)
    return modulus <= _LARGEST and one.lifted(modulus) == two.lifted(modulus)


def _negated(text: str) -> bool:
    return bool(re.search(r"\bnot\b|\bnon|\bneither\b|\bno\b", text, re.IGNORECASE))


def _of_numbers(text: str, match: re.Match[str]) -> Residues | None:
    rests = {int(number) for number in re.findall(r"-?\d+", match[1])}
    if re.match(r"\\pm|±", match[1]):
        rests |= {-rest for rest in rests}
    rest_of_text = text[match.end() :]
    if re.search(r"\d|\\equiv|≡", rest_of_text):
        return _several(text)
    return _classes(int(match[2]), rests, is_stated=True, turned=bool(_NOT_EQUIVALENT.search(text)) or (_negated(text)))


def _several(text: str) -> Residues | None:
    """``n \\equiv 1 \\pmod 5 or n \\equiv 4 \\pmod 5``."""
    parts = [part for part in re.split(r",|;|\bor\b|\band\b|\\lor", text) if part.strip()]
    if re.search(r"\band\b|\\land", text) or len(parts) < 2:
        return None
    return _union([residues(part) for part in parts])


def _of_formula(text: str) -> Residues | None:
    """``n = 5k \\pm 1``, ``5k+1 or 5k+4``, ``{5k+1 : k in Z}``; None for anything that is not linear in one letter."""
    bare = re.sub(r"^\\?\{(.*?)\\?\}$", r"\1", text)
    stated = _INTEGER.search(bare)
    bare = _INTEGER.sub("", bare)
    parts = [part.strip() for part in re.split(r",|;|\\text\{\s*or\s*\}|\bor\b|\band\b|\\lor", bare) if part.strip()]
    found = [_linear(part) for part in parts]
    letters = {item[2] for item in found if item}
    if not parts or None in found or len(letters) != 1 or not letters <= _PARAMETERS:
        return None
    is_stated = bool(stated) or ("=" in bare and (len(found) > 1 or "pm" in bare or "±" in bare))
    return _union([_classes(item[0], set(item[1]), is_stated=is_stated) for item in found if item])


def _linear(part: str) -> tuple[int, tuple[int, ...], str] | None:
    match = _LINEAR.fullmatch(part)
    if match is None:
        return None
    if match[2] is None:
        factor, letter, rests = int(match[6] or 1), match[7], (int(match[4]),)
    else:
        text = match[1].replace(" ", "")
        factor = int(text) if text not in ("", "+", "-") else int(text + "1")
        letter = match[2]
        constant = re.sub(r"\s", "", match[3] or "0")
        size = int(re.sub(r"\\pm|±", "", constant))
        rests = (size, -size) if re.match(r"\\pm|±", constant) else (size,)
    return (abs(factor), rests, letter) if abs(factor) > 1 else None


def _union(parts: list[Residues | None]) -> Residues | None:
    known = [part for part in parts if part is not None]
    if not known or len(known) != len(parts):
        return None
    modulus = math.lcm(*(part.modulus for part in known))
    if modulus > _LARGEST:
        return None
    rests = frozenset().union(*(part.lifted(modulus) for part in known))
    return Residues(modulus, rests, is_stated=any(part.is_stated for part in known))


def _classes(modulus: int, rests: set[int], *, is_stated: bool, turned: bool = False) -> Residues | None:
    if not 0 < modulus <= _LARGEST:
        return None
    found = frozenset(rest % modulus for rest in rests)
    return Residues(modulus, frozenset(range(modulus)) - found if turned else found, is_stated)
