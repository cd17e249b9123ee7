r"""Units that are quotients of symbols: ``8.9\ \frac{\text{g}}{\text{cm}^3}``, ``8.9 g cm^{-3}`` and ``8.9 g/cm³``."""

import re

_SYMBOLS = {
    "kg": "kilograms", "g": "grams", "mg": "milligrams", "t": "tonnes",
    "km": "kilometers", "m": "meters", "cm": "centimeters", "mm": "millimeters", "mi": "miles", "ft": "feet",
    "L": "liters", "l": "liters", "mL": "milliliters", "ml": "milliliters",
    "s": "seconds", "min": "minutes", "minutes": "minutes", "h": "hours",
    "N": "newtons", "J": "joules", "W": "watts",
}  # fmt: skip
_ONE = "|".join(sorted(_SYMBOLS, key=len, reverse=True))
_POWER = r"(?:\s*\^\s*\{?\s*(?P<%s>\d)\s*\}?)?"
_AMOUNT = (
    r"(?P<amount>(?:\\?[a-zA-Z]+\s*=\s*)?-?\d[\d.,]*(?:\s*(?:\\times|\\cdot)\s*10\s*\^\s*(?:\{\s*-?\d+\s*\}|-?\d+))?)"
)
_WRITTEN = (
    rf"\\frac\s*\{{\s*(?P<top>{_ONE})\s*\}}\s*\{{\s*(?P<under>{_ONE}){_POWER % 'power'}\s*\}}",
    rf"(?P<top>{_ONE})\s*/\s*(?P<under>{_ONE}){_POWER % 'power'}",
    rf"(?P<top>{_ONE})\s+(?P<under>{_ONE})\s*\^\s*\{{?\s*-\s*(?P<power>\d)\s*\}}?",
)
_FORMS = [re.compile(rf"\s*{_AMOUNT}\s*{unit}\s*\.?\s*") for unit in _WRITTEN]


def in_words(plain: str) -> str:
    """A number with such a unit and nothing else, its unit in words (``8.9 grams/centimeters^3``); else empty."""
    for form in _FORMS:
        found = form.fullmatch(plain)
        if found:
            power = "" if found["power"] in (None, "1") else f"^{found['power']}"
            return f"{found['amount']} {_SYMBOLS[found['top']]}/{_SYMBOLS[found['under']]}{power}"
    return ""
