"""Functions and commands of a formula with their arguments: sines, roots, fractions, sums."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from lecture_math_answer.node import Node, number, substitute, symbol, walk
from lecture_math_answer.reader import ParseError, Reader

MAX_DIGITS = 2000
"""Of one number; also keeps conversions below Python's own limit."""
_CLOSERS = {"(": (")", "]"), "[": ("]", ")"), "\\{": ("\\}",), "{": ("}",)}
_TRANSPARENT = {
    "overline", "bar", "vec", "hat", "widehat", "tilde", "overrightarrow", "mathring", "boxed", "fbox", "displaystyle", "underline", "dot", "angle",
    "triangle", "forall", "exists", "parallel", "color", "tag", "bold", "square",
}  # fmt: skip
MAX_WRITTEN_OUT = 2_000
"""Nodes of a sum or product that is written out."""
_INDEX = "ι"
_OPAQUE = frozenset({"int", "iint", "oint", "sum", "prod", "lim"})


class Functions(Reader):
    """What stands inside brackets, and other atoms, are read by the layers above, through ``self``."""

    listing: Callable[[tuple[str, ...]], Node]
    atom: Callable[[], Node]

    def _function(self) -> Node:
        name = {
            "tg": "tan",
            "ctg": "cot",
            "arctg": "arctan",
            "asin": "arcsin",
            "acos": "arccos",
            "atan": "arctan",
            "cosec": "csc",
        }.get(self.peek().text, self.peek().text)
        self.position += 1
        if name == "sqrt":
            return self._root()
        base: tuple[Node, ...] = ()
        if self.accept("_"):
            base = (self.argument(),)
        exponent = None
        if self.accept("^"):
            exponent = self.signed() if self.at("-", "+") else self.argument()
        if self.peek().text == "_" and self.peek().kind == "op":
            self.position += 1
            base = (self.argument(),)
        if name == "cis":
            angle = self._function_arguments(name)
            turned = Node("mul", (symbol("i"), Node("fn", angle, name="sin")))
            return Node("add", (Node("fn", angle, name="cos"), turned))
        node = Node("fn", (*self._function_arguments(name), *base), name=name + ("_base" if base else ""))
        if exponent is None:
            return node
        if (
            exponent.op == "neg"
            and exponent.args[0] == number(1)
            and name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")
        ):
            return replace(node, name="arc" + name)
        return Node("pow", (node, exponent))

    def _function_arguments(self, name: str) -> tuple[Node, ...]:
        if self.at("(", "{", "\\{", "["):
            closer = {"(": ")", "{": "}", "\\{": "\\}", "[": "]"}[self.take().text]
            bars, self.bars = self.bars, 0
            inside = self.listing((closer,))
            self.bars = bars
            self.expect(closer)
            return inside.args if inside.op == "seq" and inside.name == "" else (inside,)
        if name in ("max", "min") and not self._starts_factor(number(1)):
            return (symbol(name),)
        negative = self.accept("-")
        node = self.power()
        while (
            self.peek().kind in ("sym", "num")
            or (self.peek().kind == "cmd" and self.peek().text == "frac")
            or (self.peek().kind == "fn" and self.peek().text == "sqrt" and node.op == "num")
            or (self.at("/") and _plain(node) and self.peek(1).kind in ("num", "sym"))
        ):
            if self.peek().kind == "num" and node.op == "num":
                break
            node = Node("div", (node, self.power())) if self.accept("/") else Node("mul", (node, self.power()))
        return (Node("neg", (node,)) if negative else node,)

    def argument(self) -> Node:
        r"""One argument of a command: a group, or a single token (``\frac12``)."""
        if self.accept("{"):
            bars, self.bars = self.bars, 0
            node = self.listing(("}",))
            node = self._unit(node, ("}",))
            self.bars = bars
            self.expect("}")
            return node
        token = self.peek()
        if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            self.tokens[self.position] = replace(token, text=token.text[1:], spaced=False)
            return number(int(token.text[0]))
        if token.kind == "num":
            return self._number_plain()
        return self.atom()

    def _number_plain(self) -> Node:
        token = self.take()
        if len(token.text) > MAX_DIGITS:
            raise ParseError("number too long")
        return Node(
            "num", value=Fraction(token.text), places=len(token.text.split(".")[1]) if "." in token.text else None
        )

    def _root(self) -> Node:
        degree = None
        if self.accept("["):
            degree = self.listing(("]",))
            self.expect("]")
        if self.at("("):
            self.position += 1
            inside = self.listing((")",))
            self.expect(")")
        elif self.peek().kind == "num":
            inside = self._number_plain()
        else:
            inside = self.argument()
        return Node("pow", (inside, Node("div", (number(1), degree or number(2)))))

    def _command(self) -> Node:
        name = self.take().text
        if name in ("frac", "over"):
            top = self.argument()
            return Node("div", (top, self.argument()))
        if name in ("binom", "dbinom", "tbinom"):
            top = self.argument()
            return Node("fn", (top, self.argument()), name="binom")
        if name in ("lfloor", "lceil"):
            inside = self.listing(())
            if self.take().text != ("rfloor" if name == "lfloor" else "rceil"):
                raise ParseError(f"open {name}")
            return Node("fn", (inside,), name=name[1:])
        if name in _OPAQUE:
            return self._opaque(name)
        if name in _TRANSPARENT:
            return self.atom()
        if name in ("bmod", "pmod", "mod"):
            raise ParseError("modulus")
        raise ParseError(f"unknown command {name}")

    def _opaque(self, name: str) -> Node:
        """An integral, sum, product or limit. Short sums and products are written out; others equal those with the same
        bounds and body."""
        scripts: dict[str, str] = {}
        while self.peek().text in ("_", "^") and self.peek().kind == "op":
            mark = self.peek().text
            scripts[mark] = self._script()
        body = self.product()
        start = re.fullmatch(r"([a-zA-Z])=(-?\d{1,4})", scripts.get("_", ""))
        end = re.fullmatch(r"-?\d{1,4}", scripts.get("^", ""))
        if name in ("sum", "prod") and start and end:
            steps = range(int(start[2]), int(end[0]) + 1)
            if 0 < len(steps) * len(walk(body)) <= MAX_WRITTEN_OUT:
                return _joined("add" if name == "sum" else "mul", [_at(body, start[1], step) for step in steps])
        bound = re.fullmatch(r"([a-zA-Z])(=.*)", scripts.get("_", ""))
        if bound and name in ("sum", "prod"):  # what the index is called says nothing
            scripts["_"] = _INDEX + bound[2]
            body = substitute(body, {bound[1]: _INDEX})
        return Node("app", (body,), name=name + "".join(mark + text for mark, text in scripts.items()))


def _at(node: Node, name: str, value: int) -> Node:
    """The node where the symbol ``name`` is a number."""
    if node.op == "sym" and node.name == name:
        return number(value)
    return node.having(*(_at(part, name, value) for part in node.args)) if node.args else node


def _joined(op: str, parts: list[Node]) -> Node:
    """One sum or product of all, as a tree of little depth."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return Node(op, (_joined(op, parts[:half]), _joined(op, parts[half:])))


def _plain(node: Node) -> bool:
    return node.op in ("num", "sym")
