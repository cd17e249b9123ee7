r"""Gold answers that were damaged on their way: a brace that nobody closed, a command without its backslash."""

import re

# What is left of \frac, \boxed and others where a backslash and its letter were read as one control character.
_CONTROL = {"\x08": "\\b", "\x0b": "\\v", "\x0c": "\\f", "\x07": "\\a"}
_CONTROLS = re.compile(r"\\?[\x07\x08\x0b\x0c](?=[a-z])")
_TABBED = re.compile(r"\t(?=(?:imes|frac|heta|an|au)(?![a-z]))")
_BARE = re.compile(r"(?<![\\A-Za-z])(?:[dt]?frac|rac|sqrt)\s*(?=\{)")
_SPACED = re.compile(r"\\\s+(?=(?:frac|sqrt|pi|times|cdot|infty|text|left|right)(?![a-zA-Z]))")
_LEFT = re.compile(r"\\left\s*(\\\{|[(\[|])")
_RIGHT = re.compile(r"\\right(?![a-zA-Z])\s*(\\\}|[)\]|.])?")
_CLOSERS = {"(": ")", "[": "]", "\\{": "\\}", "|": "|"}


def without_controls(text: str) -> str:
    r"""The backslash and letter of ``\frac``, ``\boxed`` … back in place of the control character that they became."""
    return _CONTROLS.sub(lambda found: _CONTROL[found[0][-1]], text)


def mended(gold: str) -> str:
    """``gold`` with its braces and brackets closed and its commands whole; text that is sound comes back as it is."""
    gold = _SPACED.sub(r"\\", _TABBED.sub(r"\\t", without_controls(gold)))
    gold = _BARE.sub(lambda found: "\\sqrt" if "sqrt" in found[0] else "\\frac", gold)
    return _right_closed(_braces_closed(gold))


def without_extra_braces(text: str) -> str:
    """``text`` without braces that close nothing: what a writer left over, and no part of a value."""
    return _braces_closed(text) if text.count("}") - text.count("\\}") > text.count("{") - text.count("\\{") else text


def _braces_closed(text: str) -> str:
    """Without braces that close nothing, and with those that nothing closes closed at the end."""
    depth, kept = 0, []
    for index, character in enumerate(text):
        if character in "{}" and text[index - 1 : index] != "\\":
            if character == "}" and depth == 0:
                continue
            depth += 1 if character == "{" else -1
        kept.append(character)
    text = "".join(kept)
    if not depth:
        return text
    tail = re.search(r"[\s.$]*$", text)
    end = tail.start() if tail else len(text)
    return text[:end] + "}" * depth + text[end:]


def _right_closed(text: str) -> str:
    r"""``\left(1, 2\right`` with the bracket that was cut off."""
    last = list(_RIGHT.finditer(text))
    opened = list(_LEFT.finditer(text))
    if not last or not opened or last[-1][1]:
        return text
    return f"{text[: last[-1].end()]}{_CLOSERS[opened[0][1]]}{text[last[-1].end() :]}"
