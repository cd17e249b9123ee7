"""Elements as safe markup: every value is escaped, lengths are short, nothing carries a style."""

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
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(number(value) if isinstance(value, float) else value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(children)  # escapes plain strings, keeps markup
    # Every part is escaped above; names are constants of this package.
    if name in _SHAPES and not inner:
        return Markup(f"<{name}{written}/>")  # noqa: S704 -- see above
    return Markup(f"<{name}{written}>{inner}</{name}>")  # noqa: S704 -- see above


def svg(*children: str, label: str | None = None, **attributes: Attribute) -> Markup:
    """A drawing: an image with ``label`` as its words, or decoration (hidden from readers' tools) without one."""
    role: dict[str, Attribute] = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag("svg", *children, **role, **attributes)


def line(class_: str, x1: str | float, x2: str | float, y1: str | float, y2: str | float) -> Markup:
    """A straight stroke of the given class."""
    return tag("line", class_=class_, x1=x1, x2=x2, y1=y1, y2=y2)
