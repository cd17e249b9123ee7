"""How similar the code of two verifiers is: MinHash over shingles of tokens, without names and comments.

Nothing is run: a stranger's source is read as text, bounded, by the standard library's tokenizer.
"""

import builtins
import hashlib
import io
import keyword
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import suppress

import numpy as np

SHINGLE = 7
"""Tokens in one shingle. Any two programs share shorter ones; only copies share longer ones."""
HASHES = 256
"""Standard error of a similarity of 1/2: 3 points."""
MOST_BYTES = 1_000_000  # chosen: what comes after it is left out
FEWEST_SHINGLES = 20
"""With fewer shingles any two functions look alike."""
_KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins))
_SKIPPED = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER})
_BLOCKS = {tokenize.INDENT: "<", tokenize.DEDENT: ">"}
_UNREADABLE = (tokenize.TokenError, SyntaxError, UnicodeError, ValueError)
_RANDOM = np.random.default_rng(20_261_121)
_FACTORS = _RANDOM.integers(1, 2**63, HASHES, dtype=np.uint64) | np.uint64(1)
_OFFSETS = _RANDOM.integers(0, 2**63, HASHES, dtype=np.uint64)


def minhash_of(files: Mapping[str, bytes]) -> list[int]:
    """[256] minima over the shingles of all Python files, or empty where there is too little code to tell.

    Names that the author chose are one token, so that renaming changes nothing; keywords, built-ins, attribute names,
    numbers and strings stay. Docstrings and comments go. Source: Broder, On the resemblance and containment of
    documents, 1997, with multiply-shift hashing.
    """
    shingles: set[int] = set()
    size = 0
    for path in sorted(path for path in files if path.endswith(".py")):
        size += len(files[path])
        if size > MOST_BYTES:
            break
        tokens = _tokens(files[path])
        for start in range(len(tokens) - SHINGLE + 1):
            text = "\x00".join(tokens[start : start + SHINGLE])
            shingles.add(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()))
    if len(shingles) < FEWEST_SHINGLES:
        return []
    hashed = np.array(sorted(shingles), dtype=np.uint64)
    return [
        int((hashed * factor + offset).min() >> np.uint64(32))
        for factor, offset in zip(_FACTORS, _OFFSETS, strict=True)
    ]


def similarity(first: list[int], second: list[int]) -> float:
    """The estimated Jaccard index of two signatures' shingles, 0..1; 0 where either is empty."""
    if not first or len(first) != len(second):
        return 0.0
    return sum(one == two for one, two in zip(first, second, strict=True)) / len(first)


def _tokens(source: bytes) -> list[str]:
    """Normalised tokens; as far as the text can be read."""
    found: list[str] = []
    before = ""
    with suppress(*_UNREADABLE):
        for token in _said(source):
            is_chosen = token.type == tokenize.NAME and token.string not in _KEPT and before != "."
            found.append("v" if is_chosen else _text_of(token))
            before = token.string
    return found


def without_comments(source: bytes) -> bytes:
    """Its tokens, each on a line, with names and without comments, docstrings and layout. What is no Python, or longer
    than is read, as it is.
    """
    if len(source) > MOST_BYTES:
        return source
    try:
        return "\n".join(map(_text_of, _said(source))).encode(errors="surrogateescape")
    except _UNREADABLE:
        return source


def _said(source: bytes) -> Iterator[tokenize.TokenInfo]:
    starts_statement = True
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type == tokenize.NEWLINE:
            starts_statement = True
        if token.type in _SKIPPED:
            continue
        if token.type in _BLOCKS:
            yield token
        elif token.type != tokenize.STRING or not starts_statement:  # else a docstring
            starts_statement = False
            yield token


def _text_of(token: tokenize.TokenInfo) -> str:
    return _BLOCKS.get(token.type, token.string)
