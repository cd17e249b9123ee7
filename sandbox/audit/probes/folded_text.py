"""Texts that code puts together from constants, worked out by reading: sums, joins, texts turned around or unsealed.

Nothing is run: only what stands here is worked out, and nothing that becomes long.
"""

import ast
import base64
import binascii
import codecs
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_LONGEST = 400  # chosen: characters or items of a value on the way; a word has at most 60
_DEEPEST = 40
_MOST_STEPS = 50_000  # chosen: expressions of a module that are looked at; a tenth of a second
_METHODS = frozenset({
    "lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "casefold", "swapcase", "replace",
    "removeprefix", "removesuffix", "encode", "decode", "format", "join", "split", "hex",
})  # fmt: skip
_UNSEALED: Mapping[str, Callable[[Any], Any]] = {
    "b64decode": base64.b64decode,
    "urlsafe_b64decode": base64.urlsafe_b64decode,
    "b32decode": base64.b32decode,
    "b16decode": base64.b16decode,
    "b85decode": base64.b85decode,
    "a85decode": base64.a85decode,
    "unhexlify": binascii.unhexlify,
    "fromhex": bytes.fromhex,
    "chr": chr,
    "bytes": bytes,
    "str": str,
    "reversed": lambda value: list(value)[::-1],
    "list": list,
    "tuple": tuple,
}
"""Functions of one argument that are worked out, by the last part of their name."""

_OPERATED = ast.BinOp | ast.UnaryOp | ast.Subscript | ast.Call


class _UnknownError(Exception):
    """It hangs on something else than constants."""


class Folder:
    """Works out the expressions of one module, as long as its steps last."""

    def __init__(self, module: ast.AST) -> None:
        self._names = _names_of(module)
        self._left = _MOST_STEPS

    def text_of(self, node: ast.AST) -> str | None:
        """The text that an expression of constants is, where it is more than a constant; else None."""
        if not isinstance(node, ast.BinOp | ast.Call | ast.JoinedStr | ast.Subscript):
            return None
        try:
            value = self._value(node, 0)
        except (_UnknownError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError):
            return None
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        return value if isinstance(value, str) else None

    def _value(self, node: ast.AST, depth: int) -> Any:
        """The value of an expression. Raises :class:`_UnknownError`, or what working it out raises."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            raise _UnknownError
        found = self._operated(node, depth + 1) if isinstance(node, _OPERATED) else self._held(node, depth + 1)
        if isinstance(found, str | bytes | list) and len(found) > _LONGEST:
            raise _UnknownError
        return found

    def _held(self, node: ast.AST, depth: int) -> Any:
        """What a constant, a name, a list or an f-string holds."""
        match node:
            case ast.Constant(value=str() | bytes() | int() as value):
                return value
            case ast.Name(id=name) if name in self._names:
                return self._value(self._names[name], depth)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._value(one, depth) for one in items[:_LONGEST]]
            case ast.JoinedStr(values=parts):
                return "".join(str(self._value(part, depth)) for part in parts)
            case ast.FormattedValue(value=inner, format_spec=None):
                return self._value(inner, depth)
        raise _UnknownError

    def _operated(self, node: ast.AST, depth: int) -> Any:
        """What an operation or a call gives."""
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._value(left, depth) + self._value(right, depth)
            case ast.BinOp(left=left, op=ast.Mod(), right=right) if _is_plain(text := self._value(left, depth)):
                given = self._value(right, depth)
                return text % (tuple(given) if isinstance(given, list) else given)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._value(inner, depth)
            case ast.Subscript(value=inner, slice=place):
                return self._value(inner, depth)[self._place(place, depth)]
            case ast.Call(keywords=[]):
                return self._called(node, depth)
        raise _UnknownError

    def _place(self, node: ast.AST, depth: int) -> Any:
        if not isinstance(node, ast.Slice):
            return self._value(node, depth)
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if end is None else self._value(end, depth) for end in ends))

    def _called(self, node: ast.Call, depth: int) -> Any:
        if (codes := _letters_of(node)) is not None:
            return list(map(chr, self._value(codes, depth)))
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        arguments = [self._argument(one, depth) for one in node.args]
        if called in _UNSEALED and len(arguments) == 1 and not (called == "bytes" and isinstance(arguments[0], int)):
            return _UNSEALED[called](arguments[0])
        if called == "decode" and arguments[1:] and arguments[1] in {"rot13", "rot_13"}:
            return codecs.decode(arguments[0], "rot13")
        if called not in _METHODS or not isinstance(node.func, ast.Attribute):
            raise _UnknownError
        held = self._value(node.func.value, depth)
        if not isinstance(held, str | bytes) or (called == "format" and not _has_plain_places(held)):
            raise _UnknownError
        return getattr(held, called)(*arguments)

    def _argument(self, node: ast.AST, depth: int) -> Any:
        """An argument; of letters that are made one by one, their list."""
        codes = _letters_of(node)
        return self._value(node, depth) if codes is None else list(map(chr, self._value(codes, depth)))


def _letters_of(node: ast.AST) -> ast.AST | None:
    """The codes in ``map(chr, codes)`` and in ``chr(code) for code in codes``."""
    match node:
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="chr"), codes]):
            return codes
        case (
            ast.GeneratorExp(
                elt=ast.Call(func=ast.Name(id="chr"), args=[ast.Name(id=used)]),
                generators=[ast.comprehension(target=ast.Name(id=name), iter=codes, ifs=[])],
            )
            | ast.ListComp(
                elt=ast.Call(func=ast.Name(id="chr"), args=[ast.Name(id=used)]),
                generators=[ast.comprehension(target=ast.Name(id=name), iter=codes, ifs=[])],
            )
        ) if used == name:
            return codes
    return None


def _names_of(module: ast.AST) -> dict[str, ast.AST]:
    """What each name of a module is, where it is given one value in the whole module."""
    given: dict[str, list[ast.AST]] = {}
    for name, value in _given(module):
        given.setdefault(name, []).append(value)
    return {name: values[0] for name, values in given.items() if len(values) == 1}


def _given(module: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(module):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.AST() as value):
                yield name, value


def _is_plain(text: Any) -> bool:
    """Whether ``%`` of it makes nothing long: no width."""
    return isinstance(text, str) and not any(sign.isdigit() or sign == "*" for sign in text)


def _has_plain_places(text: str | bytes) -> bool:
    """Whether ``format`` of it makes nothing long, and looks into no object: ``{}`` alone."""
    return isinstance(text, str) and not any(sign in text.replace("{}", "") for sign in "{}")
