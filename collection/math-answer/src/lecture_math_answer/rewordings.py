r"""The same answer in plainer words, where a sentence or a box says it in a way that is not read as it stands.

``The tank is full after 40 minutes.`` says 40 minutes, ``\boxed{\text{The units digit is } 5}`` says 5. Each rule takes one
form, whole: what stands around the value in it must hold no other number and nothing that denies the value.
"""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from collections.abc import Iterator

from lecture_math_answer import endings, extract

_VALUE = r"-?(?:\d[\d,]*(?:\.\d+)?(?:/\d+)?|\\[dt]?frac\s*\{[^{}]{1,20}\}\s*\{[^{}]{1,20}\})(?:\s*(?:\\pi(?![a-zA-Z])|π|\\?√\s*\d+|\\sqrt\s*\{[^{}]{1,20}\}))?"
_TIME = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|min|hrs?|s|h)"
OPEN = re.compile(
    r"\b(?:not?|never|nor|neither|none|or|either|but|if|unless|until|whether|than|about|around|nearly|almost|roughly|approximately|near|close|least|most|up to|before|could|would|should|might|may|can|cannot"
    r"|wrong|false|incorrect|suppose|assum\w+|guess\w*|claim\w*|mistake\w*|instead|except|without|exclud\w*|fail\w*|doubt\w*|half|twice|double|another|other|both)\b|n['’]t\b|[?≠<>≈]",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:cross-sectional |surface |side |total )?(?:dimension|rank|nullity|degree|order|period|slope|gradient|radius|diameter|circumference|perimeter|area|volume|length|width|height|side|mass|weight"
    r"|probability|variance|standard deviation|mean|median|mode|range|average|magnitude|determinant|trace|norm|sum|product|size|(?:absolute |local |global )?(?:maximum|minimum)(?: value)?)"
)
_AFTER = re.compile(
    rf"(?P<before>(?:[a-z]+,?\s+)?(?:the|it|they|he|she|both|all|his|her|their|its|these)\b[^\d?]{{2,160}}?)\s(?:after|within|in)\s+(?:[a-z]\s*=\s*)?(?P<value>{_VALUE})\s*(?P<unit>{_TIME})",
    re.IGNORECASE,
)
_WITH_NOUN = re.compile(
    rf"(?P<before>[^\d?]{{0,160}}?)\b(?:has|have|having|with)\s+(?:an?\s+|the\s+)?(?P<noun>{_NOUN})\s+(?:of\s+|is\s+|equal to\s+|=\s*)?(?P<value>{_VALUE}(?:\s*[a-z%][^\d.,;=]{{0,30}})?)(?:,?\s+(?:at|when)\s+[a-z]\s*=\s*\S{{1,30}})?",
    re.IGNORECASE,
)
_GROUP = re.compile(
    rf"(?P<before>[^\d?]{{0,160}}?)\b(?:a|the)\s+(?:minimum\s+)?(?:sample|group|class|crowd|team|total)(?:\s+size)?\s+of\s+(?P<value>{_VALUE}(?:\s+[a-z]{{3,20}})?)",
    re.IGNORECASE,
)
_ENDS_IN = re.compile(
    rf"(?P<before>.{{1,80}}?)\bends?\s+(?:in|with)\s+(?:exactly\s+)?(?P<value>{_VALUE})\s+(?:trailing\s+)?zero(?:e?s)?",
    re.IGNORECASE,
)
_IN_WAYS = re.compile(
    rf"(?P<before>[^\d?]{{0,120}}?)\bcan be (?:[a-z]+(?:ed|en|wn|ne|t)) in (?P<value>{_VALUE} (?:[a-z]+ )?ways)",
    re.IGNORECASE,
)
_DIVERGES = re.compile(
    r"(?P<before>[^?]{0,200}?)\b(?:series|integral|sequence|it) (?P<value>diverges|converges)", re.IGNORECASE
)
_PURPOSE = re.compile(
    rf"(?P<main>(?P<before>[^\d?]{{0,120}}?)\b(?:takes?|needs?|is|are|was|equals?)\s+(?:him\s+|her\s+|them\s+|us\s+|it\s+)?(?P<value>{_VALUE})(?:\s+[a-z]{{1,15}}){{0,2}}?)"
    rf"(?:,?\s+(?P<purpose>(?:for|to)\s.{{1,120}})|,?\s+(?:(?:attained|reached|achieved|occurring|which (?:is attained|is reached|occurs))\s+)?(?:at|when)\s+[a-z]\s*=\s*-?[\w./\\{{}}^]{{1,30}})",
    re.IGNORECASE,
)
_ROUGHLY = re.compile(
    rf"(?:\b(?:about|approximately|approx\.|roughly|around)\s+|≈\s*|\\approx\s*)(?={_VALUE}(?![\d,]))", re.IGNORECASE
)
_ASKS_TO_ROUND = re.compile(
    r"\b(?:round(?:ed)?|nearest|decimal places?|decimals|approximate(?:ly)?|estimate|significant)\b", re.IGNORECASE
)
_SO_MANY = re.compile(
    r".{0,300}[\s,;](?:so|hence|thus|therefore),?\s+(?:[a-zA-Z]\s*=\s*)?[\d\s+\-−–·×*/÷().]{3,80}=\s*(?P<value>\d[\d,]*(?:\.\d+)?(?:\s+[a-z]{3,20})?)",
    re.DOTALL | re.IGNORECASE,
)
_IS_CHAIN = re.compile(
    r".{0,300}[\s,;](?:so|hence|thus|therefore),?\s+(?P<before>[^\d=]{3,80}?)\s(?:is|are|equals)\s+(?P<head>[\d\s+\-−–·×*/÷().a-z]{1,30}=\s*)(?P<value>\d[\d,]*(?:\.\d+)?(?:\s+[a-z]{2,20})?)",
    re.DOTALL,
)
_LAST_CLAUSE = re.compile(
    r"[,;]\s+(?:and\s+)?(?:so|hence|thus|therefore|(?:which|this) means|meaning|i\.e\.,?|that is,)\s+(?:that\s+)?(?=\S)",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    rf"(?:(?:so|thus|hence|therefore),?\s+)?(?P<value>{_VALUE}(?:\s+[a-z]{{1,15}}){{0,2}}?)\s+(?:is|are|will be)\s+(?:needed|required|necessary)\s+(?P<rest>(?:for|to)\s.{{1,120}})",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"[,;]\s+(?:(?:which|this) means|meaning|i\.e\.,?|that is,)\s(?!.*\b(?:so|hence|thus|therefore|only|for [a-z] ?=))",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    rf"(?:(?:so|thus|hence|therefore),?\s+)?(?:[\d\s+\-−–·×*/÷().]{{3,80}}=\s*)?(?P<value>{_VALUE})\s+(?:is|was)\s+(?:therefore\s+|thus\s+|hence\s+)?the\s+"
    r"(?:[a-z-]+\s+){0,2}?(?:[a-z]{2,}est|least|most|only|first|last|minimum|maximum|answer|number|total|sum|product|value|remainder|result|solution|coefficient|probability)\b(?P<rest>[^=≈]{0,160})",
    re.IGNORECASE,
)
_ARROW = re.compile(r"\\(?:Rightarrow|implies|Longrightarrow)(?![a-zA-Z])|⇒|⟹")
_SOLVED = re.compile(r"\s*([a-z])\s*=\s*[^=,;<>]{1,40}")
_LAST_NAME = re.compile(r"[A-Za-z]{2,12}\s*(?:\([^()=]{1,40}\)\s*)?=[\d\s+\-−–·×*/÷().,=^²³]{1,120}")
_IN_TEN = re.compile(r"(?<=\d)\}?(?:₁₀|_\{10\}|_\(10\))(?!\w)")
_FROM_BASE = re.compile(r"\s*([0-9A-F]+)\s*(?:_\{?(\d{1,2})\}?|([₂-₉]))\s*=\s*(\d+)(?:₁₀|_\{10\})?\s*")
_MODULO = re.compile(
    r"(\d{1,9})\s*(?:\\pmod\s*\{?\s*(\d{1,9})\s*\}?|\\?\(?\s*(?:\\text\{)?\s*\\?mod\s*\}?\s*(\d{1,9})\s*\\?\)?)"
)
_PAIR = re.compile(r"\s*[(\[]\s*(-?[\d.,/\\{}a-z]+)\s*,\s*(-?[\d.,/\\{}a-z]+)\s*[)\]]\s*")
_VALUE_OF_FUNCTION = re.compile(r"(?<![a-zA-Z\\])[fgh]\s*\(\s*[a-z]\s*\)")
_RELATION = re.compile(r"[<>≤≥]|\\(?:le|ge|lt|gt)q?(?![a-zA-Z])")
_PER_TIME = re.compile(rf"(?<=[a-z])\s+(?:each|every|an?)\s+(?={_TIME}\b)", re.IGNORECASE)
_TIME_PER_TIME = re.compile(
    rf"(?P<first>\d\S*\s*{_TIME})\s*(?:/|\bper\b|\beach\b|\bevery\b|\ban?\b)\s*{_TIME}[\s.]*", re.IGNORECASE
)


def others(gold: str, response: str, prompt: str) -> Iterator[tuple[str, str]]:
    """Other pairs of gold answer and response to judge, each of which says what the first said."""
    text, is_boxed = _end(response)
    if not text or len(text) > 400:
        return
    yield from _brackets_of_confidence(gold, response, prompt)
    yield from ((gold, other) for other in _of_value(gold, text, prompt, is_boxed=is_boxed))
    if not is_boxed:
        plain = _plain(text)
        clause = _LAST_CLAUSE.split(plain)[-1]
        if polar := _polar(gold, clause):
            yield gold, polar
        if _MEANS.search(plain) and not OPEN.search(re.sub(r"\bcan (?!not\b)", "", clause)):
            yield from ((gold, other) for other in (clause, *_of_value(gold, clause, prompt, is_boxed=False)))
        for sentence in dict.fromkeys((plain, clause)):
            yield from ((gold, other) for other in _of_sentence(gold, sentence, prompt))
        yield from ((gold, other) for other in _of_lines(gold, response))


_POLAR_GOLD = re.compile(r"[\s$]*(?:\\text\s*\{\s*)?(yes|no|true|false)[\s}.$]*", re.IGNORECASE)
_POLAR = re.compile(r"(?:(?:so|thus|hence|therefore),?\s+)?(yes|no|true|false)\b\s*(?:[,;:—–]\s*(.*))?", re.IGNORECASE)
_OPPOSITE = {"yes": "no", "no": "yes", "true": "false", "false": "true"}


def _polar(gold: str, clause: str) -> str:
    """``no, the limit does not exist`` as no, where the question is one of yes and no; else empty."""
    found = _POLAR.fullmatch(clause) if _POLAR_GOLD.fullmatch(gold) else None
    if found is None or re.search(
        r"\b(?:yes|but|wait|however|actually|unless|if|maybe|perhaps|true|false|wrong)\b", found[2] or "", re.IGNORECASE
    ):
        return ""
    return found[1]


def is_opposite(gold: str, response: str) -> bool:
    """Whether the last clause begins with the other of yes and no: "so yes, there is no inverse" for no."""
    wanted = _POLAR_GOLD.fullmatch(gold)
    text, _ = _end(response) if wanted else ("", False)
    found = _POLAR.fullmatch(_LAST_CLAUSE.split(_plain(text))[-1]) if text and len(text) < 400 else None
    return bool(wanted and found and found[1].lower() == _OPPOSITE[wanted[1].lower()])


def without_purpose(response: str, prompt: str) -> str:
    """``It takes 12 weeks for the plant to be 30 cm tall.`` and ``986 is the largest multiple of 17.`` by the value alone.

    The numbers of what is left out must be the prompt's own.
    """
    text, is_boxed = _end(response) if prompt else ("", False)
    if not text or is_boxed or len(text) > 400:
        return response
    plain = _plain(text)
    if found := _PURPOSE.fullmatch(plain):
        kept, purpose, before = found["main"], found["purpose"] or "", found["before"]
    elif found := _NEEDED.fullmatch(plain):
        kept, purpose, before = f"It takes {found['value']}", found["rest"], ""
    elif found := _SUBJECT.fullmatch(_LAST_CLAUSE.split(plain)[-1]):
        kept, purpose, before = f"It is {found['value']}", found["rest"], ""
    else:
        return response
    if re.search(r"\b(?:minus|plus|times|divided|multiplied|squared|cubed)\b", purpose):
        return response
    named = set(extract.numbers(purpose))
    if (
        not named
        or not named <= set(extract.numbers(prompt))
        or OPEN.search(before)
        or OPEN.search(_BOUND.sub("", purpose))
    ):
        return response
    return f"{response[: response.rfind(text)]}{kept}."


_BOUND = re.compile(
    r"\b(?:less|greater|more|smaller|larger) than(?=\s+-?\d)|\b(?:below|above|at (?:least|most))(?=\s+-?\d)",
    re.IGNORECASE,
)
"""What a condition of the question may say: "the largest prime less than 50"."""


def _plain(text: str) -> str:
    """One line without marks of mathematics and of emphasis."""
    return re.sub(r"\s+", " ", re.sub(r"\$|\*\*|\\[,;: ]", " ", text)).strip(" .")


def _end(response: str) -> tuple[str, bool]:
    """The last sentence, or what is in the last box; empty where something stands behind it or takes it back."""
    boxes = extract.boxes(response)
    if boxes:
        start, end, content = boxes[-1]
        alone = not re.search(r"\w", response[end:]) and not re.search(
            r"\b(?:not|never)\W*$|n['’]t\W*$", response[:start]
        )
        return (content, True) if alone else ("", True)
    found, marked = extract.final_answer(response[-3_000:])
    if not marked:
        return extract.last_sentence(found), False
    behind = response[response.rfind(found) + len(found) :] if found in response else "?"
    return ("", False) if re.search(r"[\w?]", behind) else (found, False)


def _of_value(gold: str, text: str, prompt: str, *, is_boxed: bool) -> Iterator[str]:
    """A box or a last sentence that is the value, in other signs."""
    if is_boxed and re.search(r"\\text\s*\{[^{}]*[a-z]{2}", text) and not OPEN.search(text):
        said = re.sub(r"\s+", " ", re.sub(r"\\text\s*\{([^{}]*)\}", r" \1 ", text)).strip()
        yield from (said, *_of_sentence(gold, said, prompt), *(other for _, other in endings.others(gold, said)))
    if re.match(r"\s*[\[(\\].*,", gold) and _RELATION.search(text) and _VALUE_OF_FUNCTION.search(text):
        yield _VALUE_OF_FUNCTION.sub(" y ", text)
    if re.fullmatch(r"\s*\d+\s*", gold):
        yield from _of_integer(text, prompt)
    if re.search(r"/|\bper\b|mph|kmh", gold) and _PER_TIME.search(text):
        yield _PER_TIME.sub(" per ", text)
    elif (found := _TIME_PER_TIME.fullmatch(text)) and not re.search(r"/|\bper\b", gold):
        yield found["first"]


def _of_integer(text: str, prompt: str) -> Iterator[str]:
    if (found := _MODULO.search(text)) and re.search(r"\bremainder\b", prompt, re.IGNORECASE):
        rest, modulus = int(found[1]), int(found[2] or found[3])
        if rest < modulus and re.fullmatch(
            r"[\s$]*(?:[^,;]*(?:≡|\\equiv)\s*)?" + re.escape(found[0]) + r"[\s$.]*", text
        ):
            yield found[1]
    if found := _FROM_BASE.fullmatch(text.replace("$", "").strip(" .")):
        base = int(found[2] or ord(found[3]) - 0x2080)
        if 1 < base < 17 and len(found[1]) < 60 and set(found[1]) <= set("0123456789ABCDEF"[:base]):
            yield from [found[4]] if int(found[1], base) == int(found[4]) else []
    elif _IN_TEN.search(text) and not re.search(r"[=,;]", text):
        yield _IN_TEN.sub("", text)


def _of_sentence(gold: str, plain: str, prompt: str) -> Iterator[str]:
    """A last sentence, without marks of mathematics and emphasis."""
    if (found := _AFTER.fullmatch(plain)) and not OPEN.search(found["before"]):
        yield f"{found['value']} {found['unit']}"
    if (found := _WITH_NOUN.fullmatch(plain)) and not OPEN.search(found[0]) and _is_asked(found["noun"], prompt):
        yield found["value"]
    for pattern in (_GROUP, _ENDS_IN, _IN_WAYS):
        if (found := pattern.fullmatch(plain)) and not OPEN.search(found[0].replace("can be", "is")):
            yield found["value"]
    if not re.search(r"\d", gold) and (found := _DIVERGES.fullmatch(plain)) and not OPEN.search(found[0]):
        yield found["value"]
    if (found := _PURPOSE.fullmatch(plain)) and not (found["purpose"] and re.search(r"\d", found["purpose"])):
        yield from [] if OPEN.search(found["before"]) or OPEN.search(found["purpose"] or "") else [found["main"]]
    is_rounded = re.fullmatch(r"\s*-?\d*\.\d+\s*", gold) or _ASKS_TO_ROUND.search(prompt)
    if is_rounded and len(_ROUGHLY.findall(plain)) == 1 and not OPEN.search(_ROUGHLY.sub("", plain)):
        yield _ROUGHLY.sub("", plain)
    for pattern in (_SO_MANY, _IS_CHAIN):
        if "=" not in gold and (found := pattern.fullmatch(plain)) and not OPEN.search(found[0]):
            yield found["value"]


def _is_asked(noun: str, prompt: str) -> bool:
    """Whether the prompt asks for no such measure, or for this one: a diameter is no radius."""
    return not re.search(rf"\b{_NOUN}\b", prompt, re.IGNORECASE) or noun.lower() in prompt.lower()


def _of_lines(gold: str, response: str) -> Iterator[str]:
    """Worked lines, or steps joined by arrows, of which the last has the answer."""
    lines = [line.strip() for line in response[-2_000:].splitlines() if line.strip()]
    if len(lines) > 1 and _LAST_NAME.fullmatch(lines[-1]):
        yield lines[-1]
    parts = _ARROW.split(lines[-1].replace("$", "").strip(" .")) if lines else []
    last = _SOLVED.fullmatch(parts[-1]) if len(parts) > 2 and len(lines) < 2 and not _ARROW.search(gold) else None
    if (
        last
        and all(re.search(rf"(?<![A-Za-z\\]){last[1]}(?![A-Za-z])", part) for part in parts)
        and not OPEN.search(" ".join(parts))
    ):
        yield parts[-1]


def _brackets_of_confidence(gold: str, response: str, prompt: str) -> Iterator[tuple[str, str]]:
    """The ends of a confidence interval have probability nought: round brackets and square ones say the same."""
    pair = _PAIR.fullmatch(gold)
    if pair and re.search(r"\b(?:confidence|credible|prediction)\s+interval", prompt, re.IGNORECASE):
        yield f"[{pair[1]}, {pair[2]}]", response
        yield f"({pair[1]}, {pair[2]})", response
