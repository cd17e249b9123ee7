"""From a gold answer and a response to one verdict: find the answers, read them, compare them."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re

from lecture_math_answer import endings, extract, finishes, left_sides, rewordings, words
from lecture_math_answer.algebra import same_algebra
from lecture_math_answer.asked import is_other_form, ordered
from lecture_math_answer.beside import is_other_unit
from lecture_math_answer.chains import end_of_chain
from lecture_math_answer.clean import clean
from lecture_math_answer.compare import same_answer
from lecture_math_answer.conclusion import conclusion
from lecture_math_answer.cycles import same_cycles
from lecture_math_answer.described import same_description
from lecture_math_answer.distributions import same_distribution
from lecture_math_answer.equal import number_of, renamed
from lecture_math_answer.garbled import mended, without_extra_braces
from lecture_math_answer.labels import labelled
from lecture_math_answer.moments import same_moment
from lecture_math_answer.notation import plain_notation
from lecture_math_answer.number import same_value
from lecture_math_answer.phrases import same_phrase
from lecture_math_answer.reading import numbered_parts, quantities, readings, second_readings
from lecture_math_answer.residues import residues, same_residues
from lecture_math_answer.stated import is_retracted, is_stated, without_assurances
from lecture_math_answer.statements import same_statement

MAX_RESPONSE = 30_000
"""Characters from the end of a response that are looked at: the final answer is there."""


def judge(gold: str, response: str, *, prompt: str = "", any_names: bool = False) -> bool:
    """Is the response's final answer the gold answer?"""
    try:
        response = endings.without_question(endings.without_check(finishes.without_closing(response)), prompt)
        response = endings.without_others(_gold_text(gold), rewordings.without_purpose(response, prompt))
        mine = _gold_text(gold)
        if rewordings.is_opposite(mine, response) or finishes.are_other_parts(mine, response, prompt):
            return False
        if finishes.is_cut(mine, response) or finishes.names_another(mine, response, prompt):
            return False
        others = (*endings.others(mine, response), *rewordings.others(mine, response, prompt))
        pairs = ((gold, response), *others, *finishes.others(mine, response, prompt))
        return any(_judge(one, two, prompt, any_names=any_names) for one, two in pairs)
    except (
        RecursionError
    ):  # nested deeper than any answer: a null would leave the mean, so that it would pay to be unreadable
        return False


def _judge(gold: str, response: str, prompt: str, *, any_names: bool, concludes: bool = True) -> bool:
    gold_text = plain_notation(_with_money(_gold_text(gold)))
    response = _CURRENCY.sub(_with_currency, _with_money(_ITALIC.sub(r"\1", _without_long_gaps(response))))
    found, marked = extract.final_answer(response[-MAX_RESPONSE:])
    if marked and is_retracted(response[response.rfind(found) + len(found) :]):
        return False
    written = found
    found = plain_notation(without_extra_braces(_with_money(without_assurances(found))))
    if _EMPTY.fullmatch(gold_text) and re.search(r"\{\s*(?:\\(?:emptyset|varnothing)|∅)", found):
        return False  # the set that holds the empty set
    if re.match(r"[\s$]*y\s*=", gold_text):
        found = re.sub(r"^([\s$]*)y\s*\(\s*[xt]\s*\)\s*=", r"\1y=", found)
    if not re.sub(r"[\s{}$.,]|\\(?:text|boxed)\b", "", found) or _taken_back(response[-MAX_RESPONSE:], written):
        return False
    if is_other_unit(gold_text, found):
        return False
    is_denial = _says_no(found) and not _NEGATED.search(gold_text)
    says_no = is_denial and same_statement(gold_text, found) is None
    if not _states(found, gold_text) or (says_no and _PLAIN_NUMBER.fullmatch(gold_text.strip())):
        return False
    concluded = None if marked or not concludes else _concluded(gold, written, prompt, any_names=any_names)
    if concluded is not None:
        return concluded
    if says_no:
        return False
    values = left_sides.values(gold_text, _one_line(found, marked=marked))
    if values is None:
        return False
    gold_text, found = values[0], values[1] or found
    if _choice(gold_text, found) is not None:
        return bool(_choice(gold_text, found))
    if re.fullmatch(
        r"[A-Z]{3,}", words.squeezed(clean(gold_text))
    ):  # letters in an order: as a product they would commute
        return words.same_words(clean(gold_text), clean(found))
    for place in (found, *([] if marked else extract.fallbacks(found)[:2])):
        stated = _stated_otherwise(gold_text, place)
        if stated is not None:
            return stated
    phrase = same_phrase(gold_text, found if marked else extract.last_sentence(found))
    if phrase is not None:
        return phrase
    if _clauses_differ(gold_text, found):
        return False
    parts = numbered_parts(clean(gold_text)), numbered_parts(clean(found))
    if all(parts):  # (a) 5 (b) 7 is not (a) 7 (b) 5
        pairs = zip(*parts, strict=False)
        return len(parts[0]) == len(parts[1]) and all(
            _judge(one, two, prompt, any_names=any_names) for one, two in pairs
        )
    for candidate in _candidates(found, marked=marked, gold_is_words=not readings(gold_text)):
        verdict = _verdict(gold_text, candidate, prompt, any_names=any_names)
        if verdict is not None:
            return verdict
    spoken = [found] if marked else [found, *extract.fallbacks(found)[:1]]
    if any(words.same_words(clean(gold_text), clean(place)) for place in spoken if not _denied(place, found)):
        return True
    return _number_in_words(gold_text, found)


def _concluded(gold: str, text: str, prompt: str, *, any_names: bool) -> bool | None:
    """The verdict on the conclusion of an unmarked response; None where its whole text decides."""
    is_read = bool(readings(_gold_text(gold)))
    last = end_of_chain(text)
    if (
        last
        and not re.search(r"=|\\to(?![a-zA-Z])|→", gold)
        and _judge(gold, last, prompt, any_names=any_names, concludes=False)
    ):
        return True
    found = conclusion(text) if is_read or not re.search(r"\d", gold) else None
    if found is None or found.denied:
        return None if found is None else False
    if any(_judge(gold, place, prompt, any_names=any_names, concludes=False) for place in found.places):
        return True
    return False if found.decides and is_read and readings(found.places[0]) else None


def _one_line(found: str, *, marked: bool) -> str:
    """The answer, or the last line of an unmarked response where it is nothing but a formula; else empty."""
    if marked or "\n" not in found.strip():
        return found
    last = extract.last_sentence(found)
    return last if re.fullmatch(r"\s*(?:\$[^$]+\$|\\\(.+\\\))\s*\.?\s*", last) and "=" in last else ""


def _with_money(text: str) -> str:
    """One dollar sign and no pair of them around mathematics: it is money."""
    return re.sub(r"\$(?=\*{0,3}\d)", r"\\$", text) if len(re.findall(r"\$", text)) == 1 and "\\$" not in text else text


_ITALIC = re.compile(r"(?<![\w*_)\]}\\^$])_(-?\d[\d,.]{0,40})_(?![\w*{(])")
"""``_42_`` between underscores of emphasis: no index."""
_CURRENCY = re.compile(
    r"(?<![\w*.,–−-])(?:(?P<sign>[€£¥]|\\\$)\s?(?P<marks>\*{1,3}|_{2,3})(?P<number>-?\d[\d,.]{0,40})(?P=marks)"
    r"|(?P<set>\*{1,3}|_{2,3}|(?=-?\d))(?P<amount>-?\d[\d,.]{0,40})(?P=set)\s?(?P<behind>[€£¥])(?!\s*\d))"
)
"""An amount, perhaps in bold or italics, and a currency sign beside the marks."""


def _with_currency(match: re.Match[str]) -> str:
    """``**42**€`` as ``**€42**``: the sign stands before the number and within its marks."""
    sign, marks, number = (
        match.group("sign", "marks", "number") if match["sign"] else match.group("behind", "set", "amount")
    )
    marks = marks if len(marks) > 1 else ""  # a star alone multiplies
    minus = "-" if number.startswith("-") else ""
    return f"{marks}{minus}{sign}{number.removeprefix('-')}{marks}"


def _without_long_gaps(text: str) -> str:
    """With no run of white space above 7: several patterns read what is around a gap, each at a cost of its third power."""
    return re.sub(r"\s{8,}", lambda gap: "\n\n" if "\n" in gap[0] else "  ", text)


_NOT_BEFORE = re.compile(r"\b(?:not|isn't|never)\W*$", re.IGNORECASE)
_WRONG_BEHIND = re.compile(
    r"^\W*(?:(?:is|was|would be|seems)\s+(?:\w+\s+)?(?:wrong|incorrect|false|not\b)|(?:but|or)\s+(?:it\s+)?(?:could|might|may)\b)|^[\s$.)]*[❌✗✘✖🚫]",
    re.IGNORECASE,
)
_MARK_OF_DENIAL = re.compile(
    r"^[\s${]*(?:≠|!=|\\neq?(?![a-zA-Z])|\\not\s*=|¬|\\lnot\b|\\neg\b)|[❌✗✘✖🚫][\s.!]*$|\?\s*(?:no|nope|wrong)\b[\s.!]*$",
    re.IGNORECASE,
)


_NEGATED = re.compile(r"≠|!=|\\neq?(?![a-zA-Z])|\\not|¬|\\lnot\b|\\neg\b|\b(?:not?|never|none)\b", re.IGNORECASE)


def _says_no(text: str) -> bool:
    """``≠ 42``, ``42 ❌``, ``42? No.``, ``not quite 42``, ``I doubt that it is 42``: the value would be read without what
    stands beside it.
    """
    if _MARK_OF_DENIAL.search(text):
        return True
    number = extract.last_number(text)
    at = text.rfind(number) if number else -1
    return at >= 0 and _NO_BEFORE.search(text[max(0, at - 60) : at]) is not None


_EMPTY = re.compile(r"[\s$]*(?:\\(?:emptyset|varnothing)|∅)[\s$]*")
_PLAIN_NUMBER = re.compile(r"-?\d[\d,]*")


def _states(found: str, gold: str) -> bool:
    """Whether a plain number is given as the answer, where the gold answer is a whole one; elsewhere words may be part of it."""
    number = gold.strip()
    if not _PLAIN_NUMBER.fullmatch(number):
        return True
    same = list(re.finditer(rf"(?<![\w.]){re.escape(number)}(?![\w.]*\d)", found))
    before, behind = (found[: same[-1].start()], found[same[-1].end() :]) if same else ("", "")
    if re.search(r"\\[dt]?frac\s*\{?\s*$|[a-z]\s*\($", before):  # a fraction, or "forty-two (42)": read below
        return True
    before = _DECORATION.sub(" ", before)
    if before.rstrip(" $").endswith("−") or _ONE_MORE_BEFORE.search(before) or _ONE_MORE_BEHIND.match(behind):
        return False
    return is_stated(before, behind)


_DECORATION = re.compile(r"\\(?!neq?\b|approx|sqrt|not\b|lnot|neg\b|geq?\b|leq?\b|gt\b|lt\b|x?cancel)[a-zA-Z]+\s*\{?")
"""LaTeX commands that set a value and do not change it."""
_ONE_MORE_BEFORE = re.compile(r"\d[\s$\])}]*(?:[,;]|\bor\b|\band\b)\s*(?:[a-z]\s*=\s*)?[$({\[]*$", re.IGNORECASE)
_ONE_MORE_BEHIND = re.compile(r"[\s$\])}]*(?:[,;]|\bor\b|\band\b)\s*(?:[a-z]\s*=\s*)?[$({\[]*-?\d", re.IGNORECASE)
"""Another number beside it: a list is no plain number."""


def _taken_back(response: str, found: str) -> bool:
    """The words around the last box, or those in it, say that it is not the answer."""
    boxes = extract.boxes(response)
    if not boxes or boxes[-1][2].strip() != found.strip():
        return False
    start, end, content = boxes[-1]
    inside = re.match(r"\s*\\text\s*\{\s*not\b", content) is not None
    return inside or bool(_NOT_BEFORE.search(response[:start]) or _WRONG_BEHIND.match(response[end:]))


def _stated_otherwise(gold: str, found: str) -> bool | None:
    """The verdict where both sides are dates, times of day or classes of remainders; None where they are not."""
    one, two = clean(gold), clean(found)
    moment = same_moment(one, two)
    if moment is not None:
        return moment
    cycles = same_cycles(one, two)
    if cycles is not None:
        return cycles
    statement = same_statement(gold, found)
    if statement is None:
        statement = same_distribution(gold, found)
    if statement is None:
        statement = same_algebra(gold, found)
    if statement is not None:
        return statement
    described = same_description(one, two)
    if described is not None:
        return described
    classes = residues(one), residues(two)
    if classes[0] and classes[1] and (classes[0].is_stated or classes[1].is_stated):
        return same_residues(classes[0], classes[1])
    return None


def _number_in_words(gold: str, found: str) -> bool:
    """A gold sentence with one number in it (``decreased by 4 %``) beside that number."""
    numbers = extract.numbers(clean(gold))
    if _DESCRIBED.search(gold) or _other_direction(gold, found):
        return False
    if len(numbers) != 1 or readings(gold) or words.NEGATIONS & set(clean(gold).lower().split()):
        return False
    theirs = readings(found)
    return (
        bool(theirs)
        and number_of(labelled(theirs[0]).value) is not None
        and any(same_answer(one, theirs[0]) for one in readings(numbers[0]))
    )


_FALLS = re.compile(
    r"\b(?:decrease[sd]?|declin\w+|drop\w*|fall\w*|fell|reduc\w+|less|fewer|lower|loss|lost?)\b", re.IGNORECASE
)
_RISES = re.compile(
    r"\b(?:increase[sd]?|grow\w*|grew|rise[sn]?|rose|more|higher|gain\w*)\b|(?<![\w)}])\+\s*\d", re.IGNORECASE
)


def _other_direction(gold: str, found: str) -> bool:
    """One says that something falls, the other that it rises."""
    return any(one.search(gold) and other.search(found) for one, other in ((_FALLS, _RISES), (_RISES, _FALLS)))


_DESCRIBED = re.compile(
    r"\b(?:powers?|multiples?|divisible|congruent|modulo|squares of|more than|less than|greater|fewer)\b", re.IGNORECASE
)


_CLAUSE = re.compile(r"\b(?:where|such that|with|provided)\b(.*)$", re.DOTALL | re.IGNORECASE)
_TRIVIAL = frozenset(
    "any all some is are be an a the arbitrary constant constants real reals number numbers integer integers natural positive nonnegative parameter and or of in for each every".split()
)


def _clauses_differ(gold: str, found: str) -> bool:
    """Both state conditions in words, and not the same ones: nobody but a reader can tell."""
    clauses = [_CLAUSE.search(clean(text)) for text in (gold, found)]
    if not all(clauses):
        return False
    mine, theirs = (set(re.findall(r"[a-z]{2,}", clause[1].lower())) - _TRIVIAL for clause in clauses if clause)
    return bool(mine and theirs and mine != theirs)


def _gold_text(gold: str) -> str:
    """A gold answer may be a whole solution; a bare one is itself."""
    gold = mended(gold)
    if "\\boxed" in gold or "####" in gold or len(gold) > extract.BARE_LIMIT:
        return extract.final_answer(gold)[0]
    return gold


def _choice(gold: str, found: str) -> bool | None:
    """The verdict of a multiple-choice comparison; None where the gold is no choice."""
    mine = words.letter(clean(gold))
    if not mine:
        several = words.letters(clean(gold)), words.letters(clean(found))
        return (
            several[0] == several[1]
            if all(several) and any(re.search(r"[^A-Z]", clean(text)) for text in (gold, found))
            else None
        )
    theirs = words.letter(clean(found).rstrip("."))
    if theirs:
        return mine == theirs
    behind = words.behind_letter(clean(gold))
    if behind:
        return None if readings(behind) else words.same_words(behind, clean(found))
    return None


def _candidates(found: str, *, marked: bool, gold_is_words: bool) -> list[str]:
    """Texts to read as the answer, in order; the first that can be read decides."""
    places = [found]
    if gold_is_words:
        return places
    behind = words.behind_letter(clean(found))  # "(C) 5", where the gold answer is the value
    if behind:
        places.insert(0, behind)
    places += extract.fallbacks(found)
    number = extract.last_number(found if marked else found[-2000:])
    if number:
        places.append(number)
    return [place for place in places if not _denied(place, found)]


_NO_BEFORE = re.compile(
    r"(?:\bnot\s+(?:(?:be|equal|to|about|approximately|exactly|quite|really|actually|just)\s+)*"
    r"|\b(?:doubt|(?:don't|don’t|do not|cannot|can't) (?:think|believe)|unlikely)\b[^.;:\d\n]{0,40})[$\\(\s]*$",
    re.IGNORECASE,
)
_DENIAL_BEFORE = re.compile(
    r"(?:(?:\bnot|\bnicht|\bkein|\bno es|\bnon|\bpas|\bnão|\bне|\bniet|不是|并非|n't|\bnever|\bneither|\bcannot|\bcan not)\s*(?:(?:be|equal|to|about|approximately|exactly|quite|really|actually|the|simply|just|at|is|a|an)\s+)*"
    r"|\b(?:anything|everything|all)\s+(?:but|except)\s+|\b(?:more|less|greater|fewer|larger|smaller|higher|lower|other)\s+than\s+|\bat\s+(?:least|most)\s+)[$\\(\s]*$",
    re.IGNORECASE,
)
_DENIAL_BEHIND = re.compile(
    r"^\s*\$?\s*(?:is|are|was|would be|seems)\s+(?:\w+\s+)?(?:wrong|incorrect|false|not\b)", re.IGNORECASE
)


def _denied(place: str, found: str) -> bool:
    """The response says of this value that it is not the answer."""
    at = found.rfind(place)
    if at < 0:
        return False
    return bool(_DENIAL_BEFORE.search(found[max(0, at - 60) : at]) or _DENIAL_BEHIND.match(found[at + len(place) :]))


def _verdict(gold: str, candidate: str, prompt: str, *, any_names: bool) -> bool | None:
    """The verdict on one reading of the response; None where it cannot be read as mathematics."""
    theirs = readings(candidate) or quantities(candidate)
    if not theirs:
        return None
    gold_value = words.behind_letter(clean(gold)) or gold
    mine = (*readings(gold_value), *quantities(gold_value))
    if not mine:
        return None
    theirs = (*theirs, *second_readings(candidate), *quantities(candidate))
    if is_other_form(candidate, theirs[0], mine[0], prompt):
        return False
    mine, theirs = (tuple(ordered(node, prompt) for node in nodes) for nodes in (mine, theirs))
    if any_names:
        theirs = (*theirs, *(other for one in mine for two in theirs for other in renamed(one, two)))
    return any(
        same_answer(one, two) or (_is_rough(gold) and same_value(one, two, rough=True))
        for one in mine
        for two in theirs
    )


def _is_rough(gold: str) -> bool:
    """A percentage or a number marked as approximate has been rounded."""
    return "%" in gold or "\\approx" in gold or "≈" in gold or "approximately" in gold.lower()
