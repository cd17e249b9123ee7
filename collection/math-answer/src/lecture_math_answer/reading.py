"""Ways to read one text as mathematics: as it stands, then without the phrases that people put around an answer."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from functools import lru_cache

from lecture_math_answer import described, named, quotients, ranges, spelling, words
from lecture_math_answer.clean import clean
from lecture_math_answer.node import Node
from lecture_math_answer.parse import ParseError, parse_clean

_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?: dollars)?")
_REALS = r"(?<!for )\b(?:the\s+set\s+of\s+)?(?:all|any|every)\s+(?:of\s+)?(?:the\s+)?(?:real\s+(?:numbers?|values?)(?:\s+of)?|reals|real(?=\s+[a-zA-Z]\b))(?:\s+[a-zA-Z])?"
_ALL_REALS = re.compile(
    _REALS + r"(?![\w ]*(?:except|but|other|exclud|without|great|less|such|with|>|<|\\))", re.IGNORECASE
)
_REALS_BUT = re.compile(
    _REALS
    + r"\s*,?\s*(?:except|but|other\s+than|excluding|without)(?:\s+for)?\s+(?:[a-zA-Z]\s*=\s*)?(-?[\w./\\{}^]+)\s*\.?\s*$",
    re.IGNORECASE,
)
_RATIO_IN_WORDS = re.compile(r"\s*(\d+)\s+to\s+(\d+)(?:\s+to\s+(\d+))?\s*")
_BUILDER = re.compile(
    r"^\s*(?:[a-zA-Z]\s*(?:=|\\in)\s*)?(?P<open>\{)[^{}|:]*(?:\||\\mid|:).*(?P<close>\})\s*$", re.DOTALL
)
_MARKS_ALONE = re.compile(r"\s*(?:\(\s*\d\s*\)[\s,;]*(?:and\s+)?){2,}")
_HALF = re.compile(r"\s*(?:a\s+|one\s+)?half\s*", re.IGNORECASE)
_SHARE = re.compile(r"(?:^|(?<= is )|(?<=\bare )|(?<=: ))\s*(\d+)\s+(?:out\s+of|in)\s+(?:every\s+)?(\d+)\s*$")
_DOMAIN = re.compile(
    r"\b[a-zA-Z]\s*:\s*\\mathbb\s*\{?\s*[A-Z]\s*\}?[^,;:=]*\\to\s*\\mathbb\s*\{?\s*[A-Z]\s*\}?[^,;:=a-z]*[,;:]\s*(?:where|given\s+by|defined\s+by|such\s+that|with)?\s*"
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ORDINAL = re.compile(rf"\s*(?:the\s+)?({'|'.join(_ORDINALS)})\s*", re.IGNORECASE)
_POINT = re.compile(r"^\s*(?:[Pp]oint\s+)?[A-Z](?:'|_\{?\d\}?)?\s*=?\s*(\(\s*-?[\d\\][^()=]*,[^()=]*\))\s*$")
_DIAGONAL = re.compile(r"\bdiag\s*\(([^()]*)\)")
_ROWS = re.compile(r"\[\s*([^\[\];]+(?:;[^\[\];]+)+)\]")
# Opening words that add nothing: "the solutions are", "therefore", "all integers n" before a relation in n.
_OPENING = re.compile(
    r"""^\s*(?:
    (?:the\s+)?(?:final\s+|correct\s+)?(?:answers?|solutions?|values?|results?)\s*(?:is|are|:)\s*
    | (?:it\s+is|it's|they\s+are|there\s+(?:are|is)|we\s+(?:get|have|find|obtain)|approximately|about|approx\.?|exactly|only|either|both|both\s+of
        |therefore|thus|so|hence|that|precisely|namely|around|roughly|nearly|equal\s+to)[\s,:]+
    | (?:a|an|the)\s+(?=\d)
    | (?:(?:a|an|the)\s+)?(?:(?:complete|bipartite|cyclic|finite|open|closed|half-open|direct)\s+)*(?:graph|group|field|ring|interval|vector|matrix|point|plane)\s+(?=[A-Z\\({\[])
    | (?:all|every)\s+(?:real\s+(?:numbers?\s+|values?\s+(?:of\s+)?)?|numbers?\s+|values?\s+of\s+)?[a-z]\s+(?:with|such\s+that|satisfying|for\s+which)\s+(?=[^,;]*(?:[<>]|\\(?:le|ge|lt|gt)q?\b))
    | (?:all|any|every)\s+(?:the\s+)?(?:real\s+|positive\s+real\s+)?(?:(?:integers?|numbers?|values?|reals?)\s*(?:of\s+)?)?(?=[a-zA-Z]\s*(?:\\(?:ge|le|ne|in|gt|lt)|[<>=]))
    )+""",
    re.IGNORECASE | re.VERBOSE,
)
_ARTICLE = re.compile(r"^\s*(?:a|an|the)\s+(?=\d)", re.IGNORECASE)
_WORDS_IN_BRACKETS = re.compile(r"(?<=[\w})\]%])\s+\(\s*[A-Za-z]{3}[A-Za-z ]*\)\s*[.]?\s*$")
_OR_IN_BRACKETS = re.compile(r"\(\s*(?:or|i\.e\.),?\s+([^()]*)\)", re.IGNORECASE)  # another form, or another answer
_TWICE = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s*\(\s*(\d+)\s*\)", re.IGNORECASE
)
_MINUS = re.compile(
    r"\b(?:minus|negative)\s+(?=\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)", re.IGNORECASE
)
# Remarks in brackets: "(approximately 3.5)", "(k \in \mathbb{Z})", "(the maximum)".
_BRACKETED = re.compile(
    r"\s*\((?:"
    r"(?:approximately|approx\.?|about|in|since|because(?![^()]*\b(?:or|maybe|perhaps|not|could|might|may)\b)|as|rounded|where|when|if|at|attained|exact|to the nearest)\b[^()]*"
    r"|\s*[a-zA-Z](?:\s*,\s*[a-zA-Z])*\s*\\(?:in|ge|geq|ne|neq|le|leq|gt|lt)\s[^()]*"
    r"|\s*[a-zA-Z]\s*[<>]=?[^(),]*"
    r"|\s*(?:[A-Za-z]{3}|[A-Z][a-z]\s+[A-Z])[A-Za-z ,.'-]*"
    r")\)\s*$",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"(?<=[\d}%])\s*\(?\s*(?:correct\s+)?(?:to\s+)?(?:[1-9]|one|two|three|four|five|six)\s+"
    r"(?:s\.?\s?f|d\.?\s?p|sig(?:nificant|\.)?\s+(?:fig(?:ure)?|digit)s?|decimal\s+places?|decimals)\b\.?\s*\)?\s*\.?\s*$",
    re.IGNORECASE,
)
"""How far a number is rounded: ``4.54 (3 s.f.)``, ``4.54 (to 2 decimal places)``."""
# Conditions behind an answer, up to the next "and f(x) =" of a list of answers.
_CONDITION = re.compile(
    r"""(?:,|;|\s)\s*(?:
      for\s+(?:all|any|every|each|some)\b | for\s+[a-zA-Z]\s*(?:\\(?:ge|le|ne|in|gt|lt)|[<>=]|,)
      | (?:attained|achieved|reached|occurring|obtained|with\s+equality|where|with|whenever|when|if|such\s+that|provided|as\s+long\s+as|which|because|since|at\s+[a-zA-Z]\s*=)\b | \\forall(?![a-zA-Z])
    ).*?(?=(?:,\s*|\s)and\s+(?:[a-zA-Z]\w*\s*\(|[a-zA-Z]\s*=)|$)""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_SENTENCES = re.compile(r"[.!?]\s+[A-Z]")
_STATED = re.compile(r"\s*([A-Za-z]\w*\s*=\s*-?[\w./\\{}^()]+)\s+(?:is|are|and only)\s+[a-z]")
_FRACTION_WORDS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    name + ending: value
    for value, name in enumerate("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 3)
    for ending in ("", "s")
}
_COUNTS = dict(zip("a one two three four five six seven eight nine".split(), (1, *range(1, 10)), strict=True))
_FRACTION = re.compile(r"\b(" + "|".join(_COUNTS) + r")[ -](" + "|".join(_FRACTION_WORDS) + r")\b", re.IGNORECASE)


_ARABIC = re.compile(r"\(\s*(\d)\s*\)")
_ROMAN = re.compile(r"\(\s*(i{1,3}|iv|v)\s*\)")
_LATIN = re.compile(r"\(\s*([a-e])\s*\)")
_PARTS = re.compile(r"(?:^|(?<=[\s,;.]))[Pp]art\s*\(?([1-9a-e])\)?\s*[:.]?")
_PLAIN_MARKS = re.compile(r"(?:^|(?<=[\s,;]))([1-9a-e])[.):](?=\s)")
_JOINT = re.compile(r"[\s,;]+and\s*$")
_NUMBERINGS = [list("123456789"), ["i", "ii", "iii", "iv", "v"], list("abcde")]
_COMPARISONS = [
    (re.compile(r"\b(?:is|are|does|do) not (?:equal(?: to)?\s+)?(?=[\d\\-])", re.IGNORECASE), r" \\ne "),
    (
        re.compile(
            r"\b(?:is |are |must be )?(?:greater|more|larger|bigger|higher) than or equal to\b|\b(?:is |are |must be )?(?:at least|no less than|not less than)\b",
            re.IGNORECASE,
        ),
        r" \\ge ",
    ),
    (
        re.compile(
            r"\b(?:is |are |must be )?(?:less|smaller|lower|fewer) than or equal to\b|\b(?:is |are |must be )?(?:at most|no more than|not more than)\b",
            re.IGNORECASE,
        ),
        r" \\le ",
    ),
    (
        re.compile(
            r"\b(?:is |are |must be )?(?:strictly )?(?:greater|more|larger|bigger|higher) than\b", re.IGNORECASE
        ),
        " > ",
    ),
    (re.compile(r"\b(?:is |are |must be )?(?:strictly )?(?:less|smaller|lower|fewer) than\b", re.IGNORECASE), " < "),
    (re.compile(r"\b(?:is |are )(?:the same as|equal to)\b", re.IGNORECASE), " = "),
]


MAX_LENGTH = 3_000
"""Characters of the longest text that is read as one formula."""


@lru_cache(maxsize=1024)
def readings(text: str) -> tuple[Node, ...]:
    """The ways to read ``text`` as mathematics, the likeliest first; empty when it is words."""
    if len(text) > MAX_LENGTH:
        return ()
    plain = clean(text)
    if words.says_none(plain):
        return (Node("seq", (), name="{}"),)
    found: list[Node] = []
    for variant in variants(plain):
        for merge in (True,) if _THOUSANDS.fullmatch(variant) else (True, False):
            if not merge and _zero_groups(variant):
                continue
            try:
                body, asked = described.without_permutations(variant)
                node = parse_clean(body, merge_thousands=merge)
                node = described.permuted(node, asked) if asked else node
            except ParseError:
                continue
            if node not in found:
                found.append(node)
        if found:
            break
    return tuple(found)


def second_readings(text: str) -> tuple[Node, ...]:
    """What a response may mean besides its plain reading: a comma for the decimal point, a period in brackets."""
    plain = clean(text) if len(text) < 100 else ""
    found = []
    for other in spelling.other_numbers(_OPENING.sub("", plain)):
        try:
            found.append(parse_clean(other))
        except ParseError:
            continue
    return tuple(found)


def quantities(text: str) -> tuple[Node, ...]:
    """The reading as a quantity, where the unit is a quotient of symbols; else empty."""
    quantity = quotients.in_words(_OPENING.sub("", clean(text))) if len(text) < 200 else ""
    return (parse_clean(quantity),) if quantity else ()


def variants(plain: str) -> list[str]:
    """The text itself; then without opening words, remarks in brackets, conditions behind it."""
    plain = _PLACES.sub("", plain)
    plain = _OR_IN_BRACKETS.sub(r" or \1 ", named.equations(ranges.ranged(plain)))
    plain = _MINUS.sub("-", re.sub(r"\b(\d+)\s+or\s+more\b", r" \\ge \1", plain))
    plain = _TWICE.sub(r"\1", plain)
    plain = _ALL_REALS.sub(r" \\mathbb{R} ", _REALS_BUT.sub(r" \\mathbb{R} \\setminus \\{\1\\} ", plain))
    plain = "1/2" if _HALF.fullmatch(plain) else plain
    plain = _SHARE.sub(r"\1/\2", described.named_sets(plain))
    if _MARKS_ALONE.fullmatch(plain):
        plain = ", ".join(re.findall(r"\d", plain))
    plain = _RATIO_IN_WORDS.sub(_ratio, plain) if _RATIO_IN_WORDS.fullmatch(plain) else plain
    plain = _DIAGONAL.sub(_diagonal, _POINT.sub(r"\1", _DOMAIN.sub("", plain)))
    ordinal = _ORDINAL.fullmatch(plain)
    plain = str(_ORDINALS.index(ordinal[1].lower()) + 1) if ordinal else plain
    plain = _ROWS.sub(_rows, _builder(plain))
    plain = _ARTICLE.sub("", _FRACTION.sub(_fraction, plain))
    plain = _WORDS_IN_BRACKETS.sub("", plain)
    plain = _without_numbering(plain)
    opened = _POINT.sub(r"\1", _OPENING.sub("", plain))
    bare = _BRACKETED.sub(" ", opened)
    # Cutting at "where" is for one sentence; of several, the extractor chooses one.
    unconditional = "" if _SENTENCES.search(bare) else _CONDITION.sub("", bare).strip(" ,;")
    statement = _STATED.match(bare)
    choices = [
        opened,
        plain,
        bare,
        unconditional,
        statement[1] if statement else "",
        _OPENING.sub("", _relation_in_words(plain)),
    ]
    return [choice for choice in dict.fromkeys(choices) if choice.strip()]


def _ratio(match: re.Match[str]) -> str:
    return ":".join(part for part in match.groups() if part)


def _diagonal(match: re.Match[str]) -> str:
    """``diag(2, 3)`` as a matrix."""
    cells = match[1].split(",")
    rows = [" & ".join(cell if at == row else "0" for at, cell in enumerate(cells)) for row in range(len(cells))]
    return "\\begin{pmatrix} " + " \\\\ ".join(rows) + " \\end{pmatrix}"


def _builder(plain: str) -> str:
    """``{x | x > 1}`` with the braces of a set."""
    match = _BUILDER.match(plain)
    if match is None:
        return plain
    start, end = match.start("open"), match.start("close")
    return f"{plain[:start]}\\{{{plain[start + 1 : end]}\\}}{plain[end + 1 :]}"


def _rows(match: re.Match[str]) -> str:
    """``[1, 2; 3, 4]`` as rows of a matrix: as many entries in each, two at the least."""
    rows = [row.split(",") for row in match[1].split(";")]
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return match[0]
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"


def _without_numbering(plain: str) -> str:
    """``(1) 5; (2) 7`` as ``5; 7``: only where the numbers run from one on."""
    return "; ".join(numbered_parts(plain)) or plain


def numbered_parts(plain: str) -> list[str]:
    """What stands behind ``(1)``, ``(2)`` … or ``(a)``, ``(b)`` …, in order; empty where the text is not so numbered."""
    for marks in (_ARABIC, _ROMAN, _LATIN, _PARTS, _PLAIN_MARKS):
        pieces = marks.split(plain)
        if (
            len(pieces) >= 5
            and not pieces[0].strip()
            and pieces[1::2] in (_ORDERS[: len(pieces) // 2] for _ORDERS in _NUMBERINGS)
        ):
            return [_JOINT.sub("", piece).strip(" ,;.") for piece in pieces[2::2]]
    return []


def _relation_in_words(plain: str) -> str:
    """``the sum is less than zero`` as ``the sum < zero``."""
    changed = plain
    for pattern, sign in _COMPARISONS:
        changed = pattern.sub(sign, changed)
    return changed if changed != plain else ""


def _fraction(match: re.Match[str]) -> str:
    top = _COUNTS[match[1].lower()]
    return f"{top}/{_FRACTION_WORDS[match[2].lower()]}"


def _zero_groups(text: str) -> bool:
    """Groups such as ``,000`` and ``,050`` are thousands, never members of a list."""
    return bool(re.search(r"\d,0\d\d(?!\d)", text))
