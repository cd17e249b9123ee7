"""Atoms of a formula: numbers, symbols, matrices, brackets."""
# ruff: noqa: E501 -- word lists and patterns read better whole

from dataclasses import replace
from fractions import Fraction

from lecture_math_answer.functions import MAX_DIGITS, Functions
from lecture_math_answer.node import Node, number, symbol
from lecture_math_answer.reader import END, ParseError

_CLOSERS = {"(": (")", "]"), "[": ("]", ")"), "\\{": ("\\}",), "{": ("}",)}
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}


class Atoms(Functions):
    """The innermost layer. What stands inside brackets is read by the layers above, through ``self``."""

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
            parity = self._parity()
            cells.append(parity if parity is not None else self.statement(("&", "row")))
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

    def _parity(self) -> Node | None:
        """``n even`` and ``n is even``, as the case in which a row holds."""
        ahead = [self.peek(step) for step in range(3)]
        verb = ahead[1].kind == "word" and ahead[1].text.lower() == "is"
        word = ahead[2] if verb else ahead[1]
        if ahead[0].kind != "sym" or word.kind != "word" or word.text.lower() not in ("even", "odd"):
            return None
        self.position += 3 if verb else 2
        return Node("quantity", (symbol(ahead[0].text),), name=word.text.lower())

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
