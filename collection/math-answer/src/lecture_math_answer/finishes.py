r"""The same answer in plainer words, where how a response finishes hides it: the prompt tells which words may go.

``So 8^a = 125.`` says 125 where the prompt asks for ``8^a``; ``Mr. Braun used 20 cubic meters.`` says 20 where it asks
how many cubic meters. Each rule takes one form, whole, and none of them chooses among several values.
"""
# ruff: noqa: E501 -- patterns read better whole

import re
from collections.abc import Iterator

from lecture_math_answer import extract
from lecture_math_answer.compare import same_answer
from lecture_math_answer.reading import numbered_parts, readings
from lecture_math_answer.rewordings import OPEN

_NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?"
_CLOSING = re.compile(
    r"(?<=[.!?*])\s+(?:let me know if|feel free to|I hope (?:this|it) helps|hope this helps)\b[^\n\d]{0,100}$",
    re.IGNORECASE,
)
_NEXT = re.compile(rf"(?<=\d\.)\s+The next (?:one|such \w+|\w+) (?:is|would be) {_NUMBER}\.?\s*$")
_CHECK = re.compile(
    r"(?<=[\w)}\]$*.!])[\s.!]*\b(?:check|verification):(?=[^=\n]{1,60}=)"
    r"(?:[\d\s+\-−–·×*/÷().,=^$²³√✓✔{}]|\band\b|\\(?:cdot|times|checkmark|[dt]?frac)(?![a-zA-Z])){3,160}$",
    re.IGNORECASE,
)
_EQUALITY = re.compile(
    r"(?<=[\w$})]),?\s+(?:with equality|attained|achieved|reached)\s+(?:exactly\s+)?(?:at|for|when)\s[^,.\n]{1,40}\.?\s*$"
)
_ASIDE = re.compile(
    r"(?<=[\w*])\s*\((?:his|her|its|their|and|the other)\s(?!not\b|maybe\b|perhaps\b|or\b)[^()?]{2,60}\)(?=[\s.*]*$)",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow many (?P<noun>[a-z]+(?: [a-z]+)?)", re.IGNORECASE)
_WHAT_IS = re.compile(r"\bwhat is (?:the|its|his|her) (?P<noun>[a-z]+(?: [a-z]+){0,2})\s*\?", re.IGNORECASE)
_NAMED = re.compile(
    rf"\s*(?:so\s+|and\s+)?the (?P<noun>[a-z]+(?: [a-z]+){{0,2}}) is \$?(?P<value>{_NUMBER})\$?\s*", re.IGNORECASE
)
_TOTAL = re.compile(rf".{{1,120}}\d[,;] (?:in )?total: (?P<value>{_NUMBER})[\s.]*", re.IGNORECASE | re.DOTALL)
_PERCENT_OF = re.compile(
    rf"\s*(?:so\s+)?(?P<part>{_NUMBER}) is (?P<share>{_NUMBER}\s?\\?%) of (?P<whole>{_NUMBER})[\s.]*", re.IGNORECASE
)
_PERCENT_ASKED = re.compile(
    rf"percent(?:age)? of (?P<whole>{_NUMBER}) is (?P<part>{_NUMBER})|(?P<part_first>{_NUMBER}) is what percent(?:age)? of (?P<whole_last>{_NUMBER})",
    re.IGNORECASE,
)
_RATIO = re.compile(r"[^\d?]{3,120} in the ratio \$?(?P<value>\d+\s*:\s*\d+)\$?[\s.]*", re.IGNORECASE)
_MIXED = re.compile(r"[^\d?=]{3,120} (?P<whole>\d{1,6}) (?P<top>\d{1,6})/(?P<base>\d{1,6})[\s.]*")
_LINE = re.compile(
    rf"\s*(?:[-*•]\s+)?(?:\*\*)?(?P<name>[A-Z][a-z]+(?: [a-z]+)?)(?::\*\*|\*\*:|:)\s*(?:\*\*)?\$?(?P<value>{_NUMBER})\$?(?:\*\*)?[.,;]?\s*"
)
_FELL = re.compile(
    rf"[^?\n]*\b(?:decreased?|decreases|drops?|dropped|falls?|fell|fallen|reduced|loss)\s+(?:of|by)\s+\$?(?P<value>{_NUMBER})\s?(?:\\?%|percent|per cent)\$?(?: overall| in total)?[\s.]*",
    re.IGNORECASE,
)
_RISES = re.compile(r"\b(?:increas\w+|rise\w*|rose|gr[eo]w\w*|gain\w*|more|higher)\b", re.IGNORECASE)
_LOSS = re.compile(r"[\s$]*-\s*(\d[\d.]*)\s*\\?%[\s$]*")
_BETWEEN = re.compile(
    r"[^?\d]{0,80}?\b(?P<word>[a-z]{4,})\s+(?:for|when|on|where)\s+\$?(?P<value>[-−]?[\w./\\{}]+\s*(?:<|≤|\\leq?)\s*[a-z]\s*(?:<|≤|\\leq?)\s*[-−]?[\w./\\{}]+?)\$?[\s.]*",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    rf"[^\d?]{{0,80}}\binterval (?:runs|goes|is|extends)?\s*from \$?(?P<low>{_NUMBER})\$? to \$?(?P<high>{_NUMBER})\$?[\s.]*",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"(?<!\\)\$([^$]{1,120})\$")
_SIGNS = re.compile(r"[=<>≤≥≡]|\\(?:leq?|geq?|neq?|equiv|pmod)(?![a-zA-Z])")
_ASKED_CHAIN = re.compile(
    r"(?:(?:so|thus|hence|therefore),?\s+)?(?:we (?:get|have)\s+)?(?P<chain>[^\n,;]{1,200}=[^\n,;]{1,80}?)[\s.]*",
    re.IGNORECASE,
)
_RESIDUE = re.compile(r"[\s$]*(?:[a-z]\s*)?\\equiv\s*(\d+)\s*\\pmod\s*\{?\s*(\d+)\s*\}?[\s$]*")
_TEX_COMMA = re.compile(r"(?<=\d)\{,\}(?=\d{1,2}(?!\d))")
_COMMA = re.compile(r"(?<![\d,(\[{])(\d+),(\d{1,2})(?![\d,)\]}]|\s*,\s*\d)")
_ONE_NUMBER = re.compile(r"[\s$]*-?\d+(?:,\d{1,2})?(?![\d,.])[^\d()\[\]]*(?:\^\{?[23]\}?)?[^\d()\[\]]*")
_CUT = re.compile(r"(?:\b(?:which|that|the|we|an?|of|to|is|are|and|so|then|by|with|from|now)\s*)+$", re.IGNORECASE)


def is_cut(gold: str, response: str) -> bool:
    """Whether an unmarked response breaks off within a clause and what it has said is an equation yet to be solved."""
    tail = response.rstrip()
    if "\\boxed" in response or not re.fullmatch(r"[\s$]*[a-z]\s*=[^=<>]+", gold):
        return False
    return bool(re.search(r"[a-z]$", tail) and _CUT.search(tail[-60:]) and not re.search(r"[.!?:]\s*\S{0,3}$", tail))


def without_closing(response: str) -> str:
    """Without what is said behind the answer: a check, the next value, politeness, where a value is attained."""
    if len(response) > 8_000:
        return response
    for pattern in (_CLOSING, _CHECK, _NEXT, _EQUALITY, _ASIDE):
        response = pattern.sub(lambda found: "." if found.re is _ASIDE else "", response)
    return response


def are_other_parts(gold: str, response: str, prompt: str) -> bool:
    """Whether lettered parts, where the prompt sets (a) and (b), say another thing than the gold answer's at their places."""
    if "(a)" not in prompt or "(b)" not in prompt or len(response) > 2_000:
        return False
    theirs = numbered_parts(" ".join(response.split()))
    mine = [part.strip() for part in gold.strip().strip("$").split(",")]
    if len(theirs) != len(mine) or len(mine) < 2:
        return False
    pairs = [(readings(one), readings(two.rsplit("=", 1)[-1])) for one, two in zip(mine, theirs, strict=True)]
    if not all(one and two for one, two in pairs):
        return False
    return not all(any(same_answer(a, b) for a in one for b in two) for one, two in pairs)


def names_another(gold: str, response: str, prompt: str) -> bool:
    """Whether a sentence that names several values gives another than the gold answer to the one that is asked for."""
    found, is_marked = extract.final_answer(response) if prompt and len(response) < 500 else ("", True)
    value = "" if is_marked else _named_value(re.sub(r"[$*]", "", extract.last_sentence(found)), prompt)
    mine = readings(gold.rsplit("=", 1)[-1]) if value else ()
    return bool(mine) and not any(same_answer(one, two) for one in mine for two in readings(value))


def others(gold: str, response: str, prompt: str) -> Iterator[tuple[str, str]]:
    """Other pairs of gold answer and response to judge, each of which says what the first said."""
    if len(response) > 2_000:
        return
    yield from _with_points(gold, response, prompt)
    residue = _RESIDUE.fullmatch(gold)
    if residue and re.search(rf"0\s*(?:\\leq?|≤)\s*[a-z]\s*<\s*{residue[2]}(?!\d)", prompt):
        yield residue[1], response
    found, is_marked = extract.final_answer(response)
    if is_marked:
        return
    last = extract.last_sentence(found)
    plain = re.sub(r"\*\*|(?<!\\)\$(?=\s*\d)|(?<=\d)\$", "", last)
    if OPEN.search(re.sub(r"[<>]", " ", plain)):
        return
    yield from ((gold, other) for other in _asked(plain, last, prompt))
    yield from ((gold, other) for other in _said(gold, plain, response, prompt))


def _asked(plain: str, last: str, prompt: str) -> Iterator[str]:
    """What is said of the very thing that the prompt asks for."""
    if (noun := _HOW_MANY.search(prompt)) and (value := _counted(plain, noun["noun"])):
        yield value
    if (found := _TOTAL.fullmatch(plain)) and re.search(r"\b(?:total|altogether|in all)\b", prompt, re.IGNORECASE):
        yield found["value"]
    if value := _named_value(plain, prompt):
        yield value
    found = _PERCENT_OF.fullmatch(plain)
    if found and (order := _PERCENT_ASKED.search(prompt)):
        part, whole = order["part"] or order["part_first"], order["whole"] or order["whole_last"]
        if (found["part"], found["whole"]) == (part, whole):
            yield found["share"]
    chain = _ASKED_CHAIN.fullmatch(last.replace("$", ""))
    if chain and (members := chain["chain"].split("=")) and _is_asked(members[0], prompt):
        yield members[-1]


def _named_value(plain: str, prompt: str) -> str:
    """The value of what the prompt asks for, where a sentence names several: ``The first term is 2, the ratio is 3.``"""
    asked = _WHAT_IS.search(prompt)
    parts = [_NAMED.fullmatch(part) for part in re.split(r",|\band\b", plain.rstrip(" ."))] if asked else []
    if not asked or len(parts) < 2 or not all(parts):
        return ""
    values = [part["value"] for part in parts if part and part["noun"].lower() == asked["noun"].lower()]
    return values[0] if len(values) == 1 else ""


def _counted(plain: str, noun: str) -> str:
    """The one number of the last clause, where what the prompt counts stands behind it; else empty."""
    nouns = {noun.lower(), noun.lower().split()[0]}
    clause = re.split(r"[,;:](?=\s)|\b(?:so|hence|thus|therefore)\b", plain)[-1]
    found = list(
        re.finditer(
            rf"(?P<sum>=\s*)?(?<![\w.])(?P<value>{_NUMBER})\s+(?P<noun>[a-z]+(?: [a-z]+)?)", clause, re.IGNORECASE
        )
    )
    if not found or (len(re.findall(_NUMBER, clause)) > 1 and not found[-1]["sum"]):
        return ""
    theirs = found[-1]["noun"].lower()
    is_end = not re.search(r"\d", clause[found[-1].end("value") :])
    return found[-1]["value"] if is_end and (theirs in nouns or theirs.split()[0] in nouns) else ""


def _is_asked(member: str, prompt: str) -> bool:
    """Whether a formula of the prompt, which is no equation, is the same as the head of a chain."""
    if not re.search(r"[a-z].*[\d^]|\d.*[a-z]", member):
        return False
    asked = [found[1] for found in _FORMULA.finditer(prompt) if not _SIGNS.search(found[1]) and len(found[1]) > 1]
    head = readings(member)
    return bool(head) and any(same_answer(one, two) for text in asked for one in readings(text) for two in head)


def _said(gold: str, plain: str, response: str, prompt: str) -> Iterator[str]:
    """Values that a sentence or the last lines say in a form of their own."""
    if found := _RATIO.fullmatch(plain):
        yield found["value"]
    if (found := _MIXED.fullmatch(plain)) and int(found["base"]) > int(found["top"]):
        yield f"\\frac{{{int(found['whole']) * int(found['base']) + int(found['top'])}}}{{{int(found['base'])}}}"
    if lines := _named_lines(response):
        yield lines
    fell = _FELL.fullmatch(plain)
    if _LOSS.fullmatch(gold) and fell and not _RISES.search(plain) and "change" in prompt:
        yield f"-{fell['value']}%"
    found = _BETWEEN.fullmatch(plain)
    if found and re.search(rf"\b{found['word']}\b", prompt, re.IGNORECASE):
        yield found["value"].replace("−", "-")
    if "confidence interval" in prompt and (found := _FROM_TO.fullmatch(plain)):
        yield f"[{found['low']}, {found['high']}]"
    body = plain.strip(" .").replace("$", "")
    left, sign, right = body.rpartition("=")
    is_tuple = sign and "," in right and re.fullmatch(r"\s*(?:\\left)?\s*\(.+\)\s*", right)
    if (
        is_tuple
        and "=" not in left
        and not re.search(r"(?<![\\a-zA-Z])[a-zA-Z](?![a-zA-Z])", re.sub(r"\\[a-zA-Z]+", " ", left))
    ):
        yield right


def _named_lines(response: str) -> str:
    """The last lines, ``Mean: 10`` and ``Variance: 7.5``, as one; empty where they are less than two or name one twice."""
    found: list[re.Match[str]] = []
    for line in reversed([line for line in response.splitlines() if line.strip()]):
        one = _LINE.fullmatch(line)
        if one is None:
            break
        found.insert(0, one)
    names = [one["name"].lower() for one in found]
    if len(names) < 2 or len(set(names)) < len(names):
        return ""
    return ", ".join(f"{one['name'].lower()} {one['value']}" for one in found)


def _with_points(gold: str, response: str, prompt: str) -> Iterator[tuple[str, str]]:
    r"""Decimal commas as points: ``16{,}0`` anywhere, ``16,0`` where the prompt writes its own numbers so."""
    if not _ONE_NUMBER.fullmatch(gold):
        return
    pointed = _TEX_COMMA.sub(".", response)
    has_tex, has_own = pointed != response, _COMMA.search(prompt) is not None and not re.search(r"\d\.\d", prompt)
    if has_own:
        pointed = _COMMA.sub(r"\1.\2", pointed)
    if has_tex or has_own:
        yield _COMMA.sub(r"\1.\2", gold), pointed
