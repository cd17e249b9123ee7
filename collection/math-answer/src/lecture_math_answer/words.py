"""Answers in words: yes and no, choices, names and short sentences."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re

from lecture_math_answer.units import singular

_STOP = frozenset(
    "monotonically linearly a an the of to is are was were be been it that this there they we which so then and in on at by for with as its their his her will would can could may do does has have i he she it's that's they're".split()
)
NEGATIONS = frozenset("not no never none neither nor cannot can't isn't doesn't don't without false impossible".split())
_SAME = {
    "true": "yes", "correct": "yes", "yes": "yes", "y": "yes", "false": "no", "incorrect": "no", "no": "no", "n": "no", "wrong": "no",
    "same": "equal", "equals": "equal", "identical": "equal", "unchanged": "equal", "bigger": "greater", "larger": "greater", "smaller": "less", "fewer": "less",
    "lower": "less", "higher": "greater", "more": "greater", "increased": "increase", "decreased": "decrease", "triples": "triple", "doubles": "double", "impossible": "no",
}  # fmt: skip
_WORDS = re.compile(r"(?:(?<![\w)\]-])-(?=\d))?[^\W_]+(?:'[a-z]+)?|[<>=]")
"""Words and numbers: a minus sign before a number is part of it."""
_EMPTY = re.compile(r"\\(?:emptyset|varnothing)(?![a-zA-Z])")
_COMMAND = re.compile(r"\\[a-zA-Z]|[<>=^_]")
_KINDS = "solutions?|answers?|numbers?|values?|functions?|integers?|roots?|pairs?|triples?|tuples?|polynomials?|sequences?|points?|primes?|sets?|maximum|minimum|limit"
_NONE = re.compile(
    rf"(?:(?:the|this) (?:equation|system|inequality|problem) has |there (?:is|are|exists?) |it has |we have )?"
    rf"(?:no (?:real |integer |integral |such |possible |positive |natural |rational |valid |other )*(?:{_KINDS}|[a-z](?= exists?))?(?: (?:for )?[a-z](?= exists?))?(?: (?:exists?|is possible|are possible))?"
    rf"|none|none exists?|does not exist|do not exist|doesn't exist|dne|undefined|emptyset|empty set|the empty set|empty|\{{\}}|not defined)"
)
_INFINITY = re.compile(r"^\s*\\infty\s*$")
_INFINITE = re.compile(
    r"(?:there (?:are|is) )?(?:an )?(?:infinitely many|infinite(?: number(?: of)?| amount(?: of)?)?|infinity)(?: (?:solutions?|such )?(?:numbers?|integers?|primes?|pairs?|values?)?)?(?: exist)?"
)
_IMPOSSIBLE = re.compile(r"(?:it is |that is )?(?:impossible|not possible)(?: exists?)?")
_SOLUTIONLESS = re.compile(rf"(?:{_NONE.pattern})|(?:{_IMPOSSIBLE.pattern})")


def plain(text: str) -> str:
    """Lower case, without LaTeX marks and punctuation, one space between words."""
    text = re.sub(r"\\[a-zA-Z]+|[{}$\\]", " ", text)
    text = re.sub(r"[^\w\s'+\-/.<>=]", " ", text.lower())
    text = re.sub(r"\.(?!\d)", " ", text)
    for pattern, word in _CHANGES:
        text = pattern.sub(word, text)
    text = re.sub(r"\b(?:has|have|possess(?:es)?)\s+(?:an?\s+|the\s+)?winning\s+strategy\b", "wins", text)
    return " ".join(text.split())


def squeezed(text: str) -> str:
    """All but spaces, brackets that only group, and a full stop at the end; case kept, for formulas that nobody can read."""
    return re.sub(r"(?<!\d)\s|\s(?!\d)|[{}]|\.$", "", text)


_TIMES = {"doubles?": 2, "doubled": 2, "triples?": 3, "tripled": 3, "quadruples?": 4, "quadrupled": 4}
_CHANGES = [
    (
        re.compile(
            r"\b(?:does not|do not|doesn't|don't|will not|won't) change\b|\b(?:remains?|stays?|is|are) (?:the same|unchanged|constant)\b"
        ),
        "unchanged",
    ),
    (
        re.compile(
            r"\b(?:(?:is |are )?(?:increase[sd]?|grows?|changes?) by a factor of|(?:is |are |gets )?multiplied by) (\d+)(?![\d.%])"
        ),
        r"times \1",
    ),
    *((re.compile(rf"\b(?:is |are )?{word}\b"), f"times {factor}") for word, factor in _TIMES.items()),
]
_MORE_CHOICES = re.compile(r"\(\s*[A-J]\s*\)|(?<![\w\\])[A-J](?:[).:]|\s*$)")
_CHOSEN = re.compile(
    r"(?:[Tt]he\s+)?(?:[Cc]orrect\s+)?(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+\(?([A-J])\)?\s+is\s+(?:the\s+)?(?:correct|right|true|best)(?:\s+(?:one|option|choice|answer))?\.?"
    r"|I\s+(?:choose|chose|pick|select|go\s+with|would\s+choose|would\s+pick)\s+(?:option\s+|choice\s+|answer\s+)?\(?([A-J])\)?\.?"
)
_CONTRAST = re.compile(r"\b(?:and|or|but|then|except|unless|only|until|while)\b")


def letter(text: str) -> str:
    """The choice that ``text`` names: ``(B)``, ``B.``, ``Option B``, ``B) 42``; empty when none."""
    text = text.replace("*", "").strip()
    match = re.fullmatch(r"(?:(?:option|choice|answer|case)\s*:?\s*)?\(?\s*([A-J])\s*[).:]?", text, re.IGNORECASE)
    if match and (match[1].isupper() or len(text) > 1):
        return match[1].upper()
    match = _CHOSEN.fullmatch(text)
    if match:
        return match[1] or match[2]
    match = re.match(
        r"(?:(?:option|choice|answer)\s*:?\s*)?(?:\(\s*([A-J])\s*\)|([A-J])\s*[).:])\s*\S", text, re.IGNORECASE
    )
    if match is None or not (match[1] or match[2]).isupper() or _MORE_CHOICES.search(text[match.end() - 1 :]):
        return ""
    return match[1] or match[2]


def letters(text: str) -> frozenset[str]:
    """Several choices: ``A, C``, ``A and C``, ``AC``; empty when it is something else."""
    text = re.sub(r"\b(?:and|or)\b|[\s,;&().]", "", text)
    return frozenset(text) if re.fullmatch(r"[A-H]{2,6}", text) and len(set(text)) == len(text) else frozenset()


def behind_letter(text: str) -> str:
    """What stands behind a choice's letter: ``(B) 42`` gives ``42``."""
    match = re.match(r"\s*(?:\(\s*[A-J]\s*\)|[A-J]\s*[).:])\s*(\S.*)$", text, re.DOTALL)
    return match[1] if match else ""


def polarity(text: str) -> str:
    """``yes`` or ``no`` where that is how the answer begins."""
    words = plain(text).replace("-", " ").split()
    if not words:
        return ""
    first = words[0]
    last = re.search(r"\b(?:is|are)\s+(not\s+)?(true|false|correct|incorrect|wrong)$", plain(text))
    if last:
        return {"yes": "no", "no": "yes"}[_SAME[last[2]]] if last[1] else _SAME[last[2]]
    if re.search(
        r"\b(?:yes|true)\s*(?:and|or|/)?\s*(?:no|false)\b|\b(?:no|false)\s*(?:and|or|/)?\s*(?:yes|true)\b", plain(text)
    ):
        return ""
    possible = _POSSIBLE.fullmatch(plain(text))
    if possible:
        return "yes" if possible[1] else "no"
    if len(words) > 1 and words[-1] in _SAME and {_SAME.get(first, ""), _SAME[words[-1]]} == {"yes", "no"}:
        return ""  # it says both
    if words == ["not", "possible"]:
        return "no"
    if words == ["no", "idea"]:
        return ""
    short = _SHORT.fullmatch(plain(text))
    if short:
        return "no" if short[1] else "yes"
    if words in (["impossible"], ["possible"]):
        return {"impossible": "no", "possible": "yes"}[first]
    if first in ("yes", "no", "true", "false") and not _SOLUTIONLESS.fullmatch(plain(text)):
        return _SAME[first]
    return ""


_POSSIBLE = re.compile(
    r"(?:(?:it|this|that) (?:is )?)(?:(possible|can be done)|impossible|not possible|cannot be done|can't be done|isn't possible)"
)
_SHORT = re.compile(r"(?:it|they|this|that|these|those) (?:is|are|does|do|can|has|have|will)( not|n't)?")
"""``It is.``, ``They are not.``"""
_SAYS_WRONG = re.compile(r"\b(?:is|are|was|be) (?:wrong|incorrect|false)\b|\b(?:no idea|do not know|don't know)\b")
_SAYS_NO_MORE = frozenset(
    "yes no true false it is this that they can cannot can't be done possible impossible not the statement".split()
)


def _says_more(text: str) -> bool:
    """More than yes or no, and that it is possible or not."""
    return bool(set(text.split()) - _SAYS_NO_MORE)


def says_none(text: str) -> bool:
    """Whether a text says in words that there is nothing: ``no solution``, ``none``, ``does not exist``."""
    bare = plain(text)
    return len(bare) > 2 and bool(_NONE.fullmatch(bare))


def same_words(gold: str, response: str) -> bool:
    """The same in words: equal but for small words; the short form of a sentence; or the sentence that begins with it."""
    gold, response = (_INFINITY.sub("infinity", _EMPTY.sub("empty set", text)) for text in (gold, response))
    if squeezed(gold) == squeezed(response):
        return True
    if re.fullmatch(r"[A-Z]{2,}", squeezed(gold)):  # letters in an order, not a word
        orders = set(re.findall(rf"(?<![A-Za-z])[A-Z]{{{len(squeezed(gold))}}}(?![A-Za-z])", response))
        return orders == {squeezed(gold)} and not _negated(plain(response))  # a list of all orders names none
    if _COMMAND.search(gold) or _COMMAND.search(response):
        return False
    one, two = plain(gold), plain(response)
    if not one or not two:
        return False
    if squeezed(one) == squeezed(two):
        return True
    if _SOLUTIONLESS.fullmatch(one) and _SOLUTIONLESS.fullmatch(two) and one != "no" and two != "no":
        return True
    if _INFINITE.fullmatch(one):
        return bool(_INFINITE.fullmatch(two))
    polarities = polarity(gold), polarity(response)
    if all(polarities) and not all(_says_more(text) for text in (one, two)):
        return polarities[0] == polarities[1]
    if " or " in f" {two} " and " or " not in f" {one} ":
        return False
    parts = _parts(gold)
    if max(len(parts), len(_parts(response))) > 1 and all(len(part.split()) <= 4 for part in parts):
        return len(parts) == len(_parts(response)) and _match(parts, _parts(response))
    if _SAYS_WRONG.search(two) and not _SAYS_WRONG.search(one):
        return False
    mine, theirs = content(one), content(two)
    if not mine or not theirs:
        return False
    if _negated(one) != _negated(two):
        return False
    if mine == theirs:
        return True
    if any(re.search(r"\d", word) for word in (*mine, *theirs)):
        return False
    if len(mine) == 2 and mine[1] in ("win", "lose") and theirs == mine[:1]:
        return True
    if len(theirs) < len(mine):
        short = len(one.split()) >= 3 and max(map(len, theirs)) >= 4
        if len(theirs) > 1:
            return short and any(theirs == mine[at : at + len(theirs)] for at in range(len(mine)))
        return short and theirs[0] in (mine[0], mine[-1])
    if _CONTRAST.search(two) and not _CONTRAST.search(one):
        return False
    if not _STOP & set(two.split()) and len(mine) < 3 and theirs[len(mine) :] != ["win"]:
        return False  # a row of words without a sentence around it: red green blue
    return theirs[: len(mine)] == mine and max(map(len, mine)) >= 3


def _parts(text: str) -> list[str]:
    return [part for part in (plain(piece) for piece in re.split(r",|;|\band\b", text)) if part]


def _match(gold: list[str], response: list[str]) -> bool:
    """Each of one list among the other, in any order."""
    left = [content(part) for part in response]
    for part in gold:
        if content(part) not in left:
            return False
        left.remove(content(part))
    return True


def content(text: str) -> list[str]:
    """The words that carry meaning, in order, in a common form."""
    return [_SAME.get(word, singular(word)) for word in _WORDS.findall(text) if word not in _STOP]


def _negated(text: str) -> bool:
    return bool(NEGATIONS & set(text.split()))
