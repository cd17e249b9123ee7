"""Tables and a question about them, by a seed, and the right answer, calculated with fractions."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from random import Random

_TEXTS = tomllib.loads((Path(__file__).parent / "wordings.toml").read_text())
SPLITS = ("train", "validation", "test")
LEVELS = {
    "count": "easy", "largest": "easy", "total": "medium", "mean": "medium", "share": "medium", "ties": "medium",
    "missing": "hard", "mixed": "hard", "spread": "hard", "join": "hard",
}  # fmt: skip
_ROUNDED = ("mean", "missing", "spread", "share")
_DIGITS = {1: "one decimal", 2: "two decimals"}
Row = dict[str, str]


@dataclass(frozen=True)
class Table:
    """Named rows; every value is a text, an empty one is missing. ``units`` names the units of columns."""

    name: str
    columns: tuple[str, ...]
    units: dict[str, str]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Question:
    """One question, and what is right."""

    family: str
    prompt: str
    tables: dict[str, Table]
    values: tuple[str, ...]
    """A number as it is to be written, or the names."""
    unit: str
    """The unit that was asked for; empty for names and counts."""

    @property
    def is_number(self) -> bool:
        return self.family not in ("largest", "ties")

    @property
    def first(self) -> Table:
        """The table that the question is about."""
        return next(iter(self.tables.values()))

    @property
    def thing(self) -> str:
        """The column that names the rows."""
        return self.first.columns[0]


@dataclass
class Draft:
    """A table while it is made for one family, and the words for its question."""

    family: str
    domain: dict
    random: Random
    rows: list[Row]
    words: dict[str, object]
    rates: dict[str, int]
    digits: int
    """Decimals of a rounded answer."""

    @property
    def chosen(self) -> list[Row]:
        """The rows of the category that is asked about."""
        return [row for row in self.rows if row[self.domain["category"]] == self.words["c"]]

    def numbers(self, rows: list[Row], measure: str = "size") -> list[int]:
        """The values of ``size`` or ``other``, without missing ones."""
        name = self.domain[measure]["name"]
        return [int(row[name]) for row in rows if row[name]]


def domains_of(split: str) -> list[dict]:
    """What the tables of a split are about."""
    domains: list[dict] = _TEXTS[split]
    return domains


def words_of(name: str, split: str) -> str:
    """The question of a family in the words of a split."""
    text: str = _TEXTS["questions"][name][SPLITS.index(split)]
    return text


@lru_cache(maxsize=256)  # a group of samples is about one question
def make_question(split: str, seed: int, index: int) -> Question:
    """Question ``index`` of ``split``: the same for the same arguments."""
    family, random = list(LEVELS)[index % len(LEVELS)], Random(f"table-questions:{split}:{seed}:{index}")
    draft = _draft(family, random.choice(domains_of(split)), random)
    values, unit = _ANSWERS[family](draft)
    words = draft.words
    prompt = words_of(family, split).format(**words)
    if family in _ROUNDED:
        prompt += " " + words_of("rounding", split)
    return Question(family, prompt, _tables(draft), values, unit)


def _draft(family: str, domain: dict, random: Random) -> Draft:
    """Rows with a label, a category and two measures; about a tenth of the second is missing."""
    size, other, kinds = domain["size"], domain["other"], domain["values"]
    labels = random.sample(range(100, 999), random.randint(22, 34))
    rows = []
    for place, label in enumerate(labels):
        kind = kinds[place % 4] if place < 16 else random.choice(kinds)  # four of each kind at least
        missing = random.random() < 0.12
        rows.append({
            domain["thing"]: f"{domain['prefix']}{label}",
            domain["category"]: kind,
            size["name"]: str(random.randint(size["low"], size["high"])),
            other["name"]: "" if missing else str(random.randint(other["low"], other["high"])),
        })  # fmt: skip
    random.shuffle(rows)
    c, c2 = random.sample(kinds, 2)
    digits = random.choice((1, 2))
    words = {
        "thing": domain["thing"], "category": domain["category"], "c": c, "c2": c2, "size": size["name"],
        "unit": size["unit"], "asked": size["asked"], "other": other["name"], "other_asked": other["asked"],
        "rates": domain["rates"], "digits": _DIGITS[digits], "x": (size["low"] + size["high"]) // 2,
    }  # fmt: skip
    rates = dict(zip(kinds, random.sample(range(2, 29), 4), strict=True))
    return Draft(family, domain, random, rows, words, rates, digits)


def _tables(draft: Draft) -> dict[str, Table]:
    domain = draft.domain
    size, other, category = domain["size"], domain["other"], domain["category"]
    columns = (*draft.rows[0],)
    units = {size["name"]: size["unit"], other["name"]: other["unit"]}
    if draft.family == "mixed":
        units.pop(size["name"])
    rates = tuple({category: kind, "rate": str(rate)} for kind, rate in draft.rates.items())
    made = (
        Table(domain["table"], columns, units, tuple(draft.rows)),
        Table(domain["rates"], (category, "rate"), {"rate": f"cent per {size['unit']}"}, rates),
    )
    return {table.name: table for table in made}


# -- answers ----------------------------------------------------------------------------------------------------------


def _count(draft: Draft) -> tuple[tuple[str, ...], str]:
    return (str(sum(value > draft.words["x"] for value in draft.numbers(draft.chosen))),), ""


def _largest(draft: Draft) -> tuple[tuple[str, ...], str]:
    name = draft.domain["size"]["name"]
    top = draft.random.choice(draft.rows)
    top[name] = str(max(draft.numbers(draft.rows)) + draft.random.randint(1, 9))
    return (top[draft.domain["thing"]],), ""


def _total(draft: Draft) -> tuple[tuple[str, ...], str]:
    size = draft.domain["size"]
    return (written(Fraction(sum(draft.numbers(draft.chosen)), size["per"])),), size["asked"]


def _mean(draft: Draft) -> tuple[tuple[str, ...], str]:
    """In every second task the mean is exactly a half of the last digit."""
    size, chosen, digits = draft.domain["size"], draft.chosen, draft.digits
    step = Fraction(len(chosen) * size["per"], 10**digits)
    if draft.random.random() < 0.5 and step.denominator == 1 and step.numerator % 2 == 0:
        total = sum(draft.numbers(chosen))
        more = (total // step.numerator + 1) * step.numerator + step.numerator // 2 - total
        chosen[0][size["name"]] = str(int(chosen[0][size["name"]]) + more)
    mean = Fraction(sum(draft.numbers(chosen)), len(chosen) * size["per"])
    return (rounded(mean, digits),), size["asked"]


def _share(draft: Draft) -> tuple[tuple[str, ...], str]:
    part = Fraction(sum(draft.numbers(draft.chosen)), sum(draft.numbers(draft.rows)))
    return (rounded(100 * part, 0),), "%"


def _ties(draft: Draft) -> tuple[tuple[str, ...], str]:
    name = draft.domain["other"]["name"]
    top = str(max(draft.numbers(draft.chosen, "other"), default=100) + draft.random.randint(1, 9))
    first = draft.random.sample(draft.chosen, draft.random.choice((2, 3)))
    for row in first:
        row[name] = top
    stranger = next(row for row in draft.rows if row not in draft.chosen)
    stranger[name] = top  # of another category: not asked for
    return tuple(sorted(row[draft.domain["thing"]] for row in first)), ""


def _missing(draft: Draft) -> tuple[tuple[str, ...], str]:
    other, chosen = draft.domain["other"], draft.chosen
    for row in draft.random.sample(chosen, 2):
        row[other["name"]] = ""
    mean = Fraction(sum(draft.numbers(chosen, "other")), len(chosen) * other["per"])
    return (rounded(mean, draft.digits),), other["asked"]


def _mixed(draft: Draft) -> tuple[tuple[str, ...], str]:
    size = draft.domain["size"]
    name, column = size["name"], f"{size['name']}_unit"
    total = Fraction(sum(draft.numbers(draft.chosen)), size["per"])
    asked = draft.chosen
    large = draft.random.sample(asked, len(asked) // 2) + draft.random.sample(draft.rows, 5)
    for row in draft.rows:
        is_large = row in large
        row[column] = size["asked"] if is_large else size["unit"]
        row[name] = written(Fraction(int(row[name]), size["per"])) if is_large else row[name]
    return (written(total),), size["asked"]


def _spread(draft: Draft) -> tuple[tuple[str, ...], str]:
    numbers, digits = draft.numbers(draft.chosen), draft.digits
    mean = Fraction(sum(numbers), len(numbers))
    variance = sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)
    exact = Context(prec=60)
    root = exact.sqrt(exact.divide(Decimal(variance.numerator), Decimal(variance.denominator)))
    return (rounded(Fraction(root), digits),), draft.domain["size"]["unit"]


def _join(draft: Draft) -> tuple[tuple[str, ...], str]:
    category = draft.domain["category"]
    cents = 0
    for kind in (draft.words["c"], draft.words["c2"]):
        of_kind = [row for row in draft.rows if row[category] == kind]
        cents += draft.rates[str(kind)] * sum(draft.numbers(of_kind))
    return (written(Fraction(cents, 100)),), "EUR"


_ANSWERS: dict[str, Callable[[Draft], tuple[tuple[str, ...], str]]] = {
    "count": _count, "largest": _largest, "total": _total, "mean": _mean, "share": _share, "ties": _ties,
    "missing": _missing, "mixed": _mixed, "spread": _spread, "join": _join,
}  # fmt: skip


def rounded(value: Fraction, digits: int) -> str:
    """With so many decimals, a half away from zero."""
    exact = Context(prec=80).divide(Decimal(value.numerator), Decimal(value.denominator))
    return str(exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def written(value: Fraction) -> str:
    """A terminating decimal, exactly; any other with 12 digits."""
    exact = Context(prec=40).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{exact.normalize():f}" if Fraction(exact) == value else f"{exact:.12g}"
