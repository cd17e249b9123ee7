"""Gate ``fluent``: known words, in an order that sentences can have, without repetition. See the README for limits."""

import re
from collections import Counter
from functools import cache
from importlib import resources
from itertools import pairwise

from lecture_instructions.text import letters_of, sentences

UNKNOWN, LEAST_FUNCTION, MOST_FUNCTION = 0.08, 0.22, 0.72
"""Shares of the words; two unknown words are allowed in any text."""
_DETERMINERS = frozenset("a an the my your its their our every".split())
_PREPOSITIONS = frozenset("of at from with into for by in on about under over near".split())
_AUXILIARIES = frozenset("is are was were has had have can will would must may".split())
_CONJUNCTIONS = frozenset("and or but".split())
_OTHERS = frozenset(
    """it he she they we you i this that these those there here who which what where when while as than to not no so
    if then also too very just only up down out off be been being do does did could should might all any some each
    many much more most few other such own same his her them us me each both since until because though after
    before through across along""".split()
)
FUNCTION_WORDS = _DETERMINERS | _PREPOSITIONS | _AUXILIARIES | _CONJUNCTIONS | _OTHERS
_AFTER_NO_DETERMINER = (
    _DETERMINERS
    | _CONJUNCTIONS
    | _PREPOSITIONS.difference(("over", "under", "about", "near"))
    | _AUXILIARIES.difference(("must", "can", "may", "will"))
)
_NOT_LAST = _DETERMINERS | _CONJUNCTIONS | frozenset("of from into than very who which".split())
_IRREGULAR = frozenset(
    """lit stole swam threw tore wore woke won wrapped rose rode rang ridden risen shone shook shown sang slept spoke
    spoken spun struck swept taught fed fell fallen felt flew flown fought forgot forgotten froze frozen hid hidden hung
    hurt laid let lost meant chose chosen dug drank drove driven ate eaten blew blown broke broken burnt caught crept
    bent bound bred dealt dreamt leapt learnt lent lain overlooked seaside waterfront favourite favour neighbour
    neighbourhood centre honour honoured labour parlour rumour splendour vapour jewellery storey catalogue whose
    built stood drew drawn found began begun held kept made said saw seen took taken told went gone came became
    known grew grown gave given left led met paid ran sat sold spent thought wrote written brought bought felt lay lies
    children men women people feet teeth lives leaves metre metres meter meters m nearby today nowadays don doesn isn
    aren wasn weren it's that's there's architect's harbour theatre colour grey visitors visitor timeless scenic
    landmark iconic attracts attracting showcases boasts picturesque townsfolk vibrant welcomes stunning charming
    nestled renowned masterpiece cherished captivating locals tourists""".split()
)


def is_fluent(text: str, given: list[str]) -> bool:
    """Whether the text reads like sentences. ``given``: words of the prompt, all known."""
    parts = [_tokens(sentence) for sentence in sentences(text)]
    spoken = [word for part in parts for word in part if not word[0].isdigit()]
    if len(spoken) < 8 or any(char.isalpha() and ord(char) > 0x24F for char in text):
        return False
    unknown = sum(not _is_known(word, frozenset(given)) for word in spoken)
    function = sum(word in FUNCTION_WORDS for word in spoken) / len(spoken)
    return (
        unknown <= max(2, UNKNOWN * len(spoken))
        and LEAST_FUNCTION <= function <= MOST_FUNCTION
        and not any(map(_is_broken, parts))
        and not _repeats(parts)
    )


def _tokens(sentence: str) -> list[str]:
    folded = letters_of(sentence).lower().replace("’", "'")
    return re.findall(r"\d[\d.,]*|[^\W\d_]+(?:'[^\W\d_]+)?", folded)


def _is_broken(part: list[str]) -> bool:
    """Whether two function words follow one another that cannot, or a sentence ends in the middle."""
    if len(part) > 1 and part[-1] in _NOT_LAST:
        return True
    return any(_cannot_follow(first, second) for first, second in pairwise(part))


def _cannot_follow(first: str, second: str) -> bool:
    if first == second:
        return first not in ("had", "that")
    if first in _DETERMINERS:
        return second in _AFTER_NO_DETERMINER
    if first in _CONJUNCTIONS:
        return second in _CONJUNCTIONS
    if first in ("of", "from", "into", "at", "with"):
        return second in _AUXILIARIES | _CONJUNCTIONS | {"of", "to", "it's"}
    if first in ("is", "are", "was", "were"):
        return second in ("is", "are", "was", "were", "has", "had", "have", "can", "will", "of")
    return first in ("it", "they", "we", "he", "she", "very") and second in ("of", "is" if first == "they" else "are")


def _repeats(parts: list[list[str]]) -> bool:
    """Whether a sentence stands there twice, or words or runs of three words return too often."""
    told = Counter(tuple(part) for part in parts if len(part) > 2)
    runs = Counter(run for part in parts for run in zip(part, part[1:], part[2:], strict=False))
    content = Counter(word for part in parts for word in part if word not in FUNCTION_WORDS)
    most = max(4, sum(map(len, parts)) // 8)
    return (
        max(told.values(), default=0) > 1
        or max(runs.values(), default=0) > 3
        or max(content.values(), default=0) > most
    )


def _is_known(word: str, given: frozenset[str]) -> bool:
    whole = word.removesuffix("'s").removesuffix("n't")
    return whole in given or _is_english(whole)


@cache
def _vocabulary() -> frozenset[str]:
    text = resources.files(__package__).joinpath("vocabulary.txt").read_text()
    return frozenset(text.split()) | FUNCTION_WORDS | _IRREGULAR


def _is_english(word: str) -> bool:
    return not _vocabulary().isdisjoint(_stems(word))


def _stems(word: str) -> list[str]:
    """The word, and what it may be a form of."""
    found = [word]
    for ending, instead in (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("d", ""), ("ied", "y"),
                            ("ing", ""), ("ing", "e"), ("ly", ""), ("er", ""), ("er", "e"), ("est", ""), ("iest", "y"),
                            ("ily", "y"), ("ers", ""), ("ers", "e")):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)] + instead
            found.append(stem)
            if len(stem) > 3 and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return found
