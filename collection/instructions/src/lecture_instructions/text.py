"""What words, sentences and lines a text has: the definitions that the prompt states."""

import re
import unicodedata

LONGEST = 6000
"""Characters of a text; a longer one keeps nothing."""
_WORD = re.compile(r"\d[\d.,]*[^\W_]*|[^\W\d_]+(?:['-][^\W\d_]+){0,2}|[^\W_]+")
_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]*_”’»]*+(?=\s|$)")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|Dr|Mr|Mrs|St|etc|approx|[A-Z])\.(?=\s)")
BULLET = re.compile(r"[ \t]*[-*•–—·][ \t]+(?=\S)")
NUMBER = re.compile(r"[ \t]*(?:\*\*)?(\d{1,2})[.):](?:\*\*)?[ \t]+(?=\S)")
TITLE = re.compile(r"<<[^<>\n]+>>")
_MARKS = (
    dict.fromkeys(map(ord, "‘’ʼ´`"), "'") | dict.fromkeys(map(ord, "‐‑‒"), "-") | dict.fromkeys(map(ord, "–—―"), " ")
)


def clean(response: object) -> str:
    """The text that is judged: what follows ``</think>``, with invisible characters and other widths removed.

    Empty for what is no text or longer than 6,000 characters.
    """
    if not isinstance(response, str) or len(response) > 20 * LONGEST:
        return ""
    text = response.rsplit("</think>", 1)[-1]
    if len(text) > LONGEST:
        return ""
    text = unicodedata.normalize("NFKC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Cc") or char in "\n\t").strip()


def lines(text: str) -> list[str]:
    """The lines that hold something."""
    return [line.strip() for line in text.split("\n") if line.strip()]


def bare(line: str) -> str:
    """A line without its mark of a list."""
    for mark in (BULLET, NUMBER):
        found = mark.match(line)
        if found:
            return line[found.end() :]
    return line


def words(text: str) -> list[str]:
    """The words, in lower case: letters and digits between spaces. Marks of lists are none; a dash parts words."""
    plain = "\n".join(map(bare, lines(text))).translate(_MARKS)
    return [word.lower() for word in _WORD.findall(plain)]


def sentences(text: str) -> list[str]:
    """The sentences: each ends with a full stop, an exclamation mark, a question mark, or its line."""
    found = []
    for line in map(bare, lines(text)):
        masked = _ABBREVIATED.sub(lambda match: match[0][:-1] + " ", line)
        start = 0
        for end in _END.finditer(masked):
            found.append(line[start : end.end()])
            start = end.end()
        found.append(line[start:])
    return [sentence.strip() for sentence in found if words(sentence)]


def letters_of(text: str) -> str:
    """The text without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
