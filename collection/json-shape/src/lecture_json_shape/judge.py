"""The verdict: is it JSON, does it fit, and does every value say what the text says."""

import re
import unicodedata
from collections import Counter
from decimal import Decimal

from lecture_json_shape.reading import Json, NoJson, fits, read

_DURATION = re.compile(r"PT(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?")
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])[^\s@]+")
"""A word with letters and digits, which is no address: ``Qx7b`` and ``qX7b`` open different doors."""
NOTHING = {"parses": 0.0, "valid": 0.0, "faithful": 0.0, "fields": 0.0}


def verify(task: dict, response: str) -> dict:
    """The gates ``parses`` and ``valid``, and ``faithful`` and ``fields``."""
    try:
        value = read(response)
    except NoJson:
        return NOTHING
    valid = fits(task["info"]["schema"], value)
    if not valid:
        return NOTHING | {"parses": 1.0}
    given, right = Counter(leaves(value)), Counter(leaves(task["answer"]))
    matched = (given & right).total()
    return {
        "parses": 1.0,
        "valid": 1.0,
        "faithful": float(given == right),
        "fields": matched / max(given.total(), right.total()),
    }


def leaves(value: Json, path: tuple = ()) -> list[tuple]:
    """Every value with the way to it; an empty list or object is a value as well.

    Numbers and durations count by value, texts without doubled spaces and, unless they are codes, without case.
    """
    if value in ([], {}):
        return [(path, ("empty", type(value).__name__))]
    if isinstance(value, dict):
        return [leaf for name, each in value.items() for leaf in leaves(each, (*path, name))]
    if isinstance(value, list):
        return [leaf for place, each in enumerate(value) for leaf in leaves(each, (*path, place))]
    return [(path, _plain(value))]


def _plain(value: Json) -> tuple:
    if isinstance(value, str):
        duration = _DURATION.fullmatch(value)
        if duration and int(duration[2] or 0) < 60:
            return "minutes", 60 * int(duration[1] or 0) + int(duration[2] or 0)
        text = unicodedata.normalize("NFC", value).replace("’", "'")
        text = re.sub(" +", " ", text).strip(" ")
        return "text", text if _CODE.fullmatch(text) else text.casefold()
    if isinstance(value, bool) or value is None:
        return "word", str(value)
    return "number", Decimal(str(value)).normalize() + 0
