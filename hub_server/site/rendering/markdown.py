"""Renders a stranger's Markdown as markup that can neither run code, load anything, nor break the page around it."""

import re
import sys
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import table
from markdown_it.token import Token
from markupsafe import Markup, escape

from hub_server.site.rendering.highlighter import highlight
from hub_server.site.rendering.readme_files import find_file

_TAGS = {"a", "p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em"} | {
    "strong", "s", "del", "table", "thead", "tbody", "tr", "th", "td", "span", "div", "sup", "sub", "img"
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "th": {"scope"}, "ol": {"start"}, "pre": {"tabindex"}, "div": {"tabindex"}} | {
    "img": {"src", "alt", "loading"}
}
_CLASSES = {"span": {"keyword", "string", "comment", "dim"}, "div": {"scroll"}, "table": {"data"}}
_SCHEMES = {"http", "https", "mailto"}
MOST_README_CHARACTERS = 60_000  # chosen, not measured
_README_WORK = _PAGE_WORK = 200_000
"""What formatting a README may cost, and all posts of a page, in the work of ordinary characters (decision 37)."""
_LINE_WORK, _MARK_WORK = 60, 18
"""A line costs as much as 60 ordinary characters, a character that may begin markup as 18: measured on texts that were
made to be slow.
"""
_MOST_COLOURS = 5000  # spans of all blocks of code of one text; what follows is plain
_MARKS = re.compile(r"[^\w\s.,;:/]|_")
_CACHED_READMES = 128
_CACHED_NOTES = 256
_CACHED_POSTS = 256
_IN_LINK = "in_link"
_MOST_FILLED_CELLS = 1000
"""Cells that short rows of a table get beyond those that were typed. The parser's own bound is 65,536, for which ten
kilobytes cost 1.4 s of CPU and a megabyte of markup; a page shows thirty such texts.
"""
setattr(sys.modules[table.__module__], "MAX_AUTOCOMPLETED_CELLS", _MOST_FILLED_CELLS)  # noqa: B010 -- it has no option
_LINK_REL = "nofollow noopener noreferrer ugc"


def render_markdown(
    text: str,
    *,
    link_base: str = "",
    drop_title: str = "",
    link_to: Callable[[str], str | None] | None = None,
    anchors: bool = False,
    images: Collection[str] = (),
    first_level: int = 2,
) -> Markup:
    """``text`` as sanitised HTML.

    Headings begin at ``first_level``, below the page's own, and leave out no level, whatever the text does; a first
    heading that repeats ``drop_title`` is left out. Of images those that the release holds (``images``: their paths
    in the wheel) are shown, from beside ``link_base``; the others become their alternative text, with a link: nothing
    is loaded from elsewhere. Relative links lead to ``link_base``, or where ``link_to`` says (None: nowhere).
    ``anchors`` gives headings an id, for documents of our own: a stranger's could hide one of the page's.
    """
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").enable("strikethrough")
    tokens = parser.parse(text)
    tokens = _without_title(tokens, drop_title)
    _rank_headings(tokens, first_level)
    for token in tokens:
        _lead_links(token, link_base, link_to)
    if anchors:
        _name_headings(tokens)
    env = {"images": frozenset(images), "link_base": link_base, "colours": _MOST_COLOURS}
    html = _Renderer(parser).render(tokens, parser.options, env)
    return Markup((_OWN_CLEANER if anchors else _CLEANER).clean(html))  # noqa: S704 -- this is the sanitiser's output


@lru_cache(_CACHED_READMES)
def render_readme(text: str, *, link_base: str, drop_title: str, images: tuple[str, ...] = ()) -> tuple[Markup, bool]:
    """A README as markup, and whether it was cut: only the first ``MOST_README_CHARACTERS`` are shown.

    ``link_base``: the address of the release's code. ``images``: paths in the wheel that may be shown.
    A text whose formatting would cost more than ``_README_WORK`` is cut there as well. Results are kept.
    """
    most = min(MOST_README_CHARACTERS, _most_characters(text[:MOST_README_CHARACTERS], _README_WORK))
    is_cut = len(text) > most
    if is_cut:
        shown = text[:most]
        text = shown[: shown.rfind("\n") + 1] or shown
    return render_markdown(text, link_base=link_base, drop_title=drop_title, images=images), is_cut


@lru_cache(_CACHED_NOTES)
def render_notes(text: str, *, link_base: str, first_level: int) -> Markup:
    """What a changelog says of one release, as markup. Kept, as READMEs are."""
    return render_markdown(text, link_base=link_base, first_level=first_level)


@lru_cache(_CACHED_POSTS)
def render_post(text: str) -> Markup:
    """A post of a discussion as markup. Results are kept. A page that shows many asks :func:`affordable`."""
    return render_markdown(text)


def affordable(texts: Sequence[str]) -> list[bool]:
    """Which of a page's texts are formatted: the cheapest, as many as ``_PAGE_WORK`` pays for."""
    works = [sum(map(_work_of, text.splitlines())) for text in texts]
    left, found = _PAGE_WORK, [False] * len(texts)
    for at in sorted(range(len(texts)), key=works.__getitem__):
        left -= works[at]
        found[at] = left >= 0
    return found


def as_typed(text: str) -> Markup:
    """The text without any formatting."""
    return Markup('<pre tabindex="0"><code>{}</code></pre>').format(text)


def _most_characters(text: str, most_work: int) -> int:
    """How many characters from the start on cost no more than ``most_work`` to format."""
    work = at = 0
    for line in text.splitlines(keepends=True):
        work += _work_of(line)
        if work > most_work:
            return at or most_work // (1 + _MARK_WORK)
        at += len(line)
    return at


def _work_of(line: str) -> int:
    return _LINE_WORK + len(line) + _MARK_WORK * len(_MARKS.findall(line))


class _Renderer(RendererHTML):
    """Code blocks are coloured and can be scrolled by keyboard; tables scroll; images are the release's, or text."""

    def fence(self, tokens: Sequence[Token], idx: int, _options: object, env: MutableMapping[str, Any]) -> str:
        token = tokens[idx]
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        coloured = highlight(token.content, language=language, most_spans=env["colours"])
        env["colours"] -= coloured.count("<span")
        return f'<pre tabindex="0"><code>{coloured}</code></pre>\n'

    def code_block(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return f'<pre tabindex="0"><code>{escape(tokens[idx].content)}</code></pre>\n'

    def table_open(self, *_: object) -> str:
        return '<div class="scroll" tabindex="0"><table class="data">\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"

    def image(self, tokens: Sequence[Token], idx: int, _options: object, env: Mapping[str, Any]) -> str:
        words = tokens[idx].content or "without a description"
        src = str(tokens[idx].attrs.get("src", ""))
        path = find_file(unquote(src), env["images"])
        if path is not None:
            place = f"{env['link_base'].removesuffix('/code')}/images/{quote(path)}"
            return f'<img src="{escape(place)}" alt="{escape(tokens[idx].content)}" loading="lazy">'
        text = f'<span class="dim">[image: {escape(words)}]</span>'
        href = _target(src, env["link_base"])
        if href == "#" or tokens[idx].meta.get(_IN_LINK):
            return text
        return f'<a href="{escape(href)}">{text}</a>'


_CLEANER = nh3.Cleaner(
    tags=_TAGS, attributes=_ATTRIBUTES, allowed_classes=_CLASSES, url_schemes=_SCHEMES, link_rel=_LINK_REL
)


_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_OWN_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES | {tag: {"id"} for tag in _HEADINGS},
    allowed_classes=_CLASSES,
    url_schemes=_SCHEMES,
    link_rel=_LINK_REL,
)


def anchor_of(heading: str) -> str:
    """The id of a heading, as GitHub makes it, so that one link works in the repository and on a hub."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _name_headings(tokens: list[Token]) -> None:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            words = "".join(child.content for child in inline.children or [])
            opening.attrs["id"] = anchor_of(words)


def _without_title(tokens: list[Token], title: str) -> list[Token]:
    """Drop a first heading that only repeats the page's own."""
    starts = len(tokens) >= 3 and tokens[0].type == "heading_open" and tokens[1].type == "inline"
    if starts and title and tokens[1].content.strip().strip("`").casefold() in _spellings(title):
        return tokens[3:]
    return tokens


def _spellings(title: str) -> set[str]:
    name = title.rsplit("/", 1)[-1]
    return {spelling.casefold() for spelling in (title, name, name.replace("-", " "), title.replace("/", "-"))}


def _rank_headings(tokens: Sequence[Token], first_level: int) -> None:
    """A heading is one level below the nearest one before it that the text ranks higher; one without such is the first.

    Somebody who goes from heading to heading looks for what a level that is left out would hold.
    """
    holders: list[int] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
            while holders and holders[-1] >= level:
                holders.pop()
            holders.append(level)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, len(holders) + first_level - 1)}"


def _lead_links(token: Token, link_base: str, link_to: Callable[[str], str | None] | None) -> None:
    """Relative links into the package. Images in a link are marked: there is no link in another."""
    depth = 0
    for child in token.children or []:
        depth += child.nesting if child.type in ("link_open", "link_close") else 0
        child.meta[_IN_LINK] = depth > 0
        if child.type == "link_open":
            href = str(child.attrs.get("href", ""))
            own = link_to(href) if link_to is not None else None
            child.attrs["href"] = own if own is not None else _target(href, link_base)


def _target(href: str, link_base: str) -> str:
    """Absolute links with a known scheme stay; relative ones lead to ``link_base``; anything else leads nowhere."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return "#"
    if parts.scheme:
        return href if parts.scheme in _SCHEMES else "#"
    if parts.netloc or href.startswith(("#", "/", "\\")) or ".." in parts.path.split("/") or not parts.path:
        return "#"
    return f"{link_base}/{parts.path.removeprefix('./')}" if link_base else "#"
