"""Source text as markup with three classes: ``keyword``, ``string``, ``comment``.

Written by strangers and shown to anybody, so the time it takes must be linear in the length of the text. Pygments' is
not: 40 kB of newlines and spaces take it 19 s (decision 15). Here every alternative of a pattern
keeps what it has scanned (possessive quantifiers, closing quotes optional at the end), so nothing is scanned twice.
"""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from markupsafe import Markup, escape

MOST_CHARACTERS = 200_000  # longer texts are shown without colours, to save time
_MOST_SPANS = 10_000  # colours of one text; what follows is plain
_CACHED_FILES = 32

_TRIPLE = r'[rRbBuUfF]{0,2}+(?:"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|' r"'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?)"
_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"?'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
_BACKTICK = r"`(?:[^`\\]|\\.)*+`?"
_HASH = r"\#[^\n]*+"
_SLASHES = r"//[^\n]*+"
_DASHES = r"--[^\n]*+"
_SEMICOLON = r";[^\n]*+"
_STAR = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_MARKUP_COMMENT = r"<!--(?:[^-]|-(?!->))*+(?:-->)?"


@dataclass(frozen=True)
class _Language:
    """How a language writes strings and comments, and its keywords."""

    pattern: re.Pattern[str]
    keywords: frozenset[str]


def _language(strings: list[str], comments: list[str], keywords: str = "") -> _Language:
    parts = [f"(?P<string>{'|'.join(strings)})"] if strings else []
    parts += [f"(?P<comment>{'|'.join(comments)})"] if comments else []
    parts += [r"(?P<word>\w++)", r"\s++|."]
    return _Language(re.compile("|".join(parts), re.DOTALL), frozenset(keywords.split()))


_C_WORDS = (
    "abstract any as async await break bool boolean case catch char class const continue default delete do double else "
    "enum export extends extern false final finally float fn for from func function if impl implements import in "
    "inline instanceof int interface let long loop match mod mut namespace new nil null number of override package "
    "private protected pub public return self short signed static string struct super switch template this throw trait "
    "true try type typedef typename typeof undefined union unsafe unsigned use using var virtual void volatile where "
    "while yield"
)
_SHELL_WORDS = (
    "case do done elif else esac export fi for function if in local readonly return select set then unset until while"
)
_SQL_WORDS = (
    "and as asc by case create cross delete desc distinct drop else end exists from full group having in inner insert "
    "into is join left like limit not null on or order outer primary right select set table then union unique update "
    "values when where with"
)
_CONSTANTS = "true false null yes no on off inf nan"
_PYTHON = _language([_TRIPLE, _DOUBLE, _SINGLE], [_HASH], " ".join([*keyword.kwlist, "match", "case"]))
_SHELL = _language([_DOUBLE, r"'[^']*+'?"], [_HASH], _SHELL_WORDS)
_DATA = _language([_TRIPLE, _DOUBLE, _SINGLE], [_HASH], _CONSTANTS)
_C = _language([_DOUBLE, _SINGLE, _BACKTICK], [_SLASHES, _STAR], _C_WORDS)
_JSON = _language([_DOUBLE], [], _CONSTANTS)
_INI = _language([_DOUBLE], [_HASH, _SEMICOLON], _CONSTANTS)
_SQL = _language([_SINGLE, _DOUBLE], [_DASHES, _STAR], f"{_SQL_WORDS} {_SQL_WORDS.upper()}")
_MARKUP = _language([_DOUBLE], [_MARKUP_COMMENT])
_LANGUAGES = {
    **dict.fromkeys(("python", "py", "py3", "python3", "pyi", "pycon"), _PYTHON),
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "console", "shell-session"), _SHELL),
    **dict.fromkeys(("toml", "yaml", "yml", "dockerfile", "makefile"), _DATA),
    **dict.fromkeys(("ini", "cfg", "conf"), _INI),
    **dict.fromkeys(("json", "jsonl", "json5"), _JSON),
    **dict.fromkeys(("js", "mjs", "javascript", "ts", "typescript", "tsx", "jsx", "java", "go", "rust", "rs"), _C),
    **dict.fromkeys(("c", "h", "cc", "cpp", "hpp", "c++", "cs", "csharp", "swift", "kotlin", "kt", "css"), _C),
    "sql": _SQL,
    **dict.fromkeys(("html", "xml", "svg"), _MARKUP),
}


def highlight(code: str, *, language: str = "", path: str = "", most_spans: int = _MOST_SPANS) -> Markup:
    """``code`` escaped, with spans of these three classes; plain where the language is unknown."""
    known = _language_of(language, path)
    if known is None or len(code) > MOST_CHARACTERS:
        return escape(code)
    return Markup("").join(_span(class_, text) for class_, text in _tokens(code, known, most_spans))


@lru_cache(_CACHED_FILES)
def highlighted_lines(code: str, path: str) -> tuple[Markup, ...]:
    """One markup a line, spans closed at each line's end, so that lines can be numbered and linked."""
    known = _language_of("", path)
    if known is None or len(code) > MOST_CHARACTERS:
        return tuple(escape(line) for line in code.splitlines())
    lines: list[list[Markup]] = [[]]
    for class_, text in _tokens(code, known, _MOST_SPANS):
        for index, piece in enumerate(text.split("\n")):
            if index:
                lines.append([])
            if piece:
                lines[-1].append(_span(class_, piece))
    if not lines[-1]:
        lines.pop()
    return tuple(Markup("").join(line) for line in lines)


def _tokens(code: str, language: _Language, most_spans: int) -> Iterator[tuple[str, str]]:
    """(class or empty, text) of ``code``, in order; neighbours of one class are one; at most so many have one."""
    running, since, spans = "", 0, 0
    for found in language.pattern.finditer(code):
        group = found.lastgroup or ""
        if group == "word":
            group = "keyword" if found.group() in language.keywords else ""
        if group != running:
            if found.start() > since:
                yield running, code[since : found.start()]
            running, since = group, found.start()
            spans += group != ""
            if spans > most_spans:
                running = ""
                break
    if since < len(code):
        yield running, code[since:]


def _span(class_: str, text: str) -> Markup:
    return Markup('<span class="{}">{}</span>').format(class_, text) if class_ else escape(text)


def _language_of(language: str, path: str) -> _Language | None:
    """The language by the name that a code block gives, else by the file's ending (or its name, if it has none)."""
    name = PurePosixPath(path)
    return _LANGUAGES.get((language or name.suffix.removeprefix(".") or name.name).lower())
