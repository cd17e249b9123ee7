"""Gate ``tells``: the subject is named, each fact is stated, and no other number stands there."""

import re

from lecture_instructions.text import letters_of, sentences

_CUES = {
    "year": r"",
    "person": r"design|architect|plan|drew|draw|built|build|creat|by|work of|mind|conceiv|sketch",
    "size": r"",
    "visitors": r"visit|guest|people|come|welcom|tourist|draw|attract",
    "town": r"",
    "colour": r"",
}
"""What must stand in the sentence of a fact, beside its value."""
_DENIED = re.compile(
    r"\b(?:not (?!only|just|merely|far|to be missed)|no (?!doubt|wonder|less|fewer|secret|better|trip|visit)|"
    r"never (?!forget|fail|tire|miss|regret|close|stop)|nobody|none|neither|nor|hardly|false|untrue|wrong|"
    r"myth|lie|maybe|perhaps|possibly|allegedly|supposedly|unless|might|instead|deny|denies|denied|"
    r"except|without being|pretend)\b|n't\b(?! (?:just|only|merely|miss|forget))|\?"
)
_ENDED = re.compile(r"\b(?:clos|burn|destroy|demolish|collaps|renovat|restor|rebuil|after|before|until)\w*")
"""What a year that stands beside it is not the opening of."""
_BOUND = r"(?<!than )(?<!under )(?<!below )(?<!twice )(?<!half )(?<!times )"
"""What makes another number of the one that follows."""
_NUMBER = re.compile(r"\d+(?:[, ]\d{3})*(?:\.\d+)?")


def plain(text: str) -> str:
    """Lower case without accents, marks and curly signs."""
    return re.sub(r"[*_~`]", "", letters_of(text).lower().replace("’", "'"))


def facts_told(text: str, facts: dict[str, str]) -> list[str]:
    """The kinds of facts that some sentence states without denying or doubting it."""
    stated = [sentence for sentence in map(plain, sentences(text)) if not _DENIED.search(sentence)]
    return [kind for kind, value in facts.items() if any(_states(each, kind, value.lower()) for each in stated)]


def tells(text: str, name: str, facts: dict[str, str]) -> bool:
    """Whether the text names its subject, states every fact and no other number."""
    whole = plain(text)
    named = re.search(rf"\b{re.escape(name.lower())}\b", " ".join(whole.split()))
    return bool(named) and len(facts_told(text, facts)) == len(facts) and _numbers(text) <= _allowed(facts)


def _states(sentence: str, kind: str, value: str) -> bool:
    if kind == "year" and _ENDED.search(sentence):
        return bool(
            re.search(
                rf"(?:open|built|found|start|began|date|complet|construct|establish)\w*(?: \w+){{0,4}} {value}\b",
                sentence,
            )
        )
    return bool(re.search(_pattern(kind, value), sentence) and re.search(_CUES[kind], sentence))


def _pattern(kind: str, value: str) -> str:
    """The value in any of its spellings, where it can mean this fact."""
    if kind == "size":
        return rf"{_BOUND}(?<![\d.,]){value.split(maxsplit=1)[0]}(?:\.0+)?[ -]?(?:met(?:re|er)s?|m)\b"
    if kind == "year":
        return rf"(?<![\d.,]){value}(?!\d|[.,]\d|[ -]?(?:m\b|met(?:re|er)|people|visit|guest|tourist))"
    if kind == "visitors":
        number = value.split(maxsplit=1)[0].replace(",", "")
        return (
            _BOUND + rf"(?<!\bin )(?<!since )(?<![\d.,]){number[:-3]}[,' .]?{number[-3:]}"
            rf"(?!\d|[.,]\d|[ -]?(?:m\b|met(?:re|er)))"
        )
    return rf"\b{re.escape(value)}\b"


def _numbers(text: str) -> set[float]:
    """Every number in digits, marks of lists left out."""
    found = _NUMBER.findall(" ".join(_unmarked(text)))
    return {float(re.sub(r"[, ]", "", number)[:15]) for number in found}


def _unmarked(text: str) -> list[str]:
    return [re.sub(r"(?<=\d)[.'](?=\d{3}\b)", "", sentence) for sentence in sentences(text)]


def _allowed(facts: dict[str, str]) -> set[float]:
    found = [_NUMBER.search(facts[kind]) for kind in ("year", "size", "visitors") if kind in facts]
    return {float(number[0].replace(",", "")) for number in found if number}
