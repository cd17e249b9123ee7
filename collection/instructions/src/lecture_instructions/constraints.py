"""The constraints: for each kind what the prompt says, and a checker of its own. Both read the same parameters."""

# ruff: noqa: E501 -- tables of texts

import re
from collections.abc import Callable

from lecture_instructions.text import lines, sentences, words

Checker = Callable[..., bool]
_QUOTES = (('"', '"'), ("“", "”"))


def _words_between(text: str, low: int, high: int) -> bool:
    return low <= len(words(text)) <= high


def _sentences_exactly(text: str, number: int) -> bool:
    return len(sentences(text)) == number


def _longest_sentence(text: str, most: int) -> bool:
    return bool(words(text)) and all(len(words(sentence)) <= most for sentence in sentences(text))


def _uses(text: str, *needed: str) -> bool:
    return {word.lower() for word in needed} <= set(words(text))


def _uses_times(text: str, word: str, times: int) -> bool:
    return words(text).count(word.lower()) == times


def _avoids(text: str, *banned: str) -> bool:
    found = words(text)
    return bool(found) and not {word.lower() for word in banned} & set(found)


def _begins(text: str, word: str) -> bool:
    return words(text)[:1] == [word.lower()]


def _ends(text: str, phrase: str) -> bool:
    wanted = words(phrase)
    return words(text)[-len(wanted) :] == wanted


def _bullets(text: str, number: int) -> bool:
    found = lines(text)
    return len(found) == number and all(re.match(r"- +\S", line) and words(line) for line in found)


def _numbered(text: str, number: int) -> bool:
    marks = [re.match(r"(\d{1,2})[.)] +\S", line) for line in lines(text)]
    return [mark and int(mark[1]) for mark in marks] == list(range(1, number + 1))


def _paragraphs(text: str, number: int) -> bool:
    found = [part for part in re.split(r"\n[ \t]*\n", text) if words(part)]
    return len(found) == number and not any(len(lines(part)) > 1 for part in found)


def _titled(text: str) -> bool:
    found = lines(text)
    has_title = len(found) > 1 and re.fullmatch(r"<<[^<>]*\w[^<>]*>>", found[0]) is not None
    return has_title and not any("<<" in line for line in found[1:])


def _quoted(text: str) -> bool:
    inside = text[1:-1]
    return any(
        len(text) > 2 and text[0] == left and text[-1] == right and left not in inside and right not in inside
        for left, right in _QUOTES
    )


def _lowercase(text: str) -> bool:
    return text == text.lower() and any(map(str.isalpha, text))


def _uppercase(text: str) -> bool:
    return text == text.upper() and any(map(str.isalpha, text))


def _without_letter(text: str, letter: str) -> bool:
    return bool(text) and letter not in text.lower()


def _capitals(text: str, number: int) -> bool:
    found = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text)
    return sum(len(word) > 1 and word.isupper() for word in found) == number


def _exclamations(text: str, number: int) -> bool:
    return text.count("!") == number


def _semicolons(text: str, number: int) -> bool:
    return text.count(";") == number


KINDS: dict[str, dict[str, tuple[Checker, str]]] = {
    "length": {
        "words-between": (_words_between, "Write at least {} and at most {} words."),
        "sentences-exactly": (_sentences_exactly, "Write exactly {} sentences."),
        "longest-sentence": (_longest_sentence, "No sentence may have more than {} words."),
    },
    "words": {
        "uses": (_uses, "Use the words “{}” and “{}”, each at least once."),
        "uses-times": (_uses_times, "Use the word “{}” exactly {} times."),
        "avoids": (_avoids, "Do not use any of the words “{}”, “{}” and “{}”."),
        "begins": (_begins, "The first word must be “{}”."),
        "ends": (_ends, "The last words must be “{}”."),
    },
    "form": {
        "bullets": (_bullets, "Write a list of exactly {} bullet points, each on a line that begins with “- ”, and nothing else."),
        "numbered": (_numbered, "Write exactly {} numbered lines (1., 2., …), and nothing else."),
        "paragraphs": (_paragraphs, "Write exactly {} paragraphs of one line each, with an empty line between them."),
        "titled": (_titled, "Put the name of the place as a title in double angle brackets, as <<name>>, on the first line; the text follows on the next line."),
        "quoted": (_quoted, "Put the whole text in double quotation marks."),
    },
    "letters": {
        "lowercase": (_lowercase, "Use no capital letters."),
        "uppercase": (_uppercase, "Use only capital letters."),
        "without-letter": (_without_letter, "Use no word with the letter “{}”."),
        "capitals": (_capitals, "Write exactly {} words in capital letters only (words of one letter do not count)."),
        "exclamations": (_exclamations, "Use exactly {} exclamation marks."),
        "semicolons": (_semicolons, "Use exactly {} semicolons."),
    },
}  # fmt: skip
"""Family -> kind -> checker and wording. A task has one constraint of each family."""
FAMILIES = tuple(KINDS)


def wording(family: str, kind: str, parameters: list) -> str:
    """What the prompt says. Every parameter of the checker stands in it."""
    return KINDS[family][kind][1].format(*parameters)


def is_kept(family: str, kind: str, parameters: list, text: str) -> bool:
    """Whether a cleaned text keeps a constraint."""
    return KINDS[family][kind][0](text, *parameters)
