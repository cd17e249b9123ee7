"""Source text as markup with three classes: keywords, strings, comments."""

from typing import Any

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Operator, String
from pygments.util import ClassNotFound

MOST_CHARACTERS = 200_000  # beyond it, colour is not worth the time; the text is shown plainly
_CLASSES: tuple[tuple[Any, str], ...] = (
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String, "s"),
    (Comment, "cm"),
)


def highlight(code: str, *, language: str = "", path: str = "") -> Markup:
    """``code`` escaped, with spans of class ``k``, ``s`` and ``cm``; plain where the language is unknown."""
    lexer = _lexer(language, path)
    if lexer is None or len(code) > MOST_CHARACTERS:
        return escape(code)
    parts = []
    for kind, text in lexer.get_tokens(code):
        class_ = _class_of(kind)
        safe = escape(text)
        parts.append(f'<span class="{class_}">{safe}</span>' if class_ else str(safe))
    return Markup("".join(parts))  # noqa: S704 -- every token is escaped above


def highlighted_lines(code: str, path: str) -> list[Markup]:
    """One markup a line, spans closed at each line's end, so that lines can be numbered and linked."""
    lexer = _lexer("", path)
    if lexer is None or len(code) > MOST_CHARACTERS:
        return [escape(line) for line in code.splitlines()]
    lines: list[list[str]] = [[]]
    for kind, text in lexer.get_tokens(code):
        class_ = _class_of(kind)
        for index, piece in enumerate(text.split("\n")):
            if index:
                lines.append([])
            if piece:
                lines[-1].append(f'<span class="{class_}">{escape(piece)}</span>' if class_ else str(escape(piece)))
    if not lines[-1]:
        lines.pop()
    return [Markup("".join(line)) for line in lines]  # noqa: S704 -- every token is escaped above


def _class_of(kind: Any) -> str:
    """The class of a token's kind; kinds are sets of their subkinds, which Pygments' types do not say."""
    return next((name for kinds, name in _CLASSES if kind in kinds), "")


def _lexer(language: str, path: str) -> Lexer | None:
    options: dict[str, Any] = {"stripnl": False, "ensurenl": False}
    try:
        found = get_lexer_by_name(language, **options) if language else get_lexer_for_filename(path, **options)
    except ClassNotFound:
        return None
    return None if isinstance(found, TextLexer) else found
