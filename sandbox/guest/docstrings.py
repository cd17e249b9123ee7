"""Parses docstrings in Google, NumPy and reST style: the description, and the text of each argument."""

import re

_GOOGLE_ARGUMENTS = {"args:", "arguments:", "parameters:", "params:"}
_GOOGLE_OTHERS = {"returns:", "return:", "raises:", "yields:", "example:", "examples:", "note:", "notes:", "warning:"}
_GOOGLE_LINE = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_REST_LINE = re.compile(r":(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)$")
_REST_TYPE = re.compile(r":type\s+\w+\s*:")
_UNDERLINE = re.compile(r"-{3,}\s*$")
_NUMPY_LINE = re.compile(r"((?:\*{0,2}\w+\s*,\s*)*\*{0,2}\w+)\s*(?::.*)?$")


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """``(text without the section on arguments, argument -> its description)``. ``text`` is dedented."""
    lines = text.splitlines()
    kept: list[str] = []
    described: dict[str, list[str]] = {}
    position = 0
    while position < len(lines):
        line = lines[position].strip()
        if line.lower() in _GOOGLE_ARGUMENTS:
            position = _read_google(lines, position + 1, described)
        elif line.lower() in ("parameters", "other parameters") and _is_underlined(lines, position):
            position = _read_numpy(lines, position + 2, described)
        elif match := _REST_LINE.match(line):
            position = _read_rest(lines, position, match, described)
        elif _REST_TYPE.match(line):
            position += 1
        else:
            kept.append(lines[position])
            position += 1
    summary = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return summary, {name: " ".join(" ".join(said).split()) for name, said in described.items() if any(said)}


def _read_google(lines: list[str], position: int, described: dict[str, list[str]]) -> int:
    """Lines ``name (type): text``, all indented alike; a line that is indented further continues the one before."""
    base: int | None = None
    name = ""
    while position < len(lines):
        line = lines[position]
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            position += 1
            continue
        if indent == 0 and (base or line.strip().lower() in _GOOGLE_OTHERS or not _GOOGLE_LINE.match(line)):
            break
        if base is None:
            base = indent
        match = _GOOGLE_LINE.match(line.strip())
        if match and indent <= base:
            name = match[1]
            described[name] = [match[2]]
        elif name:
            described[name].append(line.strip())
        position += 1
    return position


def _read_numpy(lines: list[str], position: int, described: dict[str, list[str]]) -> int:
    """``name : type`` at the margin, its text indented below. The section ends at the next underlined title."""
    names: list[str] = []
    while position < len(lines) and not _is_underlined(lines, position):
        line = lines[position]
        if line.strip() and not line[0].isspace():
            match = _NUMPY_LINE.match(line.strip())
            if match is None:
                break
            names = [name.strip().lstrip("*") for name in match[1].split(",")]
            for name in names:
                described[name] = []
        elif line.strip():
            for name in names:
                described[name].append(line.strip())
        position += 1
    return position


def _read_rest(lines: list[str], position: int, match: "re.Match[str]", described: dict[str, list[str]]) -> int:
    """``:param name: text``; indented lines continue it."""
    said = described.setdefault(match[1], [])
    said.append(match[2])
    position += 1
    while position < len(lines) and lines[position].strip() and lines[position][0].isspace():
        said.append(lines[position].strip())
        position += 1
    return position


def _is_underlined(lines: list[str], position: int) -> bool:
    return position + 1 < len(lines) and bool(_UNDERLINE.match(lines[position + 1]))
