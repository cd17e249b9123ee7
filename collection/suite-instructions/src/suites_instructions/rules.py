"""Instructions about form. Each makes texts that keep it, and texts that surely break it, whoever reads it."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from suites_instructions.texts import prose, sentences, words

Texts = list[tuple[str, str]]
"""(name of the form, the response)."""


@dataclass(frozen=True)
class Made:
    """An instruction in words and as data, and responses that keep and break it."""

    words: str
    args: dict[str, Any]
    kept: Texts
    broken: Texts


def lowercase(rng: random.Random) -> Made:
    small, usual = ". ".join(sentences(rng, 3)) + ".", prose(rng, 3)
    one_capital = small[:-8] + small[-8:].upper()
    return Made(
        "Use small letters only.",
        {},
        [("sentences", small), ("lines", small.replace(". ", ".\n"))],
        [("usual", usual), ("one word", one_capital), ("capitals", small.upper())],
    )


def uppercase(rng: random.Random) -> Made:
    large, usual = prose(rng, 3).upper(), prose(rng, 3)
    return Made(
        "Use capital letters only.",
        {},
        [("sentences", large), ("lines", large.replace(". ", ".\n"))],
        [("usual", usual), ("small", usual.lower()), ("one word", large[:-8] + large[-8:].lower())],
    )


def no_comma(rng: random.Random) -> Made:
    usual, (first, second) = prose(rng, 2), sentences(rng, 2)
    return Made(
        "Do not use any comma.",
        {},
        [("sentences", usual), ("semicolon", f"{first}; {second}.")],
        [
            ("one comma", f"{usual[:-1]}, {second}."),
            ("first", f"Now, {first}."),
            ("several", f"{first}, {second}, and more."),
        ],
    )


def word_count(rng: random.Random) -> Made:
    count = rng.randint(8, 25)
    return Made(
        f"Use exactly {count} words.",
        {"count": count},
        [("one line", words(rng, count)), ("two lines", _two_lines(words(rng, count)))],
        [
            ("twice", words(rng, 2 * count)),
            ("half", words(rng, count // 2)),
            ("three more", words(rng, count + 3)),
            ("three fewer", words(rng, count - 3)),
        ],
    )


def most_words(rng: random.Random) -> Made:
    most = rng.randint(12, 25)
    return Made(
        f"Use at most {most} words.",
        {"most": most},
        [("fewer", words(rng, most - 4)), ("exactly", words(rng, most))],
        [("more", words(rng, most + 4)), ("twice", words(rng, 2 * most))],
    )


def keyword(rng: random.Random) -> Made:
    word, text = rng.choice(["lantern", "compass", "umbrella", "violin"]), prose(rng, 2)
    return Made(
        f"Use the word {word}.",
        {"word": word},
        [("end", f"{text} There is a {word} too."), ("start", f"The {word} is new. {text}")],
        [
            ("not there", text),
            ("part of it", f"{text} There is a {word[:-2]} too."),
            ("other word", f"{text} There is a clock."),
        ],
    )


def keyword_twice(rng: random.Random) -> Made:
    word, text = rng.choice(["lantern", "compass", "umbrella", "violin"]), prose(rng, 2)
    return Made(
        f"Use the word {word} exactly twice.",
        {"word": word, "count": 2},
        [
            ("both sentences", f"One {word} is old. {text} Another {word} is new."),
            ("one sentence", f"{text} It is {word} upon {word}."),
        ],
        [
            ("once", f"{text} There is a {word}."),
            ("never", text),
            ("three times", f"{text} A {word} and a {word} and a {word}."),
        ],
    )


def forbidden_word(rng: random.Random) -> Made:
    word, text = rng.choice(["lantern", "compass", "umbrella", "violin"]), prose(rng, 2)
    return Made(
        f"Do not use the word {word}.",
        {"word": word},
        [("not there", text), ("other word", f"{text} There is a clock.")],
        [("end", f"{text} There is a {word}."), ("start", f"The {word} is new. {text}")],
    )


def last_words(rng: random.Random) -> Made:
    phrase, text = (
        rng.choice(["that is all for today.", "and so the day ended.", "nothing more was said."]),
        prose(rng, 2),
    )
    return Made(
        f'End with exactly these words: "{phrase}"',
        {"phrase": phrase},
        [("sentence", f"{text} Well, {phrase}"), ("line", f"{text}\n{phrase}")],
        [("missing", text), ("in the middle", f"Well, {phrase} {text}"), ("cut", f"{text} Well, {phrase[:-7]}")],
    )


def bullets(rng: random.Random) -> Made:
    count = rng.randint(3, 6)
    return Made(
        f"Answer with exactly {count} bullet points, each on a line of its own that starts with a hyphen.",
        {"count": count},
        [("alone", _list(rng, count)), ("after words", f"Here is a list:\n\n{_list(rng, count)}")],
        [("one more", _list(rng, count + 1)), ("one fewer", _list(rng, count - 1)), ("prose", prose(rng, count))],
    )


def paragraphs(rng: random.Random) -> Made:
    count = rng.randint(2, 4)
    return Made(
        f"Write exactly {count} paragraphs with an empty line between each two.",
        {"count": count},
        [("usual", _paragraphs(rng, count))],
        [
            ("one more", _paragraphs(rng, count + 1)),
            ("one", prose(rng, 4)),
            ("one line breaks", _paragraphs(rng, count).replace("\n\n", "\n")),
        ],
    )


def json_object(rng: random.Random) -> Made:
    first, second = sentences(rng, 2)
    text = json.dumps({"title": first, "body": second})
    return Made(
        "Answer with one JSON object and nothing else.",
        {},
        [("one line", text), ("indented", json.dumps(json.loads(text), indent=2))],
        [
            ("cut", text[:-2]),
            ("single quotes", text.replace('"', "'")),
            ("prose", prose(rng, 2)),
            ("words before", f"Here it is:\n{text}"),
        ],
    )


def no_digit(rng: random.Random) -> Made:
    text = prose(rng, 2)
    return Made(
        "Do not use any digit.",
        {},
        [("sentences", text), ("number word", f"{text} There were three of them.")],
        [("number", f"{text} There were 3 of them."), ("year", f"In 1987 it was so. {text}")],
    )


def in_quotation_marks(rng: random.Random) -> Made:
    text = prose(rng, 2)
    return Made(
        "Put the whole answer in double quotation marks.",
        {},
        [("usual", f'"{text}"')],
        [("none", text), ("only the start", f'"{text}'), ("a part", f'{text} "{text[:12]}" and more')],
    )


def sentence_count(rng: random.Random) -> Made:
    count = rng.randint(2, 5)
    return Made(
        f"Write exactly {count} sentences.",
        {"count": count},
        [("one line", prose(rng, count)), ("lines", prose(rng, count).replace(". ", ".\n"))],
        [("one more", prose(rng, count + 1)), ("one fewer", prose(rng, count - 1)), ("many", prose(rng, 3 * count))],
    )


def _two_lines(text: str) -> str:
    half = len(text.split()) // 2
    return " ".join(text.split()[:half]) + "\n" + " ".join(text.split()[half:])


def _list(rng: random.Random, count: int) -> str:
    return "\n".join(f"- {one}" for one in sentences(rng, count))


def _paragraphs(rng: random.Random, count: int) -> str:
    return "\n\n".join(prose(rng, 2) for _ in range(count))


RULES: dict[str, Callable[[random.Random], Made]] = {
    rule.__name__.replace("_", " "): rule
    for rule in (
        lowercase, uppercase, no_comma, word_count, most_words, keyword, keyword_twice, forbidden_word, last_words,
        bullets, paragraphs, json_object, no_digit, in_quotation_marks, sentence_count,
    )
}  # fmt: skip
