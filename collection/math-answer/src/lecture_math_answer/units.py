"""Units of measure: what the words behind a number mean, and whether two of them agree."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from fractions import Fraction

_SCALES: dict[str, dict[str, str]] = {
    # dimension: unit spellings -> size in the dimension's base unit
    "length": {"mm millimeter millimetre": "1/1000", "cm centimeter centimetre": "1/100", "dm decimeter decimetre": "1/10", "m meter metre": "1",
               "km kilometer kilometre": "1000", "in inch": "127/5000", "ft foot feet": "381/1250", "yd yard": "1143/1250", "mi mile": "201168/125"},
    "mass": {"mg milligram": "1/1000", "g gram gramme": "1", "kg kilogram kilo": "1000", "t ton tonne": "1000000", "lb pound": "45359237/100000", "oz ounce": "45359237/1600000"},
    "time": {"ms millisecond": "1/1000", "s sec second": "1", "min minute": "60", "h hr hour": "3600", "day": "86400", "week": "604800"},
    "months": {"month": "1", "year yr": "12"},
    "length^2": {"ha hectare": "10000"},
    "length^3": {"ml milliliter millilitre cc": "1/1000000", "l liter litre": "1/1000"},
    "money": {"cent ¢": "1/100", "dollar usd buck": "1"},
    "money2": {"euro eur": "1"},
    "money3": {"yuan rmb": "1", "jiao": "1/10", "fen": "1/100"}, "money4": {"sterling gbp quid": "1"}, "money5": {"yen jpy": "1"}, "money6": {"rupee inr": "1"},
    "angle": {"degree deg": "1", "radian rad": "57"},
    "celsius": {"c celsius": "1"},
    "fahrenheit": {"f fahrenheit": "1"},
    "charge": {"coulomb": "1"}, "force": {"n newton": "1", "kn kilonewton": "1000"}, "energy": {"j joule": "1", "kj kilojoule": "1000", "wh watthour": "3600", "kwh": "3600000"}, "pressure": {"pa pascal": "1", "kpa kilopascal": "1000"},
    "frequency": {"hz hertz": "1", "khz kilohertz": "1000"}, "voltage": {"v volt": "1", "kv kilovolt": "1000"}, "power": {"w watt": "1", "kw kilowatt": "1000"},
    "halfday": {"am": "1"}, "halfday2": {"pm": "1"},
}  # fmt: skip

_UNITS = {
    name: (dimension, Fraction(size))
    for dimension, names in _SCALES.items()
    for spellings, size in names.items()
    for name in spellings.split()
}
Measure = tuple[str, Fraction]
"""Dimension, and size in the base unit of the dimension."""
_FILLER = frozenset(
    "the a an of in is are total each about approximately exactly only per unit units value long tall wide away ago old away more less left apart altogether".split()
)


def singular(word: str) -> str:
    """A rough singular, enough to see that days and day are one."""
    word = word.lower()
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def measure(text: str) -> Measure | None:
    """(dimension, size in base units) of a unit such as ``cm^2``, ``square feet`` or ``km/h``; None when not known."""
    text = re.sub(r"^degrees?\s+(?=[cf])", "", text.lower()).replace("{", "").replace("}", "").replace("\\", "").strip()
    text = re.sub(r"\s*\b([a-z]+)\s*\^\s*-\s*(\d)", r"/\1^\2", text)
    text = re.sub(r"\bper\b", "/", text).replace("mph", "mile/hour").replace("kmh", "km/h")
    text = re.sub(r"\s+(?=/)|(?<=/)\s+", "", text)
    top, _, bottom = text.partition("/")
    first = _powered(top)
    if not bottom:
        return first
    second = _powered(bottom)
    if first is None and second is not None and (noun := re.fullmatch(r"\s*([a-z]{3,})\s*", top)):
        first = (singular(_SAME_THING.get(noun[1], noun[1])), Fraction(1))  # "people per km^2"
    return None if first is None or second is None else (f"{first[0]}/{second[0]}", first[1] / second[1])


_PREFIXES = {
    "kilo": 1000,
    "mega": 10**6,
    "giga": 10**9,
    "hecto": 100,
    "milli": Fraction(1, 1000),
    "micro": Fraction(1, 10**6),
}
_SAME_THING = {"inhabitants": "people", "persons": "people", "residents": "people", "person": "people"}


def _prefixed(word: str) -> Measure | None:
    """``kilopascal`` and ``megajoule``: a prefix, and a unit in full."""
    for prefix, scale in _PREFIXES.items():
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) > 3 and rest in _UNITS:
            dimension, size = _UNITS[rest]
            return dimension, size * scale
    return None


def _powered(text: str) -> Measure | None:
    match = re.fullmatch(r"\s*(?:(square|sq|cubic)\s+)?([a-z¢]+)\s*(?:\^?\s*(\d)|\s(squared|cubed))?\s*", text)
    if match is None or match[2] == "has":  # no plural of ha
        return None
    unit = _UNITS.get(match[2]) or _UNITS.get(singular(match[2])) or _UNITS.get(re.sub(r"e?s$", "", match[2]))
    unit = unit or _prefixed(singular(match[2]))
    if unit is None:
        return None
    power = {"square": 2, "sq": 2, "cubic": 3, "squared": 2, "cubed": 3}.get(
        match[1] or match[4] or "", int(match[3] or 1)
    )
    return (unit[0] + (f"^{power}" if power > 1 else ""), unit[1] ** power)


def factor(gold: str, response: str) -> Fraction | None:
    """What the response's number is multiplied by to be in the gold's unit; None: the units do not go together.

    A unit on one side only says nothing against the other; two unknown units must share a word.
    """
    if not gold or not response:
        return Fraction(1)
    one, two = measure(gold), measure(response)
    if one and two and {one, two} == {_UNITS["pound"], _UNITS["sterling"]}:
        return Fraction(1)
    if one and two:
        return two[1] / one[1] if one[0] == two[0] else None
    if _two_sorts(gold, response):
        return None
    mine, theirs = _words(gold), _words(response)
    if not mine or not theirs or mine & theirs:
        return Fraction(1)
    if bool(one) != bool(two):  # "square units" beside "cm^2" is no contradiction; "apples" beside "km" is
        return Fraction(1) if {"unit", "square", "cubic"} & (mine | theirs) else None
    return None


def _two_sorts(gold: str, response: str) -> bool:
    """``red marbles`` beside ``blue marbles``: one noun, and another word before it."""
    one, two = (re.findall(r"[a-z]{2,}", text.lower()) for text in (gold, response))
    return (
        len(one) == len(two) == 2
        and singular(one[1]) == singular(two[1])
        and not ({one[0], two[0]} & _FILLER)
        and one[0] != two[0]
    )


def _words(text: str) -> set[str]:
    return {singular(word) for word in re.findall(r"[a-z]{2,}", text.lower())} - _FILLER
