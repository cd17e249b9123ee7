"""Two verdicts on one response: the key under which such pairs are counted, and their words for a reader."""

_KEYS = {True: "accepted", False: "rejected", None: "null"}
_WORDS = {True: "accepted", False: "rejected", None: "not judged"}
_WORD_OF_KEY = {_KEYS[verdict]: word for verdict, word in _WORDS.items()}


def pair_key(first: bool | None, second: bool | None) -> str:
    """``accepted/null``: the first was accepted, the second not judged."""
    return f"{_KEYS[first]}/{_KEYS[second]}"


def verdict_word(accepted: bool | None) -> str:
    """A verdict as a whole, in words."""
    return _WORDS[accepted]


def words_of_pair(key: str) -> tuple[str, str]:
    """``accepted/null`` -> ``("accepted", "not judged")``."""
    first, second = key.split("/")
    return _WORD_OF_KEY[first], _WORD_OF_KEY[second]
