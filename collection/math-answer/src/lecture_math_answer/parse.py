"""From text to a tree: lists of statements, with the labels of words before them and the units behind them."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from dataclasses import replace

from lecture_math_answer import spelling
from lecture_math_answer.clean import clean
from lecture_math_answer.node import Node, number, walk
from lecture_math_answer.reader import ParseError
from lecture_math_answer.terms import RELATIONS, Terms
from lecture_math_answer.tokens import Token, TokenError, tokenise
from lecture_math_answer.units import measure

MAX_TOKENS = 1200
_SEPARATORS = {",", ";", "row", "=>"}
_HEDGES = frozenset("at to approximately about roughly exactly just simply only the by given equal".split())
_MULTIPLIERS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_OCCASIONS = frozenset(
    "attained achieved reached occurs occurring obtained equality when at get have find obtain".split()
)
_EXTENTS = frozenset("long tall wide high deep thick across away apart old ago altogether overall".split())
_CONDITION_WORDS = frozenset(
    "for where with when whenever if such provided but because since as except not unless then is are was which at".split()
)


def parse(text: str, *, merge_thousands: bool = True) -> Node:
    """The tree of one answer: an expression, relation, sequence or bare list. Raises :class:`ParseError`."""
    return parse_clean(clean(text), merge_thousands=merge_thousands)


def parse_clean(text: str, *, merge_thousands: bool = True) -> Node:
    """As :func:`parse`, for text that :func:`clean` has seen."""
    text = spelling.repeating(text)
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
        if following != "/":
            return index + 1, tokens[index].text
    return None


class _Parser(Terms):
    """The outermost layer: one answer."""

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
        if self.at(*RELATIONS) and node.op == "quantity":  # "5 km = 5000 m"
            node = self.relation(first=node)
            node = self._unit(node, closers)
        if not label:
            return node
        unknown = re.fullmatch(r"(?:.*\s)?([xyz])", label)  # "the line x = 3"
        name = Node("sym", name=unknown[1]) if unknown else Node("word", name=label)
        if node.op == "rel":
            return Node("rel", (name, *node.args), name="= " + node.name)
        return Node("rel", (name, node), name="=")

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
            before = self.tokens[index - 1].kind
            if token.text == ":" and before == "num":
                break
            if token.kind == "op" and token.text in ("<", ">", "<=", ">=") and before == "word":
                words = " ".join(item.text.lower() for item in self.tokens[self.position : index])
                self.position = index
                return words
            if (
                token.text in ("=", ":")
                or token.text.lower() in ("is", "are")
                or (token.kind == "word" and token.text.lower() == "equals")
            ):
                words = " ".join(item.text.lower() for item in self.tokens[self.position : index])
                if _OCCASIONS & set(words.split()):
                    raise ParseError("where it happens, not what it is called")
                self.position = index + 1
                while self.peek().kind == "word" and self.peek().text.lower() in _HEDGES:
                    self.position += 1
                return words
            if token.kind not in ("word", "sym", "num") and token.text not in ("(", ")"):
                break
            index += 1
        return ""

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
                token.kind == "op" and (token.text in _SEPARATORS or token.text in RELATIONS)
            ) or token.text.lower() in ("and", "or"):
                break
            if token.kind == "num" and words and words[-1] not in ("^", "-", "{", "_") and self._is_new_quantity(words):
                break
            if token.text.lower() in ("wrong", "incorrect", "false", "impossible", "is", "are", "was", "were"):
                raise ParseError("a judgement, not a unit")
            words.append(self.take().text)
        while words and words[-1].lower() in _EXTENTS:  # a unit may stand before it: 15 m long
            words.pop()
        if [word.lower() for word in words[-2:]] in (["in", "all"], ["in", "total"]):
            del words[-2:]
        if not words:
            return node
        unit = _join(words)
        if len(words) > 1 and not measure(unit) and all(part.op != "num" for part in walk(node)):
            raise ParseError("a sentence, not a unit behind a letter")
        if words[0].lower() in _MULTIPLIERS:
            node = Node("mul", (node, number(_MULTIPLIERS[words[0].lower()])))
            unit = _join(words[1:])
        if node.op == "rel" and unit:
            return node.having(*node.args[:-1], Node("quantity", (node.args[-1],), name=unit))
        return Node("quantity", (node,), name=unit) if unit else node

    @staticmethod
    def _is_new_quantity(words: list[str]) -> bool:
        """A number behind ``3 hours``; behind other words it makes a sentence."""
        if measure(_join(words)):
            return True
        raise ParseError("a number in the words behind a number")


def _join(words: list[str]) -> str:
    return re.sub(r"\s*([\^/{}_-])\s*", r"\1", " ".join(words)).strip()
