r"""LaTeX that needs its braces matched: fonts and colours, ``{a \over b}``, intervals with turned brackets."""

import re

_WRAPPERS = re.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|mathcal|mathscr|boldsymbol|pmb|bm|operatorname\*?|mathop|textnormal|emph|underline|mathtt"
    r"|mathfrak|text|mbox|textbf|textit|textrm|texttt|textsf|hbox|ensuremath|displaylines)\s*(?=\{)"
)
_COLOURED = re.compile(r"\\(?:text)?color(?:box)?\s*\{[^{}]*\}")
_INFIX = re.compile(r"\\(over|choose)(?![a-zA-Z])")
_MAX_WRAPPERS = 200


def closing(text: str, start: int) -> int:
    """The index behind the brace that closes the one at ``start``; beyond the text where none does."""
    depth = 0
    for index in range(start, len(text)):
        if text[index - 1 : index] == "\\" and text[index - 2 : index] != "\\\\":
            continue
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    return len(text) + 1


def unwrap(text: str) -> str:
    """Without commands that only change how their argument looks."""
    text = _COLOURED.sub(" ", text)
    position = 0
    for _ in range(_MAX_WRAPPERS):
        match = _WRAPPERS.search(text, position)
        if match is None:
            break
        end = closing(text, match.end())
        inside = text[match.end() + 1 : end - 1]
        bare = inside.strip()
        spaced = (
            f"{bare} " if len(bare) == 1 and not match[0].startswith(("\\text", "\\mbox", "\\hbox")) else f" {inside} "
        )
        text = text[: match.start()] + spaced + text[end:]
        position = match.start()
    return text


def infix(text: str) -> str:
    r"""``{a \over b}`` as ``\frac{a}{b}`` and ``{n \choose k}`` as ``\binom{n}{k}``."""
    for _ in range(20):
        match = _INFIX.search(text)
        if match is None:
            break
        start, end = _group_around(text, match.start(), match.end())
        top, bottom = text[start : match.start()].strip(), text[match.end() : end].strip()
        command = "frac" if match[1] == "over" else "binom"
        has_braces = text[start - 1 : start] == "{" and text[end : end + 1] == "}"
        head, tail = (text[: start - 1], text[end + 1 :]) if has_braces else (text[:start], text[end:])
        text = f"{head}\\{command}{{{top}}}{{{bottom}}}{tail}"
    return text


def _group_around(text: str, left: int, right: int) -> tuple[int, int]:
    """The inside of the braces around ``text[left:right]``, or the whole text."""
    depth, start = 0, 0
    for index in range(left - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(text[index], 0)
        if depth < 0:
            start = index + 1
            break
    depth, end = 0, len(text)
    for index in range(right, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth < 0:
            end = index
            break
    return start, end


def turned_brackets(text: str) -> str:
    """``]a, b]`` and ``[a, b[`` as ``(a, b]`` and ``[a, b)``: brackets that open where none can close."""
    if ("]" not in text and "[" not in text) or "sqrt[" in text or "\\\\" in text:
        return text
    found = list(text)
    opened: list[int] = []
    turned = False
    for index, character in enumerate(text):
        if character == "(":
            opened.append(index)
        elif character == ")" and opened:
            opened.pop()
        elif character == "]":
            if opened:
                opened.pop()
            else:
                found[index], turned = "(", True
                opened.append(index)
        elif character == "[":
            inside = text[opened[-1] + 1 : index] if opened and found[opened[-1]] in "[(" else ""
            if (
                opened
                and text[opened[-1]] in "[]"
                and re.fullmatch(r"[^\[\]()]*[,;]\s*[^,;\s\[\]()][^\[\]()]*", inside)
            ):
                found[index], turned = ")", True
                opened.pop()
            else:
                opened.append(index)
    return "".join(found) if turned and not opened else text
