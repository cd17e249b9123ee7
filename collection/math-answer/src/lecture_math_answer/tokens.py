"""From plain notation to tokens; words, symbols, commands and numbers told apart."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from dataclasses import dataclass

FUNCTIONS = frozenset(
    "sin cos tan cot sec csc cosec arcsin arccos arctan arccot sinh cosh tanh asin acos atan tg ctg arctg ln log lg exp sqrt abs max min gcd lcm det"
    " floor ceil cbrt sgn arg Re Im cis deg_of".split()
)
GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau upsilon phi varphi chi psi omega"
    " Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega ell hbar".split()
)
# Short words that are words, not products of letters; longer runs of letters are words anyway.
SHORT_WORDS = frozenset(
    "and or is are the a of to in on at by if so be no yes for not we it an as all any one two six ten day cm mm km kg ml mg min hr sec lb ft in am pm th st nd rd"
    " sq deg sum day days inch mph kmh rad rs usd only odd can cut dne has per set let his her its was but get mod row win tie man men boy age cat dog red she he"
    " you our out off top low big old new now way bag box car bus cup egg pie map bit cow hen pig few end due did day may jan feb mar apr jun jul aug sep oct"
    " nov dec sun mon tue wed thu fri sat pi inf oo ha cc".split()
)
_COMMAND_SYMBOLS = {
    "cdot": "*", "times": "*", "ast": "*", "bullet": "*", "div": "/", "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=", "ge": ">=", "geq": ">=",
    "geqslant": ">=", "geqq": ">=", "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "approx": "~", "simeq": "~", "sim": "~", "doteq": "~", "cong": "~",
    "equiv": "=", "coloneqq": "=", "pm": "±", "mp": "∓", "cup": "cup", "bigcup": "cup", "cap": "cap", "setminus": "minus", "backslash": "minus",
    "in": "in", "notin": "notin", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "Vert": "|", "lVert": "|", "rVert": "|", "colon": ":", "lbrace": "{", "rbrace": "}", "langle": "(", "rangle": ")",
    "lbrack": "[", "rbrack": "]", "infty": "inf", "land": "and", "wedge": "and", "lor": "or", "vee": "or", "to": "to", "implies": "=>", "Rightarrow": "=>",
    "Longrightarrow": "=>", "therefore": "=>", "iff": "=>", "Leftrightarrow": "=>", "prime": "'", "lnot": "not", "neg": "not", "ldots": "dots", "dots": "dots", "cdots": "dots",
    "deg": "deg", "emptyset": "emptyset", "varnothing": "emptyset", "newline": ",",
}  # fmt: skip


_VARIANTS = {"varphi": "phi", "varepsilon": "epsilon", "vartheta": "theta", "varrho": "rho"}


@dataclass(frozen=True, slots=True)
class Token:
    """``kind``: num sym word fn op cmd set; ``spaced``: white space stood before it."""

    kind: str
    text: str
    spaced: bool = False
    start: int = 0


_PATTERN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<num>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+(?![a-zA-Z]))?)"
    r"|(?P<row>\\\\)"
    r"|\\mathbb\s*\{?\s*(?P<set>[RZNQC])\s*\}?"
    r"|\\(?P<env>begin|end)\s*\{(?P<envname>[a-zA-Z]+\*?)\}(?:\s*\{[lcr| ]*\})?"
    r"|(?P<brace>\\[{}])"
    r"|\\(?P<cmd>[a-zA-Z]+)"
    r"|(?P<word>[A-Za-z]+(?:-[A-Za-z]{4,})*)"
    r"|(?P<op>\*\*|<=>|=>|<=|>=|==|!=|:=|=<|[-+*/^_=<>~!%|(){}\[\],;:&'?])"
    r"|(?P<end>\.\s+(?=[A-Za-z\\$]))"
    r"|(?P<stop>\.)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_OPERATORS = {"**": "^", "==": "=", ":=": "=", "=<": "<=", "<=>": "=>"}


class TokenError(ValueError):
    """The text has a character that no formula has."""


class GluedCommand(ValueError):
    """A command runs into the next letter; ``args[0]`` is where a space belongs."""


_COMMANDS = frozenset(
    "frac dfrac tfrac over binom dbinom tbinom lfloor lceil rfloor rceil overline bar vec hat widehat tilde overrightarrow boxed fbox angle triangle forall"
    " exists int iint oint sum prod lim hline cr parallel square bmod pmod mod mho perp nmid propto partial nabla sqrt underline dot ddot dagger star circ".split()
)


def tokenise(text: str) -> list[Token]:
    """The tokens of ``text``. Raises :class:`TokenError` where something is not of this notation."""
    for _ in range(8):
        try:
            return _tokens(text)
        except GluedCommand as glued:
            text = f"{text[: glued.args[0]]} {text[glued.args[0] :]}"
    raise TokenError("commands without spaces")


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    spaced = False
    for match in _PATTERN.finditer(text):
        kind = match.lastgroup or "other"
        if kind == "space":
            spaced = True
            continue
        tokens.extend(_token(kind, match, spaced))
        spaced = False
    return tokens


def _token(kind: str, match: re.Match[str], spaced: bool) -> list[Token]:
    text, start = match[0], match.start()
    if kind == "num":
        return [Token("num", text, spaced, start)]
    if kind == "row":
        return [Token("op", "row", spaced, start)]
    if kind == "set":
        return [Token("set", match["set"], spaced, start)]
    if kind in ("env", "envname"):
        return [Token(match["env"], match["envname"], spaced, start)]
    if kind == "brace":
        return [Token("op", text, spaced, start)]
    if kind == "cmd":
        return [_command(match["cmd"], spaced, start)]
    if kind == "word":
        return _word(text, spaced, start)
    if kind == "op":
        return [Token("op", _OPERATORS.get(text, text), spaced, start)]
    if kind == "end":
        raise TokenError("end of a sentence")
    if kind == "stop" or text in '"€£¥₹':
        return []
    raise TokenError(text)


def _command(name: str, spaced: bool, start: int) -> Token:
    name = _VARIANTS.get(name, name)
    if name in _COMMAND_SYMBOLS:
        symbol = _COMMAND_SYMBOLS[name]
        kind = "word" if symbol in ("and", "or", "not", "to", "dots", "emptyset") else "op"
        return Token(kind, symbol, spaced, start)
    if name in FUNCTIONS:
        return Token("fn", name, spaced, start)
    if name in GREEK or name == "pi":
        return Token("sym", name, spaced, start)
    if name not in _COMMANDS:  # "\\leqx", "\\pir": a command that lost its space
        for length in range(len(name) - 1, 1, -1):
            if name[:length] in _COMMAND_SYMBOLS or name[:length] in GREEK or name[:length] == "pi":
                raise GluedCommand(start + 1 + length)
    return Token("cmd", name, spaced, start)


def _word(text: str, spaced: bool, start: int) -> list[Token]:
    low = text.lower()
    if text in FUNCTIONS or low in ("sqrt", "sin", "cos", "tan", "ln", "log", "arcsin", "arccos", "arctan"):
        return [Token("fn", low if low in FUNCTIONS else text, spaced, start)]
    if low in ("equals", "equal"):
        return [Token("op", "=", spaced, start)]
    if low in ("infinity", "inf", "infty", "oo"):
        return [Token("op", "inf", spaced, start)]
    if low == "pi" or text in GREEK:
        return [Token("sym", low if low == "pi" else text, spaced, start)]
    if text in ("U", "u") and spaced:
        return [Token("sym", text, spaced, start)]
    if len(text) == 1:
        return [Token("sym", text, spaced, start)]
    if low in SHORT_WORDS or len(text) > 3:
        return [Token("word", text, spaced, start)]
    return [Token("sym", letter, spaced and index == 0, start + index) for index, letter in enumerate(text)]
