"""The tokens of one answer and the place in them, which every layer of the parser shares."""

from lecture_math_answer.tokens import Token

END = Token("end", "")


class ParseError(ValueError):
    """The text is not a formula of this notation; it may still be a text answer."""


class Reader:
    """``position`` is the next token to read.

    ``bars``: how many |…| are open, inside which a bar closes. ``no_bar``: set builders, in which a bar is "such that".
    """

    def __init__(self, tokens: list[Token]):
        self.tokens = tokens
        self.position = 0
        self.depth = 0
        self.bars = 0  # open |…|, inside which a bar closes
        self.no_bar = 0  # set builders, in which a bar is "such that"

    def peek(self, ahead: int = 0) -> Token:
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else END

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
