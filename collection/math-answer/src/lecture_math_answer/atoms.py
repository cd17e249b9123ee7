"""Atoms of a formula: numbers, symbols, functions, commands, matrices, brackets."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from lecture_math_answer.node import Node, number, symbol, walk
from lecture_math_answer.reader import END, ParseError, Reader

MAX_DIGITS = 2000
"""Of one number; also keeps conversions below Python's own limit."""
_CLOSERS = {"(": (")", "]"), "[": ("]", ")"), "\\{": ("\\}",), "{": ("}",)}
_TRANSPARENT = {
    "overline", "bar", "vec", "hat", "widehat", "tilde", "overrightarrow", "mathring", "boxed", "fbox", "displaystyle", "underline", "dot", "angle",
    "triangle", "forall", "exists", "parallel", "color", "tag", "bold", "square",
}  # fmt: skip
MAX_WRITTEN_OUT = 2_000
"""Nodes of a sum or product that is written out."""
_OPAQUE = frozenset({"int", "iint", "oint", "sum", "prod", "lim"})
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}


class Atoms(Reader):
    """The innermost layer. What stands inside brackets is read by the layers above, through ``self``."""

    listing: Callable[[tuple[str, ...]], Node]

    def atom(self) -> Node:
        token = self.peek()
        if token.kind == "num":
            return self._number()
        if token.kind == "sym":
            return self._symbol()
        if token.kind == "fn":
            return self._function()
        if token.kind == "cmd":
            return self._command()
        if token.kind == "begin":
            return self._matrix()
        if token.kind == "set":
            self.position += 1
            return self._set_name(token.text)
        if token.kind == "word":
            return self._word()
        if token.text == "inf":
            self.position += 1
            return Node("inf")
        if token.text == "|":
            return self._bars()
        if token.text in _CLOSERS:
            return self._bracketed()
        raise ParseError(f"unexpected {token.text!r}")

    def _number(self) -> Node:
        token = self.take()
        text = token.text
        mantissa = text.lower().split("e")[0]
        if "e" in text.lower() and abs(int(text.lower().split("e")[1])) > 5000:
            raise ParseError("exponent too large")
        if len(text) > MAX_DIGITS:
            raise ParseError("number too long")
        places = len(mantissa.split(".")[1]) if "." in mantissa else None
        if "e" in text.lower() and places is not None:
            places = max(0, places - int(text.lower().split("e")[1]))
        node = Node("num", value=Fraction(text), places=places)
        if places is None and "e" not in text.lower():
            node = self._mixed(node)
        if self.peek().text == "_" and node.op == "num":
            return replace(node, name=self._script())
        if (
            self.peek().kind == "word"
            and self.peek().text.lower() in ("th", "st", "nd", "rd")
            and not self.peek().spaced
        ):
            self.position += 1
        return node

    def _mixed(self, whole: Node) -> Node:
        r"""``3\frac{1}{2}`` and ``3 1/2``."""
        ahead = [self.peek(step) for step in range(7)]
        if ahead[0].kind == "cmd" and ahead[0].text == "frac" and whole.name == "":
            braced = [token.text for token in ahead[1:]]
            if [braced[0], braced[2], braced[3], braced[5]] == ["{", "}", "{", "}"]:
                top, bottom, length = braced[1], braced[4], 7
            else:
                top, bottom, length = ahead[1].text[:1], ahead[1].text[1:], 2
            if top.isdigit() and bottom.isdigit() and len(bottom) < 9 and int(top) < int(bottom):
                self.position += length
                return Node("add", (whole, number(Fraction(int(top), int(bottom)))))
            return whole
        parts = [self.peek(step) for step in range(3)]
        if (
            parts[0].kind == "num"
            and parts[0].spaced
            and parts[1].text == "/"
            and parts[2].kind == "num"
            and whole.name == ""
        ):
            top, bottom = parts[0].text, parts[2].text
            if top.isdigit() and bottom.isdigit() and 0 < int(top) < int(bottom):
                self.position += 3
                return Node("add", (whole, number(Fraction(int(top), int(bottom)))))
        return whole

    def _symbol(self) -> Node:
        token = self.take()
        name = token.text
        following = self.peek()
        if following.text == "_" and following.kind == "op":
            name += "_" + self._script()
        elif (
            following.kind == "num"
            and not following.spaced
            and len(name) == 1
            and following.text.isdigit()
            and following.start == token.start + 1
        ):
            name += "_" + self.take().text
        while self.peek().text == "'" and self.peek().kind == "op":
            self.position += 1
            name += "'"
        if name == "Gamma" and self.peek().text == "(":
            self.position += 1
            inside = self.listing((")",))
            self.expect(")")
            return Node("fact", (Node("add", (inside, number(-1))),))
        if self.peek().text == "(":
            always = (name[0] in "fgFG" and len(name.split("_")[0].rstrip("'")) == 1) or name in (
                "varphi",
                "phi",
                "psi",
            )
            if always or self._relation_behind_bracket():
                self.position += 1
                arguments = self.listing((")",))
                self.expect(")")
                return Node(
                    "app", arguments.args if arguments.op == "seq" and arguments.name == "" else (arguments,), name=name
                )
        return symbol(name)

    def _relation_behind_bracket(self) -> bool:
        """``P(A) =`` and ``x(t) =`` name a value; ``P(x+1)`` elsewhere is a product, and so is ``b(h-x) =``."""
        named = self.tokens[self.position - 1].text in ("P", "E")
        if not named and self.peek(2).text not in (")", ","):
            return False
        depth = 0
        for index in range(self.position, len(self.tokens)):
            depth += {"(": 1, ")": -1}.get(self.tokens[index].text, 0)
            if depth == 0:
                behind = self.tokens[index + 1] if index + 1 < len(self.tokens) else END
                return behind.text in ("=", "<", ">", "<=", ">=")
        return False

    def _script(self) -> str:
        """What stands behind ``_``, as text."""
        self.take()
        if not self.accept("{"):
            return self.take().text
        depth, texts = 1, []
        while depth:
            token = self.take()
            if token.kind == "end":
                raise ParseError("open subscript")
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            texts.append(token.text)
        return "".join(texts[:-1])

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
        return Node("app", (body,), name=name + "".join(mark + text for mark, text in scripts.items()))

    def _matrix(self) -> Node:
        name = self.take().text
        rows: list[Node] = [Node("row")]
        cells: list[Node] = []
        while self.peek().kind != "end":
            if self.accept("&"):
                continue
            if self.accept("row"):
                rows.append(Node("row", tuple(cells)))
                cells = []
                continue
            if self.peek().kind == "cmd" and self.peek().text in ("hline", "cr"):
                self.position += 1
                continue
            while self.peek().kind == "word" and self.peek().text.lower() in ("if", "when", "for", "where"):
                self.position += 1
            if self.peek().kind == "word" and self.peek().text.lower() in ("otherwise", "else"):
                self.position += 1
                cells.append(Node("word", name="otherwise"))
                continue
            cells.append(self.statement(("&", "row")))
            self.accept(",")
        if self.take().text != name:
            raise ParseError("open matrix")
        rows.append(Node("row", tuple(cells)))
        filled = tuple(row for row in rows if row.args)
        if not filled:
            raise ParseError("empty matrix")
        if name == "cases":
            return Node("cases", filled)
        determinant = name == "vmatrix"
        return Node("det" if determinant else "matrix", filled)

    def _set_name(self, letter: str) -> Node:
        if self.accept("^"):
            return Node("set", name=letter + "^" + self.take().text)
        if self.peek().text == "_":
            return Node("set", name=letter + "_" + self._script())
        return Node("set", name=letter)

    def _word(self) -> Node:
        value = self._number_word()
        if value is not None:
            self.position += 1
            return number(value)
        if self.peek().text == "emptyset":
            self.position += 1
            return Node("seq", (), name="{}")
        if self.peek().text == "dots":
            self.position += 1
            return symbol("…")
        text = self.peek().text
        if text.isupper() and len(text) <= 3:  # NO, AM: the product or the name of points
            self.position += 1
            product = symbol(text[0])
            for letter in text[1:]:
                product = Node("mul", (product, symbol(letter)))
            return product
        raise ParseError(f"word {text!r}")

    def _bars(self) -> Node:
        self.expect("|")
        self.bars += 1
        inside = self.sum()
        self.bars -= 1
        self.expect("|")
        return Node("fn", (inside,), name="abs")

    def _bracketed(self) -> Node:
        opener = self.take().text
        closers = _CLOSERS[opener]
        bars, self.bars = self.bars, 0
        if opener in ("\\{", "{") and self.at(closers[0]):
            self.position += 1
            self.bars = bars
            return Node("seq", (), name="{}")
        inside = self._set_inside(closers) if opener == "\\{" else self.listing(closers)
        self.bars = bars
        closer = self.expect(*closers)
        if opener == "{":
            return inside
        if opener == "\\{":
            if inside.op == "builder":
                return inside
            return Node(
                "seq", inside.args if inside.op == "seq" and inside.name in ("", "and", "or") else (inside,), name="{}"
            )
        pair = opener + closer
        if inside.op == "seq" and inside.name in ("", "and"):
            return Node("seq", inside.args, name=pair)
        if pair in ("()", "[]"):
            return inside
        raise ParseError("half-open bracket around one thing")

    def _set_inside(self, closers: tuple[str, ...]) -> Node:
        self.no_bar += 1
        inside = self.listing((*closers, "|", ":"))
        self.no_bar -= 1
        if self.accept("|", ":"):
            condition = self.listing(closers)
            return Node("builder", (inside, condition))
        return inside

    def _number_word(self) -> int | None:
        token = self.peek()
        return _NUMBER_WORDS.get(token.text.lower()) if token.kind == "word" else None


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
