"""Elements as safe markup: every value is escaped, lengths are short, nothing carries a style."""

from functools import lru_cache

from markupsafe import Markup, escape

Attribute = str | int | float | None
_SHAPES = {"rect", "line", "path", "circle"}  # close themselves; everything else is written with an end tag


def number(value: float) -> str:
    """``value`` with at most two decimals and no trailing zeros, as SVG attributes want it."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def percent(value: float) -> str:
    """``value`` (0 to 100) as a percentage length, so that drawings are fluid and strokes never scale."""
    return f"{number(value)}%"


def tag(name: str, *children: str, **attributes: Attribute) -> Markup:
    """One element. ``class_`` and ``text_anchor`` become ``class`` and ``text-anchor``; None leaves one out."""
    written = "".join(f' {_attribute(key)}="{_value(value)}"' for key, value in attributes.items() if value is not None)
    inner = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    # Every part is escaped above; names are constants of this package.
    if name in _SHAPES and not inner:
        return Markup(f"<{name}{written}/>")  # noqa: S704 -- see above
    return Markup(f"<{name}{written}>{inner}</{name}>")  # noqa: S704 -- see above


@lru_cache(maxsize=100)
def _attribute(key: str) -> str:
    """As HTML writes it. Keys are constants of this package."""
    return key.rstrip("_").replace("_", "-")


def _value(value: Attribute) -> str:
    """Escaped; a number has nothing to escape."""
    if isinstance(value, str):
        return escape(value)
    return number(value) if isinstance(value, float) else str(value)


def svg(*children: str, label: str | None = None, **attributes: Attribute) -> Markup:
    """A drawing: an image with ``label`` as its words, or decoration (hidden from readers' tools) without one."""
    role: dict[str, Attribute] = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag("svg", *children, **role, **attributes)


def line(class_: str, x1: str | float, x2: str | float, y1: str | float, y2: str | float) -> Markup:
    """A straight stroke of the given class."""
    return tag("line", class_=class_, x1=x1, x2=x2, y1=y1, y2=y2)
