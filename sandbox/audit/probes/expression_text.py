"""Writes expressions as LaTeX or plain text, and finds where a response states one."""

import re
from dataclasses import dataclass

from sandbox.audit.probes.expressions import FUNCTIONS, LONGEST, Expression, read

_BOXED = "\\boxed{"
_TAIL_CHARACTERS = 60
"""How far from the end a box may stand to hold the response's final answer."""
_WHOLE = re.compile(r"(?P<before>(?:\s|\$|\\[(\[])*)(?P<text>.*?)(?P<after>(?:\s|\$|\\[)\]]|\.(?=\s*\Z))*)", re.DOTALL)


@dataclass(frozen=True)
class StatedExpression:
    """A response that states an expression: what stands before it, its text, and what stands after it."""

    before: str
    text: str
    after: str
    expression: Expression

    @property
    def is_latex(self) -> bool:
        """Whether LaTeX is expected there: in a box, between dollar signs (one may be money), or beside commands."""
        is_between = self.before.rstrip().endswith("$") and self.after.lstrip().startswith("$")
        return is_between or "\\" in self.text or "\\" in self.before

    def saying(self, one: Expression) -> str:
        """The response with another expression in its place, written as it was."""
        return self.with_text(latex(one) if self.is_latex else plain(one))

    def with_text(self, text: str) -> str:
        """The response with another text in its place."""
        return f"{self.before}{text}{self.after}"


def find(response: str) -> StatedExpression | None:
    """The expression in the last box of a response, or the one that the whole response is. None for others."""
    parts = boxed(response)
    if parts is None:
        whole = _WHOLE.fullmatch(response) if len(response) <= LONGEST and _BOXED not in response else None
        if whole is None:
            return None
        parts = whole["before"], whole["text"], whole["after"]
    before, text, after = parts
    found = read(text)
    return None if found is None else StatedExpression(before, text, after, found)


def boxed(response: str) -> tuple[str, str, str] | None:
    """What stands before the inside of a response's last box, the inside, and what stands after it.

    None where there is no box, or not at the end.
    """
    start = response.rfind(_BOXED)
    if start < 0:
        return None
    start += len(_BOXED)
    end = _end_of_braces(response, start)
    if end < 0 or len(response.rstrip()) - end > _TAIL_CHARACTERS:
        return None
    return response[:start], response[start:end], response[end:]


def _end_of_braces(text: str, start: int) -> int:
    """Where the brace closes that was opened before ``start``; -1 where it does not."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return -1


def latex(one: Expression) -> str:
    """As LaTeX, without dollar signs."""
    return _written(one, _LATEX)


def plain(one: Expression) -> str:
    """As plain text: ``pi/2``, ``sqrt(x + 1)``."""
    return _written(one, _PLAIN)


@dataclass(frozen=True)
class _Style:
    quotient: str
    function: str
    power: str
    times: str
    is_latex: bool


_LATEX = _Style("\\frac{{{}}}{{{}}}", "\\{}({})", "{}^{{{}}}", " \\cdot ", is_latex=True)
_PLAIN = _Style("{}/{}", "{}({})", "{}^{}", "*", is_latex=False)


def _written(one: Expression, style: _Style) -> str:
    parts = [_written(part, style) for part in one.parts]
    held = [f"({text})" if _is_loose(part) else text for part, text in zip(one.parts, parts, strict=True)]
    match one.kind:
        case "number" | "name":
            text = "\\pi" if style.is_latex and one.text == "pi" else one.text
        case "sum":
            text = " + ".join(parts).replace("+ -", "- ")
        case "negative":
            text = f"-{held[0] if one.parts[0].kind in ('sum', 'negative') else parts[0]}"
        case "product":
            text = style.times.join(held)
        case "quotient":
            text = style.quotient.format(*(parts if style.is_latex else held))
        case "power":
            text = style.power.format(held[0], parts[1] if style.is_latex else held[1])
        case "sqrt" if style.is_latex:
            text = f"\\sqrt{{{parts[0]}}}"
        case _:
            text = style.function.format(one.kind, parts[0])
    return text


def _is_loose(one: Expression) -> bool:
    """Whether it needs brackets beside a sign that binds."""
    return one.kind not in ("number", "name", *FUNCTIONS)
