r"""Quantities by what stands left of the equals sign: ``P(A \mid B) =``, ``\det A =``, ``\nabla \cdot \mathbf{F} =``.

Such a side says what was asked for. It is not read as a formula; it must be of the same kind and of the same things as
the gold answer's, where both have one.
"""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re

_KINDS = (
    (r"\\nabla\s*\\cdot|\\operatorname\{div\}|\\mathrm\{div\}|\bdiv\b|∇\s*·", "divergence"),
    (r"\\nabla\s*\\times|\\operatorname\{(?:curl|rot)\}|\\mathrm\{(?:curl|rot)\}|\b(?:curl|rot)\b|∇\s*×", "curl"),
    (r"\\(?:Delta|nabla\^\{?2\}?)\s*[a-z]\b", "laplacian"),
    (r"\\det(?![a-zA-Z])|\\begin\{vmatrix\}|\bdet\b", "determinant"),
    (r"\\(?:operatorname|mathrm|text)\{(?:tr|trace)\}|\btr\b", "trace"),
    (r"\\(?:operatorname|mathrm|text)\{(?:rank|rk|rg)\}|\brank\b", "rank"),
    (r"\\dim(?![a-zA-Z])|\\(?:operatorname|mathrm)\{dim\}|\bdim\b", "dimension"),
    (r"\\(?:operatorname|mathrm|text)\{Res\}|\bRes\b", "residue"),
    (r"^\\[dt]?frac\s*\{\s*d\s*\}\s*\{\s*d\s*[a-z]\s*\}", "derivative"),
    (r"\\i{1,3}nt(?![a-zA-Z])|\\oint(?![a-zA-Z])|[∫∬∮]", "integral"),
    (r"\\lim(?![a-zA-Z])|\blim\b", "limit"),
    (r"\\?\bP\s*(?:\\left)?\(|\bPr\s*\(|\\Pr(?![a-zA-Z])", "probability"),
    (r"\bE\s*(?:\\left)?[(\[]|\\mathbb\{E\}", "mean"),
    (r"\\operatorname\{Var\}|\\mathrm\{Var\}|\bVar\b|\bV\s*\(", "variance"),
    (r"\\?#\s*[(A-Z]|\bn\s*\((?=[^()]*\\cup|[^()]*\\cap|\s*[A-Z])|\bcard\b|^\s*(?:\\left)?(?:\||\\lvert)[^|]*(?:\\cup|\\cap|∪|∩)", "size"),
    (r"\\chi_", "polynomial"),
)  # fmt: skip
_KINDS_READ = [(re.compile(pattern), kind) for pattern, kind in _KINDS]
_THINGS = re.compile(r"(?<![A-Za-z\\])[A-Z](?![A-Za-z])")
_HEADS = re.compile(r"\\(?:mathrm|operatorname|text|mathbb)\s*\{[A-Za-z]+\}|\\[A-Za-z]+|\b[PEV]\s*(?=[(\[])|[{}]")
_UNCOMPARED = frozenset({"derivative", "integral", "limit", "polynomial", "residue"})
_SAME_KINDS = ({"determinant", "polynomial"},)


def values(gold: str, found: str) -> tuple[str, str] | None:
    """Both answers without such a left side; None where the two sides name different quantities."""
    one, two = _parted(gold), _parted(found)
    if one and two:
        kinds = {one[0], two[0]}
        if len(kinds) > 1 and not any(kinds <= same for same in _SAME_KINDS):
            return None
        if one[1] and two[1] and one[1] != two[1]:
            return None
    return (one[2] if one else gold), (two[2] if two else found)


def _parted(text: str) -> tuple[str, list[str], str] | None:
    """(kind, names of things, the value) where one equals sign, outside all brackets, follows such a quantity."""
    text = re.sub(r"\\[,;:! ]", " ", text).strip().strip("$").strip()
    text = re.sub(r"^\\text\s*\{([^{}]*)\}$", r"\1", text)
    signs = _equals_signs(text)
    if not signs or (len(signs) > 1 and re.search(r"[,;]|\\text\{\s*and|\band\b", text[signs[0] :])):
        return None
    left, right = text[: signs[0]], text[signs[-1] + 1 :].strip()
    right = re.sub(r"\s*\}?\s+as\s+\$?[a-z]\s*(?:\\to|→).*$", "", right)  # a limit in words
    kind = next((kind for pattern, kind in _KINDS_READ if pattern.search(left)), None)
    if (
        kind is None
        or not right
        or len(left) > 200
        or (len(signs) > 1 and kind not in ("derivative", "integral", "limit"))
    ):
        return None
    things = _THINGS.findall(_HEADS.sub(" ", left)) if kind not in _UNCOMPARED else []
    return kind, things, right


def _equals_signs(text: str) -> list[int]:
    depth, found = 0, []
    for at, sign in enumerate(text):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(sign, 0)
        if sign == "=" and depth <= 0 and text[at - 1 : at] not in ("<", ">", "!"):
            found.append(at)
    return found
