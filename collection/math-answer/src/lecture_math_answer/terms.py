"""From relations down to powers: the operators of a formula by precedence."""

import re

from lecture_math_answer.atoms import Atoms
from lecture_math_answer.node import Node, number
from lecture_math_answer.reader import ParseError

MAX_DEPTH = 60
RELATIONS = {"=", "<", ">", "<=", ">=", "!=", "~", "in", "notin"}
_SIGNS = {"±": "pm", "∓": "mp"}


class Terms(Atoms):
    """Everything within one statement."""

    def relation(self, first: Node | None = None) -> Node:
        items, operators = [first or self.ratio()], []
        while self.at(*RELATIONS):
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
            if sign == "-" and right.op == "seq" and right.name == "{}" and left.op in ("set", "union", "minus", "seq"):
                left = Node("minus", (left, right))
                continue
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
            if base.op == "matrix" and exponent.name == "T":
                columns = zip(*(row.args for row in base.args), strict=False)
                return Node("matrix", tuple(Node("row", column) for column in columns))
            if base.op == "seq" and base.name in ("()", "[]") and exponent.op == "sym" and exponent.name == "T":
                return Node("matrix", tuple(Node("row", (part,)) for part in base.args))
            return self.postfix(_choose(base, exponent) or Node("pow", (base, exponent)))
        return base

    def postfix(self, node: Node) -> Node:
        while True:
            if self.at("!"):
                self.position += 1
                if self.at("!") and not self.peek().spaced:
                    self.position += 1
                    node = Node("fn", (node,), name="fact2")
                    continue
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


def _choose(base: Node, exponent: Node) -> Node | None:
    """``C_7^3`` and ``A_5^2`` as counts of combinations and arrangements."""
    match = re.fullmatch(r"([CA])_(\d+)", base.name) if base.op == "sym" and exponent.op == "num" else None
    if match is None:
        return None
    count = Node("fn", (number(int(match[2])), exponent), name="binom")
    return count if match[1] == "C" else Node("mul", (count, Node("fact", (exponent,))))
