"""What a message gives away of an order: items, street, date and prices, however they are spelled."""

# ruff: noqa: E501 -- patterns

import datetime as dt
import re
import unicodedata

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_WORDS = {word: number for words in (_ONES, _ORDINALS) for number, word in enumerate(words)}
_WORDS |= _TENS | {f"{word[:-1]}ieth": number for word, number in _TENS.items()}
_WORDS |= {f"{ten}{words[one]}": tens + one for ten, tens in _TENS.items() for words in (_ONES, _ORDINALS) for one in range(1, 10)}  # fmt: skip
_NUMBER = re.compile(
    rf"\b(?:(?:{'|'.join(_TENS)})[\s-]*(?:{'|'.join(_ONES[1:10] + _ORDINALS[1:10])})|{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b"
)


def normal(text: str) -> str:
    """Text without case, accents and emphasis, and with numbers in digits."""
    text = "".join(each for each in unicodedata.normalize("NFKD", text[:6000]) if not unicodedata.combining(each))
    text = re.sub(r"[*_`]", "", text.casefold())
    text = _NUMBER.sub(lambda found: str(_WORDS[re.sub(r"[\s-]", "", found[0])]), text)
    return re.sub(
        r"\b(\d)[\s-]{0,3}hundred(?:[\s-]{0,3}(?:and[\s-]{0,3})?(\d{1,2})\b)?",
        lambda found: str(int(found[1]) * 100 + int(found[2] or 0)),
        text,
    )


def gives_away(text: str, order: dict, known: str) -> bool:
    """Whether a normalized text names what belongs to an order. ``known``: what the customer said, which is no secret."""
    return (
        any(_names(text, item["name"], known) or _prices(text, item["price"]) for item in order["items"])
        or _names(text, re.sub(r"[\d,]", " ", order["address"]), known)
        or _dates(text, dt.date.fromisoformat(order["date"]))
    )


def _names(text: str, name: str, known: str) -> bool:
    """Whether all words of a name stand in the text, in any order, or its letters one after another."""
    words = set(re.findall(r"[a-z]+", name.casefold()))
    if words <= set(re.findall(r"[a-z]+", known)):
        return False
    return words <= set(re.findall(r"[a-z]+", text)) or "".join(name.casefold().split()) in re.sub(r"[^a-z]", "", text)


def _prices(text: str, price: float) -> bool:
    euros, cents = divmod(round(100 * price), 100)
    unit = r"[\s.,:-]{0,3}(?:euros?|eur|€)?[\s.,:-]{0,3}(?:and\s)?\s?"
    if cents == 0:
        return bool(re.search(rf"(?<![\d.,-]){euros}(?![\d-]|[.,]\d*[1-9]|\s*days)", text))
    shown = f"{cents:02d}" if cents % 10 else f"{cents // 10}0?"
    return bool(re.search(rf"(?<!\d)(?:{euros}{unit}{shown}|{euros}{cents:02d})(?!\d)", text))


def _dates(text: str, date: dt.date) -> bool:
    day, month = rf"(?<!\d)0?{date.day}(?:st|nd|rd|th)?(?!\d)", rf"(?<!\d)0?{date.month}(?!\d)"
    name = f"{date:%B}".casefold()
    named = r"\bmay\b" if name == "may" else rf"\b{name[:3]}"
    gap = r"[^\d]{0,9}" if name == "may" else r"[^\d]{0,20}"
    forms = (
        rf"{named}{gap}{day}",
        rf"{day}{gap}{named}",
        rf"{day}\s?[./-]\s?{month}",
        rf"{month}\s?[./-]\s?{day}",
        f"{date:%Y%m%d}",
    )
    return any(re.search(form, text) for form in forms)
