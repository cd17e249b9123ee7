"""The rules of the game: marks for a guess, and what a list of guesses amounts to."""

import re

from lecture_wordle.words import WORD_LENGTH, WORDS

MAX_GUESSES = 6
MAX_MESSAGES = 12
_TAGGED = re.compile(r"<guess>\W*([a-z]+)\W*</guess>", re.IGNORECASE)
_NAMED = re.compile(r"(?:my |first |next )*guess(?: is|:)\W*([a-z]{5})\b", re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


def marks(guess: str, answer: str) -> str:
    """``G`` right place, ``Y`` elsewhere in the word, ``X`` absent; each letter of the answer counts once."""
    result = ["X"] * WORD_LENGTH
    left = {}
    for place, letter in enumerate(answer):
        if guess[place] == letter:
            result[place] = "G"
        else:
            left[letter] = left.get(letter, 0) + 1
    for place, letter in enumerate(guess):
        if result[place] == "X" and left.get(letter, 0) > 0:
            result[place] = "Y"
            left[letter] -= 1
    return "".join(result)


def read_guess(text: str) -> str | None:
    """The one guess in a message: the last ``<guess>word</guess>``, else the last "guess: word".

    A message of one word is a guess as well. What stands in ``<think>`` is no guess.
    """
    spoken = _THOUGHT.sub(" ", text)
    found = _TAGGED.findall(spoken) or _NAMED.findall(spoken)
    word = found[-1] if found else re.sub(r"\A\W+|\W+\Z", "", spoken)
    word = word.lower()
    return word if word in WORDS else None


def is_played(state: object) -> bool:
    """Is ``state`` what a game can leave behind: known words, at most six, none after the game was over?"""
    if not isinstance(state, dict):
        return False
    guesses, messages = state.get("guesses"), state.get("messages")
    if not isinstance(guesses, list) or isinstance(messages, bool) or not isinstance(messages, int):
        return False
    known = all(isinstance(word, str) and word in WORDS for word in guesses)
    return known and len(guesses) <= MAX_GUESSES and len(guesses) <= messages <= MAX_MESSAGES
