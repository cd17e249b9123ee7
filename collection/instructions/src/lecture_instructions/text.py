"""What words, sentences and lines a text has: the definitions that the prompt states."""

import re
import unicodedata

LONGEST = 6000
"""Characters of a text; a longer one keeps nothing."""
_FENCE = re.compile(r"(```+|~~~+)[a-z]*\n(.*)\n\1", re.DOTALL)
_MARK = re.compile(r"[ \t]*(?:-|\d{1,2}[.)])[ \t]+(?=\S)")
_END = re.compile(r"(?<![.!?])[.!?]++(?=[\"”“»]?(?:\s|$))")
_OUTER = '.,!?;:"“”„«»<>()'


def clean(response: object) -> str:
    """The text that is judged: what follows ``</think>``, out of a code fence around all of it.

    Invisible characters, bold marks and other widths are removed. Empty for what is no text, or too long.
    """
    if not isinstance(response, str) or len(response) > 20 * LONGEST:
        return ""
    text = response.rsplit("</think>", 1)[-1]
    if len(text) > LONGEST:
        return ""
    text = unicodedata.normalize("NFKC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Cc") or char in "\n\t").strip()
    fenced = _FENCE.fullmatch(text)
    return (fenced[2] if fenced else text).replace("**", "").replace("__", "").strip()


def lines(text: str) -> list[str]:
    """The lines that hold something."""
    return [line.strip() for line in text.split("\n") if line.strip()]


def bare(line: str) -> str:
    """A line without its mark of a list."""
    found = _MARK.match(line)
    return line[found.end() :] if found else line


def words(text: str) -> list[str]:
    """The words, in lower case, without marks around them: what stands between spaces and has a letter or digit."""
    parts = (part for line in lines(text) for part in bare(line).replace(";", " ").split())
    return [part.strip(_OUTER).lower() for part in parts if any(map(str.isalnum, part))]


def pieces(text: str) -> list[str]:
    """The text cut behind every full stop, exclamation or question mark that ends a word, and behind every line."""
    found = []
    for line in map(bare, lines(text)):
        ends = [end.end() for end in _END.finditer(line)]
        found += [line[start:end].strip() for start, end in zip([0, *ends], [*ends, len(line)], strict=True)]
    return found


def sentences(text: str) -> list[str]:
    """The pieces that hold a word."""
    return [piece for piece in pieces(text) if words(piece)]
