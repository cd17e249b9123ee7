"""Texts out of patterns: sentences by chance, and the forms and letters that tasks ask for."""

import itertools
import re
from random import Random

from lecture_instructions.patterns import JOINTS, expansions

_TITLED = re.compile(r"[A-Z]\w* [A-Z]")
"""A name of two words stands first."""


def draft(patterns: list[dict], random: Random, extras: int, joints: int = 0) -> list[str]:
    """Sentences without full stops: each needed pattern and so many extras in any order, with so many joints."""
    spare = [each for each in patterns if not each["needed"]]
    chosen = [each for each in patterns if each["needed"]] + random.sample(spare, min(extras, len(spare)))
    random.shuffle(chosen)
    found = [random.choice(expansions(random.choice(each["forms"]))) for each in chosen]
    return joined(found, [random.choice(JOINTS) for _ in range(joints)], random)


def joined(parts: list[str], joints: list[str], random: Random) -> list[str]:
    """Each joint, ``and`` or ``;``, between some part and the one behind it."""
    found = list(parts)
    for joint in joints[: len(found) - 1]:
        place = random.randrange(len(found) - 1)
        behind = found[place + 1]
        behind = behind if _TITLED.match(behind) else behind[0].lower() + behind[1:]
        found[place : place + 2] = [found[place] + (f"{joint} " if joint == ";" else f" {joint} ") + behind]
    return found


def in_form(sentences: list[str], name: str, kind: str, parameters: list, random: Random) -> str:
    """The sentences as a list, paragraphs, one line, with a title or in quotation marks."""
    said = [f"{text[0].upper()}{text[1:]}." for text in sentences]
    if kind in ("bullets", "numbered", "paragraphs"):
        number = min(parameters[0], len(said))
        cuts = [0, *sorted(random.sample(range(1, len(said)), number - 1)), len(said)]
        parts = [" ".join(said[a:b]) for a, b in itertools.pairwise(cuts)]
        if kind == "paragraphs":
            return "\n\n".join(parts)
        marks = ["- "] * number if kind == "bullets" else [f"{place}. " for place in range(1, number + 1)]
        return "\n".join(mark + part for mark, part in zip(marks, parts, strict=True))
    text = " ".join(said)
    if kind == "titled":
        return f"<<{name}>>\n{text}"
    return f'"{text}"' if kind == "quoted" else text


def in_letters(text: str, kind: str, parameters: list, random: Random) -> str:
    """The text in the letters and marks that are asked for."""
    if kind == "lowercase":
        return text.lower()
    if kind == "uppercase":
        return text.upper()
    if kind == "exclamations":
        places = [found.start() for found in re.finditer(r"(?<!\n\d)(?<=\w)\.(?=\W|$)", text) if found.start() > 1]
        chosen = set(random.sample(places, min(parameters[0], len(places))))
        return "".join("!" if place in chosen else char for place, char in enumerate(text))
    if kind == "capitals":
        parts = re.split(r"(?<= )|(?<=\n)", text)
        places = [place for place, part in enumerate(parts) if part.strip().isalpha() and len(part.strip()) > 2]
        for place in random.sample(places, min(parameters[0], len(places))):
            parts[place] = parts[place].upper()
        return "".join(parts)
    return text
