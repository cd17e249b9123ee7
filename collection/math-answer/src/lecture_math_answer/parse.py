"""From tokens to a tree: a hand-written precedence parser for answers in LaTeX or plain notation."""

import re
from dataclasses import replace
from fractions import Fraction

from lecture_math_answer.clean import clean
from lecture_math_answer.node import Node, number, symbol
from lecture_math_answer.tokens import Token, TokenError, tokenise
from lecture_math_answer.units import measure

MAX_TOKENS = 1200
MAX_DEPTH = 60
MAX_DIGITS = 2000
"""Of one number; also keeps conversions below Python's own limit."""
_RELATIONS = {"=", "<", ">", "<=", ">=", "!=", "~", "in", "notin"}
_SEPARATORS = {",", ";", "row", "=>"}
_CLOSERS = {"(": (")", "]"), "[": ("]", ")"), "\\{": ("\\}",), "{": ("}",)}
_TRANSPARENT = {
    "overline", "bar", "vec", "hat", "widehat", "tilde", "overrightarrow", "mathring", "boxed", "fbox", "displaystyle", "underline", "dot", "angle",
    "triangle", "forall", "exists", "parallel", "color", "tag", "bold", "square",
}  # fmt: skip
_HEDGES = frozenset("at to approximately about roughly exactly just simply only the by given equal".split())
_OPAQUE = frozenset({"int", "iint", "oint", "sum", "prod", "lim"})
_MULTIPLIERS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}
_CONDITION_WORDS = frozenset(
    "for where with when whenever if such provided but because since as except not unless then is are was which at".split()
)
_SIGNS = {"±": "pm", "∓": "mp"}
_REPEATING = re.compile(r"(?<!\d)(\d{0,12})\.(\d{0,30})\\(?:overline|bar|dot)\s*\{?(\d{1,40})\}?")


class ParseError(ValueError):
    """The text is not a formula of this notation; it may still be a text answer."""


def parse(text: str, *, merge_thousands: bool = True) -> Node:
    """The tree of one answer: an expression, relation, sequence or bare list. Raises :class:`ParseError`."""
    return parse_clean(clean(text), merge_thousands=merge_thousands)


def parse_clean(text: str, *, merge_thousands: bool = True) -> Node:
    """As :func:`parse`, for text that :func:`clean` has seen."""
    text = _REPEATING.sub(_repeating, text)
    text = re.sub(r"[.,;:\s]+$", "", text)
    try:
        tokens = tokenise(text)
    except TokenError as error:
        raise ParseError(f"unknown character {error}") from None
    if not tokens or len(tokens) > MAX_TOKENS:
        raise ParseError("empty" if not tokens else "too long")
    parser = _Parser(_merge(tokens) if merge_thousands else tokens)
    try:
        return parser.whole()
    except RecursionError:
        raise ParseError("nested too deeply") from None


def _repeating(match: re.Match[str]) -> str:
    whole, fixed, cycle = match[1] or "0", match[2], match[3]
    scale = 10 ** len(fixed)
    value = Fraction(int(whole + fixed or "0"), scale) + Fraction(int(cycle), scale * (10 ** len(cycle) - 1))
    return f"({value.numerator}/{value.denominator})"


def _merge(tokens: list[Token]) -> list[Token]:
    """``7,425,000`` and ``1 000 000`` as one number."""
    merged: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        end = index + 1
        text = token.text
        if token.kind == "num" and re.fullmatch(r"[1-9]\d{0,2}", text):
            while (step := _group_at(tokens, end, text)) is not None:
                text += step[1]
                end = step[0]
                if "." in step[1]:
                    break
        merged.append(replace(token, text=text))
        index = end
    return merged


def _group_at(tokens: list[Token], index: int, before: str) -> tuple[int, str] | None:
    """The next group of three digits, after a comma or a space, and the index behind it."""
    if (
        index + 1 < len(tokens)
        and tokens[index].text == ","
        and not tokens[index].spaced
        and not tokens[index + 1].spaced
    ):
        group = tokens[index + 1]
        if group.kind == "num" and re.fullmatch(r"\d{3}(?:\.\d+)?", group.text):
            return index + 2, group.text
    if (
        index < len(tokens)
        and tokens[index].kind == "num"
        and tokens[index].spaced
        and re.fullmatch(r"\d{3}(?:\.\d+)?", tokens[index].text)
    ):
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if following not in ("/",):
            return index + 1, tokens[index].text
    return None


class _Parser:
    """One pass over the tokens; ``position`` is the next one to read."""

    def __init__(self, tokens: list[Token]):
        self.tokens = tokens
        self.position = 0
        self.depth = 0
        self.bars = 0  # open |…|, inside which a bar closes
        self.no_bar = 0  # set builders, in which a bar is "such that"

    # reading

    def peek(self, ahead: int = 0) -> Token:
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else _END

    def take(self) -> Token:
        token = self.peek()
        self.position += 1
        return token

    def at(self, *texts: str) -> bool:
        token = self.peek()
        return token.kind in ("op", "word") and token.text in texts

    def accept(self, *texts: str) -> bool:
        if self.at(*texts):
            self.position += 1
            return True
        return False

    def expect(self, *texts: str) -> str:
        if not self.at(*texts):
            raise ParseError(f"expected {texts[0]} at {self.peek().text!r}")
        return self.take().text

    # statements

    def whole(self) -> Node:
        node = self.listing(())
        if self.position < len(self.tokens):
            raise ParseError(f"left over: {self.peek().text!r}")
        return node

    def listing(self, closers: tuple[str, ...]) -> Node:
        """Statements up to a closer; one alone is itself, several are a bare list whose name tells and/or."""
        items: list[Node] = []
        joints: set[str] = set()
        while True:
            while self.peek().kind != "end" and self._separator():
                pass
            if self.peek().kind == "end" or self.at(*closers):
                break
            items.append(self.statement(closers))
            joint = self._separator()
            if not joint and items[-1].op == "quantity" and self.peek().kind == "num":
                joint = "and"
            if not joint:
                break
            joints.add(joint)
            while more := self._separator():
                joints.add(more)
        if not items:
            raise ParseError("empty list")
        if len(items) == 1:
            return items[0]
        return Node("seq", tuple(items), name="or" if "or" in joints else "and" if joints == {"and"} else "")

    def _separator(self) -> str:
        token = self.peek()
        if token.kind == "op" and token.text in _SEPARATORS:
            self.position += 1
            return token.text
        if token.kind == "word" and token.text.lower() in ("and", "or", "and/or"):
            self.position += 1
            return token.text.lower()
        return ""

    def statement(self, closers: tuple[str, ...]) -> Node:
        """A relation or expression, with a label of words before it and a unit behind it."""
        label = self._label()
        if self.at("<", ">", "<=", ">="):  # "at least 4"
            return self.relation(first=Node("word", name=label or "it"))
        node = self.relation()
        node = self._unit(node, closers)
        if self.at(*_RELATIONS) and node.op == "quantity":  # "5 km = 5000 m"
            node = self.relation(first=node)
            node = self._unit(node, closers)
        if label and node.op == "rel":
            return Node("rel", (Node("word", name=label), *node.args), name="= " + node.name)
        return Node("rel", (Node("word", name=label), node), name="=") if label else node

    def _label(self) -> str:
        """Words up to ``=``, ``:`` or ``is``: the name of what follows."""
        while self.peek().kind == "cmd" and self.peek().text in ("forall", "exists"):
            self.position += 1
        if self.peek().kind != "word" or self._number_word() is not None:
            return ""
        if self.peek().text.lower() in _CONDITION_WORDS | {"all", "emptyset", "not"}:
            return ""
        index = self.position
        while index < len(self.tokens) and index - self.position < 40:
            token = self.tokens[index]
            if token.kind == "op" and token.text in ("<", ">", "<=", ">="):
                words = " ".join(item.text.lower() for item in self.tokens[self.position : index])
                self.position = index
                return words
            if (
                token.text in ("=", ":")
                or token.text.lower() in ("is", "are")
                or (token.kind == "word" and token.text.lower() == "equals")
            ):
                words = " ".join(item.text.lower() for item in self.tokens[self.position : index])
                self.position = index + 1
                while self.peek().kind == "word" and self.peek().text.lower() in _HEDGES:
                    self.position += 1
                return words
            if token.kind not in ("word", "sym", "num") and token.text not in ("(", ")"):
                break
            index += 1
        return ""

    def _number_word(self) -> int | None:
        token = self.peek()
        return _NUMBER_WORDS.get(token.text.lower()) if token.kind == "word" else None

    def _unit(self, node: Node, closers: tuple[str, ...]) -> Node:
        """Words behind an expression, up to the next separator, are its unit."""
        if self.peek().kind != "word" or self.peek().text.lower() in ("and", "or", "emptyset", "all"):
            return node
        if self.peek().text.lower() in _CONDITION_WORDS:
            raise ParseError("a condition follows")
        words: list[str] = []
        while self.peek().kind != "end" and not self.at(*closers):
            token = self.peek()
            if (
                token.kind == "op" and (token.text in _SEPARATORS or token.text in _RELATIONS)
            ) or token.text.lower() in ("and", "or"):
                break
            if token.kind == "num" and words and measure(_join(words)):
                break
            if token.text.lower() in ("wrong", "incorrect", "false", "impossible"):
                raise ParseError("a judgement, not a unit")
            words.append(self.take().text)
        unit = _join(words)
        if words[0].lower() in _MULTIPLIERS:
            node = Node("mul", (node, number(_MULTIPLIERS[words[0].lower()])))
            unit = _join(words[1:])
        if node.op == "rel" and unit:
            return node.having(*node.args[:-1], Node("quantity", (node.args[-1],), name=unit))
        return Node("quantity", (node,), name=unit) if unit else node

    # relations down to sums

    def relation(self, first: Node | None = None) -> Node:
        items, operators = [first or self.ratio()], []
        while self.at(*_RELATIONS):
            operators.append(self.take().text)
            if self.at("=", "<", ">"):  # "= <"
                operators[-1] += self.take().text
                raise ParseError("two relation signs")
            items.append(self.ratio())
        if not operators:
            return items[0]
        if len(items) == 1:
            raise ParseError("nothing behind the relation sign")
        return Node("rel", tuple(items), name=" ".join(operators))

    def ratio(self) -> Node:
        items = [self.union()]
        while self.at(":") and not self.no_bar:
            self.position += 1
            items.append(self.union())
        return items[0] if len(items) == 1 else Node("ratio", tuple(items))

    def union(self) -> Node:
        left = self.sum()
        while self.at("cup", "cap", "minus") or (self.peek().text in ("U", "u") and self._looks_like_union(left)):
            token = self.take().text
            op = {"cap": "inter", "minus": "minus"}.get(token, "union")
            left = Node(op, (left, self.sum()))
        return left

    def _looks_like_union(self, left: Node) -> bool:
        return left.op in ("seq", "union") and self.peek(1).text in ("(", "[", "{", "\\{")

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ParseError("nested too deeply")
        left = self.product()
        while self.at("+", "-", "±", "∓"):
            sign = self.take().text
            if sign == "+" and self.at("-"):
                sign = self.take().text
            right = self.product()
            left = (
                Node(_SIGNS[sign], (left, right))
                if sign in _SIGNS
                else Node("add", (left, right if sign == "+" else Node("neg", (right,))))
            )
        self.depth -= 1
        return left

    def product(self) -> Node:
        left = self.signed()
        while True:
            if self.accept("*"):
                left = Node("mul", (left, self.signed()))
            elif self.at("/"):
                self.position += 1
                left = Node("div", (left, self.signed()))
            elif self._starts_factor(left):
                left = Node("mul", (left, self.power()))
                if left.args[1].op in ("rel", "quantity") or (left.args[1].op == "seq" and left.args[1].name != "()"):
                    raise ParseError("a remark behind an expression")
            else:
                return left

    def _starts_factor(self, left: Node) -> bool:
        token = self.peek()
        if token.kind in ("sym", "fn") or (
            token.kind == "cmd" and token.text not in ("forall", "exists", "rfloor", "rceil")
        ):
            return not (token.text in ("U", "u") and self._looks_like_union(left))
        if token.kind == "num":
            return left.op not in ("num", "deg", "pct")
        if token.kind in ("begin", "set"):
            return token.kind == "begin"
        if token.text == "|":
            return not self.bars and not self.no_bar
        if token.text in ("[", "\\{"):
            return token.text == "[" and left.op != "seq"
        return token.kind == "op" and token.text in ("(", "{") and left.op != "seq"

    def signed(self) -> Node:
        if self.accept("-"):
            return Node("neg", (self.signed(),))
        if self.accept("+"):
            return self.signed()
        if self.at("±", "∓"):
            return Node(_SIGNS[self.take().text], (number(0), self.signed()))
        return self.power()

    def power(self) -> Node:
        base = self.postfix(self.atom())
        if self.accept("^"):
            if self.at("-", "+"):
                exponent = self.signed()
            elif self.peek().text == "'":
                self.position += 1
                return base
            else:
                exponent = self.power()
            return self.postfix(_choose(base, exponent) or Node("pow", (base, exponent)))
        return base

    def postfix(self, node: Node) -> Node:
        while True:
            if self.at("!"):
                self.position += 1
                node = Node("fact", (node,))
            elif self.accept("%"):
                node = Node("pct", (node,))
            elif self.peek().text == "deg" and self.peek().kind in ("op", "word"):
                self.position += 1
                if self.peek().kind == "sym" and self.peek().text in ("C", "F"):
                    return Node("quantity", (node,), name="degrees " + self.take().text)
                node = Node("deg", (node,))
            elif (
                self.peek().kind == "word"
                and self.peek().text.lower() in ("percent", "degrees", "degree", "percents")
                and self.peek(1).kind in ("end", "op")
            ):
                node = Node("pct" if self.take().text.lower().startswith("percent") else "deg", (node,))
            else:
                return node

    # atoms

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
        if self.peek(2).text not in (")", ","):
            return False
        depth = 0
        for index in range(self.position, len(self.tokens)):
            depth += {"(": 1, ")": -1}.get(self.tokens[index].text, 0)
            if depth == 0:
                behind = self.tokens[index + 1] if index + 1 < len(self.tokens) else _END
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
        """An integral, sum, product or limit: not worked out, equal to another over the same bounds and body."""
        while self.peek().text in ("_", "^") and self.peek().kind == "op":
            name += self.peek().text + self._script()
        return Node("app", (self.product(),), name=name)

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
        if opener == "\\{":
            inside = self._set_inside(closers)
        else:
            inside = self.listing(closers)
        self.bars = bars
        closer = self.expect(*closers)
        if opener == "{":
            return inside
        if opener == "\\{":
            if inside.op in ("builder",):
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


_END = Token("end", "")


def _choose(base: Node, exponent: Node) -> Node | None:
    """``C_7^3`` and ``A_5^2`` as counts of combinations and arrangements."""
    match = re.fullmatch(r"([CA])_(\d+)", base.name) if base.op == "sym" and exponent.op == "num" else None
    if match is None:
        return None
    count = Node("fn", (number(int(match[2])), exponent), name="binom")
    return count if match[1] == "C" else Node("mul", (count, Node("fact", (exponent,))))


def _plain(node: Node) -> bool:
    return node.op in ("num", "sym")


def _join(words: list[str]) -> str:
    return re.sub(r"\s*([\^/{}_-])\s*", r"\1", " ".join(words)).strip()
