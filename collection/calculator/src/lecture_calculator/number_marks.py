"""Numbers with the marks of other countries, as English ones. The same in gsm8k, calculator and change-making.

Only what can mean one number is changed: ``1.234.567`` and ``1.234,5`` (points for thousands), ``1'234``,
``12,34,567`` (lakhs), ``3,5`` (a comma before one or two last digits) and ``2.5 \\times 10^6``. ``1.234`` and ``1,234``
stay as they are.
"""

import re

_SPACE = "[ \u00a0\u202f\u2009]"
_NOT_INSIDE = r"(?<![\w.,'’/])"
_ENDS = r"(?![\w]|[.,'’]\d)"
_GROUPS = re.compile(
    rf"{_NOT_INSIDE}(?:\d{{1,3}}(?:\.\d{{3}}){{2,12}}(?:,\d{{1,20}})?|\d{{1,3}}(?:\.\d{{3}}){{1,12}},\d{{1,20}}"
    rf"|\d{{1,3}}(?:{_SPACE}\d{{3}}){{1,12}},\d{{1,2}}){_ENDS}"
)
_QUOTES = re.compile(
    rf"{_NOT_INSIDE}\d{{1,3}}(?:['’]\d{{3}}){{1,12}}{_ENDS}|{_NOT_INSIDE}\d{{1,3}}(?:['’]\d{{3}}){{1,12}}(?=\.\d)"
)
_LAKHS = re.compile(rf"{_NOT_INSIDE}\d{{1,2}}(?:,\d{{2}}){{1,8}},\d{{3}}{_ENDS}")
_DECIMAL_COMMA = re.compile(rf"{_NOT_INSIDE}(?<![(\[{{])(\d{{1,15}}),(\d{{1,2}}){_ENDS}(?!,| *[)\]}}])")
_THIN = re.compile(rf"{_NOT_INSIDE}\d{{1,3}}(?:(?:\\,|\\ |[\u00a0\u202f\u2009])\d{{3}}){{1,12}}{_ENDS}")
_POWER_OF_TEN = re.compile(
    r"(?<![\w.^)])(\d{1,20}(?:\.\d{1,20})?)\s*(?:\\times|\\cdot|×|·|\*)\s*10\s*(?:\^|\*\*)\s*\{?([-−]?\d{1,2})\}?(?!\d)"
)


def with_plain_marks(text: str) -> str:
    """``text`` with such numbers in the English way: ``1234567``, ``1234.5``, ``3.5``, ``2.5e6``."""
    text = _GROUPS.sub(lambda one: re.sub(rf"\.|{_SPACE}", "", one[0]).replace(",", "."), text)
    for grouped in (_QUOTES, _LAKHS, _THIN):
        text = grouped.sub(lambda one: re.sub(r"\D", "", one[0]), text)
    text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    return _POWER_OF_TEN.sub(lambda one: f"{one[1]}e{one[2].replace('−', '-')}", text)
