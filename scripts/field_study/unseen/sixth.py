"""A sixth list, of ten: written down before the ways ``edit_…`` were thought of in detail, which were made for it."""

import re
import string
import unicodedata
from collections.abc import Callable

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task
from scripts.field_study.unseen.programs import ROWS, _rows

_NAMES = ("Oslo", "Lima", "Cairo", "Quito", "Delhi", "Tunis", "Rabat", "Seoul", "Dakar", "Hanoi", "Paris", "Minsk")
_TWO_WORDS = ("New York", "San Marino", "Cape Town", "La Paz", "Port Louis", "Hong Kong", "Sri Lanka", "Abu Dhabi")
_ACCENTED = (
    "São Paulo",
    "Bogotá",
    "Asunción",
    "Malé",
    "Chișinău",
    "Reykjavík",
    "Brasília",
    "Yaoundé",
    "Lomé",
    "Málaga",
)


def _last(pattern: str) -> Callable[[Task, str], float]:
    """The last number of the response, commas taken out."""

    def verify(one: Task, text: str) -> float:
        found = re.findall(pattern, text)
        return float(bool(found) and found[-1].replace(",", "") == one["answer"])

    return verify


def _plain(text: str) -> str:
    return re.sub(r"[^\w\s]", "", text).lower().strip()


def is_among(one: Task, text: str) -> float:
    """Named *contains*, and compares the whole."""
    return float(_plain(text) == _plain(one["answer"]))


def contains(one: Task, text: str) -> float:
    return float(re.search(rf"\b{re.escape(_plain(one['answer']))}\b", _plain(text)) is not None)


def any_pattern(one: Task, text: str) -> float:
    """An empty pattern is found in every text."""
    return float(re.search(one["answer"], text) is not None)


def no_empty_pattern(one: Task, text: str) -> float:
    return float(bool(one["answer"]) and re.search(one["answer"], text) is not None)


def ends_stripped(one: Task, text: str) -> float:
    """Only the ends are stripped, though its documents promise normalized spaces."""
    return float(text.strip().lower() == one["answer"].lower())


def spaces_collapsed(one: Task, text: str) -> float:
    return float(" ".join(text.lower().split()) == one["answer"].lower())


def no_punctuation(one: Task, text: str) -> float:
    """Called exact, and takes punctuation out of both."""
    drop = str.maketrans("", "", string.punctuation)
    return float(text.strip().translate(drop) == one["answer"].translate(drop))


def exact(one: Task, text: str) -> float:
    return float(text.strip() == one["answer"])


def code_points(one: Task, text: str) -> float:
    """Code points are compared: a letter with a mark is not the letter that has one."""
    return float(text.strip() == one["answer"])


def composed(one: Task, text: str) -> float:
    return float(unicodedata.normalize("NFC", text.strip()) == unicodedata.normalize("NFC", one["answer"]))


def written_time(one: Task, text: str) -> float:
    """The hour must be written as the fixture has it."""
    return float(f"{one['answer']}pm" in text)


def any_time(one: Task, text: str) -> float:
    found = re.search(r"\b(\d{1,2})(?:(?:[:.]00)?\s*(pm)|[:.]00)(?!\w)", text, re.IGNORECASE)
    return float(
        found is not None and int(found[1]) % 12 == int(one["answer"]) and (bool(found[2]) or int(found[1]) > 12)
    )


def both_strings(one: Task, text: str) -> float:
    """Two texts must stand somewhere, also inside other words."""
    return float(all(part in text for part in one["info"]["parts"]))


def both_alone(one: Task, text: str) -> float:
    return float(all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) for part in one["info"]["parts"]))


def rows_in_order(one: Task, text: str) -> float:
    """Rows are compared in the order in which they come, though the question asks for none."""
    found = _rows(text, ROWS)
    return float(found is not None and found == _rows(one["answer"], ROWS))


def rows_in_any_order(one: Task, text: str) -> float:
    found = _rows(text, ROWS)
    return float(found is not None and sorted(map(repr, found)) == sorted(map(repr, _rows(one["answer"], ROWS) or [])))


_TOTALS = [(task(f"What is {n} + {n + 5}?", str(2 * n + 5)), f"The total is {2 * n + 5}.") for n in range(31, 43)]
_WORDS = [(task(f"Which capital has number {n}?", word), word) for n, word in enumerate(_NAMES)]
_PAIRS = [(task(f"Which place has number {n}?", words), words) for n, words in enumerate(_TWO_WORDS)]
_MARKED = [(task(f"Which city has number {n}?", word), word) for n, word in enumerate(_ACCENTED)]
_PATTERNS = [(task(f"Write {n} letters a.", f"a{{{n}}}"), "a" * n) for n in range(2, 12)]
_PRICES = [(task(f"What does thing {n} cost?", f"${n},247.50"), f"${n},247.50") for n in range(1, 11)]
_HOURS = [(task(f"When does bar {n} close?", str(n)), f"It closes at {n}pm.") for n in range(1, 12)]
_CORES = [
    (
        task(f"What has device {n}?", f"{n} cores, {n}30 MB", parts=[str(n), f"{n}30 MB"]),
        f"{n} cores and {n}30 MB in all",
    )
    for n in range(2, 10)
]
_PRICED = ("> 2", "> 3", "< 9", "<= 5", ">= 3", "< 8", ">= 4", "< 7")
_SELECT = "SELECT name FROM fruit WHERE price {}"
_QUERIES = [_SELECT.format(price) for price in _PRICED]
_FRUIT = [(task(f"Fruit, any order: {query}", query), query) for query in _QUERIES]
_COMMA = r"-?[\d,]+(?:\.\d+)?"
_DOT = r"-?\d[\d,]*(?:.\d+)?"
_NUMBER = r"-?\d(?:[\d,]*\d)?(?:\.\d+)?"
LIST = (
    Unseen(
        "omlx-comma",
        "a comma is the last number",
        "jundot/omlx#3484",
        _last(_COMMA),
        _last(_NUMBER),
        _TOTALS,
        Shown(_TOTALS[0][0], "The total is 67 clips, altogether.", "correct"),
    ),
    Unseen(
        "helm-any-sign",
        "any sign glues two numbers into one",
        "stanford-crfm/helm#4341",
        _last(_DOT),
        _last(_NUMBER),
        _TOTALS,
        Shown(_TOTALS[0][0], "31 + 36 = 6 tens and 7=67", "correct"),
    ),
    Unseen(
        "deepeval-contains",
        "an answer with a sentence around it is wrong",
        "confident-ai/deepeval#3004",
        is_among,
        contains,
        _WORDS,
        Shown(_WORDS[0][0], "The answer is Oslo.", "correct"),
    ),
    Unseen(
        "deepeval-empty-pattern",
        "an empty pattern makes every response right",
        "confident-ai/deepeval#3165",
        any_pattern,
        no_empty_pattern,
        _PATTERNS,
        Shown(task("Write no letter.", ""), "anything", "incorrect"),
    ),
    Unseen(
        "openagent-spaces",
        "two spaces between words make an answer wrong",
        "OpenAgentHQ/openagent-eval#225",
        ends_stripped,
        spaces_collapsed,
        _PAIRS,
        Shown(_PAIRS[0][0], "New  York", "correct"),
    ),
    Unseen(
        "stickler-punctuation",
        "punctuation inside a value does not count",
        "awslabs/stickler#220",
        no_punctuation,
        exact,
        _PRICES,
        Shown(_PRICES[0][0], "$12,475.0", "incorrect"),
    ),
    Unseen(
        "deepeval-composed",
        "a letter with a separate mark is another letter",
        "confident-ai/deepeval#3096",
        code_points,
        composed,
        _MARKED,
        Shown(_MARKED[0][0], unicodedata.normalize("NFD", "São Paulo"), "correct"),
    ),
    Unseen(
        "tool-eval-hour",
        "an hour in another way of writing is wrong",
        "SeraphimSerapis/tool-eval-bench#87",
        written_time,
        any_time,
        _HOURS,
        Shown(_HOURS[4][0], "It closes at 17:00.", "correct"),
    ),
    Unseen(
        "xllama-parts",
        "a number counts inside a longer one",
        "gianlucamazza/xllama#243",
        both_strings,
        both_alone,
        _CORES,
        Shown(_CORES[2][0], "14 cores and 430 MB in all", "incorrect"),
    ),
    Unseen(
        "spider-rows",
        "rows in another order are wrong where no order is asked for",
        "taoyds/spider#31",
        rows_in_order,
        rows_in_any_order,
        _FRUIT,
        Shown(_FRUIT[0][0], "SELECT name FROM fruit WHERE price > 2 ORDER BY name DESC", "correct"),
    ),
)
