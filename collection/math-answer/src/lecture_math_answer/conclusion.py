"""What the last sentence of an unmarked response concludes with: ``…, so the slope is $-2$.``, ``Hence **x = 3**.``

A conclusion is the end of the last clause, behind words that introduce it ("so", "which gives", a colon, "is", "are"),
and all of that end: ``so $x = 3$ or $x = -2$`` concludes with two values. Where the clause denies it, supposes it or
says that it is only near, it is none. What stands before the last clause is never tried, so that naming values on the
way gains nothing.
"""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from dataclasses import dataclass

_MOST, _LONGEST = 1_500, 600
"""Characters of the end of a response that are looked at, and of its last sentence."""
_FORMULA = re.compile(
    r"\$\$(.{1,600}?)\$\$|\\\[(.{1,600}?)\\\]|\\\((.{1,600}?)\\\)|(?<!\\)\$([^$]{1,600}?)(?<!\\)\$", re.DOTALL
)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,200}?)(?<=\S)\*\*|(?<!\w)__(?=\S)([^_\n]{1,200}?)(?<=\S)__(?!\w)")
_FIRST_FORMULA, _FIRST_BOLD = 0xE000, 0xE400
_F, _B = "[\ue000-\ue3ff]", "[\ue400-\ue7ff]"
_SIGN = "[\ue000-\ue7ff]"
_SENTENCES = re.compile(rf"(?<=[.!?])\s+(?=[A-Z]|{_SIGN})|\s*\n\s*")
_LEAD = re.compile(
    r"(?:^|(?<=[\s,;.:—–(]))(?:(?:and|but|then)\s+)?"
    r"(?:so|thus|hence|therefore|consequently|accordingly|giving|(?:which |this |that |it )?(?:gives|yields|means|leaves|shows)|we (?:get|obtain|find|have|see|conclude)|it follows|i\.e\.|∴)"
    r"(?:\s+(?:us|me|that|then|only|finally|we (?:get|obtain|find|have)))*\s*[,:]?\s+"
    r"|(?<=\s)(?:⇒|→|=>|->)\s+"
    rf"|(?:(?<=\w\w)|(?<=\d)|(?<={_SIGN})|(?<=[)\]°²³]))[:;]\s+",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\b(?:gives|yields|giving)\b", re.IGNORECASE)
_COPULA = re.compile(
    r"^(.*)\b(?:is|are|was|were|be|equals?|becomes?|called|to|at|on|by|as|into|needs?|takes?|lasts?|costs?|weighs?|measures?|ha(?:s|ve)|makes it|it|value|form)(?:\s+(?:therefore|thus|hence|then|exactly|equal to|simply|just|given by|called|at|on|to|(?:the|an?) (?:interval|point|set|line|value)|(?-i:an?|the)|now))*\s+(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_OPENING = re.compile(
    r"^(?:(?:that|then|there (?:is|are)|(?:it|they|this|these) (?:is|are)|it's|only|(?-i:the|an?)|finally|overall|in total)\s+)+",
    re.IGNORECASE,
)
_REMARK = re.compile(
    rf"[\s,]*\(?\s*(?:for|with|where|when)\s+(?:(?:any|all|every|each|an|some|arbitrary)\s+)*(?:integers?\s+|real\s+|natural\s+|numbers?\s+|constants?\s+)*(?:[a-zA-Z]|{_F})?(?:\s+(?:is\s+)?(?:any|an|some|a|every)?\s*(?:integer|real number|real|constant|natural number|arbitrary))?\s*\)?$",
    re.IGNORECASE,
)
"""On the letter of a family of solutions: "for any integer n"."""
_CLAUSES = re.compile(
    r"[,;—–](?=\s|$)|\s-\s|\b(?:(?<!anything )(?<!everything )but|and|because|since|as)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not?|never|nowhere|none|neither|nor|cannot|unless|if|whether|would|could|might|may|should|wrong|false|incorrect|mistake\w*|tempting|suppose|supposing|assum\w+|imagine|undefined|impossible"
    r"|exclud\w*|exclusion|except\w*|ruled out|rejected|discarded|extraneous|only an?|approximat\w+|about|around|roughly|nearly|almost|anything|everything|other than|rather than|instead of|different from|unlike|unequal"
    r"|(?:many|most|some) (?:students|people|would)|common(?:ly)?|at first|first guess|naive\w*|guess\w*|claims?|seems?|appears?|(?:less|more|greater|fewer|larger|smaller|higher|lower|earlier|later|better|worse|faster) than"
    r"|at (?:least|most)|exceeds?|below|above|before|after|between|near|close to|short of|up to|multiples?|modulo|divisib\w+|half|twice|double|thrice|fail(?:s|ed)?|doubt\w*|either)\b|n['’]t\b|≠|\?",
    re.IGNORECASE,
)
_LOSES = re.compile(r"\b(?:by|as|into)\b", re.IGNORECASE)
"""``it falls by 49 %``: the words before are part of what is said."""
_REASON = re.compile(
    rf"(?<=[\d)]|{_SIGN}|[a-z²³])(?:,\s*|\s+)(?:because|since|as (?:we|the|it|there)|due to)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_ONE_MORE = re.compile(
    r"\bor\b|\bthe (?:other|second)\b|\banother\s+(?:is|one|solution|root|value|possib\w+|answer|candidate)\b",
    re.IGNORECASE,
)
_TWO = re.compile(r"\b(?:or|versus|vs|and|also|other|another|second)\b", re.IGNORECASE)
_UNITS = (
    r"(?:square|cubic|sq\.?|cu\.?)?\s*(?:[kcmµ]?m|[kcm]?g|m?l|s|h|min|km/h|m/s|mph|cm/s|°|°C|°F|Hz|N|J|W|V|k?Wh|kPa|Pa|L|mL|ft|in|yd|units?|degrees?|radians?|rad|dollars?|cents?|euros?|percent|%|per cent|hours?|minutes?|seconds?|days?|weeks?|years?|met(?:er|re)s?|(?:centi|kilo|milli)met(?:er|re)s?|(?:kilo)?grams?|lit(?:er|re)s?|miles?|feet|inches|ways?)"
    r"(?:\s*(?:\^?\{?[23]\}?|²|³))?(?:\s*/\s*[a-z]+(?:²|³|\^?\{?[23]\}?)?)?"
)
_JOINT = re.compile(rf"(?:\s|[,;=.]|\band\b|\bor\b|{_UNITS}(?![A-Za-z]))*", re.IGNORECASE)
_FORMULAS = re.compile(rf"(?:{_SIGN}{_JOINT.pattern})+", re.IGNORECASE)
_ALL_BUT = re.compile(
    rf"(?:all|every) (?:real )?(?:numbers?|values?|{_F})(?: {_F}| of {_F})? (?:except|but|other than)(?: for)? {_F}",
    re.IGNORECASE,
)
_FUNCTIONS = frozenset("and or pi sin cos tan ln log exp sqrt arcsin arccos arctan lim max min gcd lcm".split())
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")
_BEHIND_DENIED = re.compile(
    r"\b(?:not|wrong|false|incorrect|excluded|ruled out|rejected|discarded|impossible|extraneous|approximation|cannot|fails?|unless|if|too (?:large|small|big|much|many|high|low))\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_BEHIND_OPEN = re.compile(
    r"^\W*(?:is|are|was|were|would|does|do|can|has|only|but|or|nor)\b(?!\s+(?:the|our|my|your)\s+(?:final\s+)?(?:answer|result|value)\b)",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\s*[,(]\s*(?:half|twice|double|instead of|not|rather than|unlike|(?:more|less) than|compared)\b", re.IGNORECASE
)
_NOTHING = re.compile(
    r"^(?:the|this|that) (?:equation|system|inequality|function|problem|limit|curve|line|graph) (?:has|have) (no (?:real |integer |positive |rational )*(?:solutions?|roots?|limit|maximum|minimum|zeros?))$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"((?:[A-Za-z0-9'’-]+ ){{1,8}}(?:are|have|has|gives?|contains?) )({_F}) (?!(?:times|dozens|hundreds|thousands|millions|multiples|squares|cubes|or|and)\b)[a-z]+s"
)
"""``a set with 3 elements has $2^3 = 8$ subsets``: a number and what is counted."""
_PLACE = re.compile(r"(?:at|in|on|for|from|with|of)\b(?!.*\b(?:and|or|but|only)\b)", re.IGNORECASE | re.DOTALL)
"""Behind a bold word, where or of what it holds: "**continuous** at $x = 2$"."""
_DENYING = re.compile(
    r"^(?:it|this|that|we|they)\s+(?:is|are|do|does|can|could|have)(?:\s+not|n['’]t)\s+(?!hard|difficult|easy|necess|need)(?!.*\bbut\b)(?=.*=)",
    re.IGNORECASE | re.DOTALL,
)
"""A sentence that says of an equation that it does not hold."""
_POLAR = re.compile(
    r"^(?:(?:so|thus|hence|therefore),?\s+)?(yes|no|true|false)\b\s*(?:[,.;:!—–-]|$)(.*)$", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True)
class Conclusion:
    """``places``: what to read, the best first. ``denied``: the last clause takes its value back. ``decides``: a word
    such as "so" says that this is the conclusion, so that nothing else of the response is read.
    """

    places: tuple[str, ...] = ()
    denied: bool = False
    decides: bool = False


class _Signs:
    """The text with one character for each formula and each bold span, so that words are looked for between them."""

    def __init__(self, text: str) -> None:
        self.known: dict[str, str] = {}
        self.text = _BOLD.sub(self._bold, _FORMULA.sub(self._formula, text))

    def _formula(self, match: re.Match[str]) -> str:
        return self._sign(_FIRST_FORMULA, match[0])

    def _bold(self, match: re.Match[str]) -> str:
        inside = (match[1] or match[2]).strip()
        if re.search(r"[:,;]$", inside) or re.fullmatch(
            r"(?i)(?:so|thus|hence|therefore|conclusion|result|not?|never)\W*", inside
        ):
            return inside  # a heading, or a word of the sentence
        return self._sign(_FIRST_BOLD, inside)

    def _sign(self, first: int, text: str) -> str:
        sign = chr(first + min(len(self.known), 0x3FF))
        self.known[sign] = text
        return sign

    def back(self, text: str) -> str:
        for _ in range(2):  # a formula in a bold span
            text = re.sub(_SIGN, lambda one: self.known.get(one[0], ""), text)
        return text


def conclusion(text: str) -> Conclusion | None:
    """The conclusion of an unmarked response; None where none can be told from its words."""
    signs = _Signs(text[-_MOST:].strip())
    lines = [line for line in _SENTENCES.split(signs.text) if line.strip(" .*_$")]
    tail = lines[-1].strip() if lines else ""
    if len(tail.strip(" .!")) < 2 or len(tail) > _LONGEST:
        return None
    polar = _POLAR.match(signs.back(tail))
    if polar:
        is_alone = len(lines) < 2 and not _LEAD.match(tail)
        return None if is_alone or _contradicts(polar) else Conclusion((signs.back(tail), polar[1]))
    parted = _last_clause(tail)
    if parted is None:
        return None
    clause, by_word = parted
    if clause == tail and _DENYING.match(signs.back(tail)):
        return Conclusion(denied=True)
    found = _of_clause(clause.strip(" .!"), signs, is_all=clause == tail)
    if found is None:
        return None
    places = tuple(signs.back(place).strip() for place in found.places)
    is_chain = any(place.count("=") > 1 and not re.search(r",|\b(?:or|and)\b", place) for place in places)
    decides = found.decides and not is_chain and (by_word or _COMPARED.search(tail) is not None)
    return Conclusion(places, found.denied, decides)


def _contradicts(polar: re.Match[str]) -> bool:
    """``Yes, but no``: it says both."""
    other = {"yes": "no|false", "true": "no|false", "no": "yes|true", "false": "yes|true"}[polar[1].lower()]
    return bool(re.search(rf"\b(?:{other}|but|unless|if)\b", polar[2], re.IGNORECASE))


def _last_clause(tail: str) -> tuple[str, bool] | None:
    """What follows the last mark of a conclusion, and whether that is a word; None where there are several."""
    marks = [mark for mark in _LEAD.finditer(tail) if tail[mark.end() :].strip(" .!")]
    if not marks:
        return tail, False
    last = marks[-1]
    if _ONCE.search(last[0]) and len(_ONCE.findall(tail)) > 1:
        return None  # one value in each of several cases
    if last[0].strip() == ":" and any(mark[0].strip() == ":" for mark in marks[:-1]):
        return None  # named parts
    if last[0].lstrip()[:1] == ";" and not re.match(
        r"\s*(?:the|so|thus|hence|therefore)\b", tail[last.end() :], re.IGNORECASE
    ):
        return None
    return tail[last.end() :], _WORD.search(last[0]) is not None


def _of_clause(clause: str, signs: _Signs, *, is_all: bool) -> Conclusion | None:
    clause = _REASON.sub("", clause)
    bold = re.findall(_B, clause)
    if len(bold) == 1:
        return _of_bold(clause, clause.index(bold[0]), signs)
    if len(bold) > 1 and not _FORMULAS.fullmatch(clause[clause.index(bold[0]) :]):
        return None
    remark = _REMARK.search(clause)
    body = clause[: remark.start()] if remark and re.search(_SIGN, clause[: remark.start()]) else clause
    whole = _OPENING.sub("", body)
    if not is_all and _is_answer(whole):
        return Conclusion((whole,), decides=True)
    nothing = _NOTHING.search(body)
    if nothing and not bold:
        return Conclusion((nothing[1],))
    match = _COUNTED.fullmatch(body)
    if match and not _DENIED.search(match[1]):
        return Conclusion((match[2],))
    match = _COPULA.match(body)
    if match is None or not _is_answer(match[2]):
        return _last_sum(body, signs)
    before = match[1]
    segment = _CLAUSES.split(before)[-1]
    if _DENIED.search(segment) or _DENIED.search(match[0][len(before) : match.start(2)]):
        return Conclusion(denied=True) if re.search(_SIGN + r"|\d", match[2]) and _STRONG.search(segment) else None
    if _ONE_MORE.search(before):
        return None
    return Conclusion((match[2],), decides=not _LOSES.search(match[0][len(before) : match.start(2)]))


def _last_sum(body: str, signs: _Signs) -> Conclusion | None:
    r"""``$2+\frac13=\frac73$, and $1+\frac37=\frac{10}{7}$``: the last of several sums."""
    match = re.search(rf"(?:,|\band\b|,\s*and)\s*({_F})$", body)
    if match is None or not re.search(_F, body[: match.start()]):
        return None
    is_sum = "=" in signs.back(match[1]) and not re.search(
        r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", signs.back(match[1]))
    )
    return Conclusion((match[1],)) if is_sum else None


_STRONG = re.compile(
    r"\b(?:nowhere|never|unless|tempting|undefined|suppose|supposing|wrong|incorrect|ruled out|excluded|n['’]t)\b",
    re.IGNORECASE,
)


def _of_bold(clause: str, at: int, signs: _Signs) -> Conclusion | None:
    """One bold span in the last clause: what stands around it must not deny it."""
    before, behind = clause[:at], clause[at + 1 :].strip(" .!,:)")
    segment = _CLAUSES.split(before)[-1]
    if re.fullmatch(r"(?i).*\bwould (?:be|have)\s*", segment) and not re.search(r"(?i)\bif\b|tempting", before):
        segment = ""  # politely: "the answer would be"
    if _DENIED.search(segment):
        return Conclusion(denied=True)
    if re.search(r"\b(?:or|and)\s*$", before, re.IGNORECASE):
        return Conclusion(denied=True)  # one of two
    if _ONE_MORE.search(segment) or re.search(r"[<>≤≥≈~^]\s*$", before):
        return None
    if not behind or _COMPARED.match(clause[at + 1 :]):
        return Conclusion((clause[at],), decides=True)
    if _BEHIND_DENIED.search(behind):
        return Conclusion(denied=True)
    if _BEHIND_OPEN.match(behind):
        return None
    if not re.search(r"\d|\$|=", signs.back(clause[at])) and _PLACE.match(behind):
        return Conclusion((clause[at],))
    if re.search(rf"{_SIGN}|\d|\b(?:or|and|not|but)\b", behind) or len(behind.split()) > 6:
        return None
    return Conclusion((f"{clause[at]} {behind}", clause[at]))


def _is_answer(text: str) -> bool:
    """Nothing but formulas, joined and with their units; or a few words."""
    text = text.strip(" .")
    if not text or len(text) > 300:
        return False
    if _FORMULAS.fullmatch(text):
        return True
    if _ALL_BUT.fullmatch(text):
        return True
    if re.search(_F, text):
        return False
    words = [word for word in _WORD.findall(text) if word.lower() not in _FUNCTIONS]
    if re.search(r"\d|=", text) or not words:
        return all(re.fullmatch(_UNITS, word, re.IGNORECASE) for word in words)
    return len(text.split()) <= 4 and not _DENIED.search(text) and not _TWO.search(text)
