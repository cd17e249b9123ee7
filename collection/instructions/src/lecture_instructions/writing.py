"""Texts that tell the facts: the generator draws its constraints from one, so that they never contradict each other."""

# ruff: noqa: E501 -- tables of texts

import itertools
from random import Random

from lecture_instructions.subjects import Subject

_NAMED = {
    "year": ["{n} opened in {v}.", "{n} was built in {v}.", "Since {v} {n} has stood open."],
    "person": ["{n} was designed by {v}.", "{v} designed {n}.", "{v} drew the plans of {n}."],
    "size": ["{n} is {v}.", "{n} measures {s}."],
    "visitors": ["{n} has {c} visitors a year.", "Each year {c} people visit {n}."],
    "town": ["{n} stands in {v}.", "People of {v} love {n}."],
    "colour": ["{n} is painted {v}.", "The colour of {n} is {v}."],
}
_LATER = {
    "year": ["It opened in {v}.", "It began its work in {v}.", "Since {v} its doors stand open.", "People built it in {v}."],
    "person": ["{v} designed it.", "Its architect was {v}.", "The plans are by {v}.", "It grew from plans by {v}."],
    "size": ["It is {v}.", "It measures {s} in all.", "At {s} it draws every eye."],
    "visitors": ["Each year {c} people visit it.", "It has {c} visitors a year.", "Some {c} guests come each year."],
    "town": ["It stands in {v}.", "You find it in {v}.", "People of {v} love it."],
    "colour": ["It is painted {v}.", "Its walls are {v}.", "A coat of {v} covers it all."],
}  # fmt: skip
FILLERS = """Many come back for more. Guides like to tell old tales. The doors open early in summer. You can see far on a clear
day. Some bring bread for a quiet lunch. Artists come here for the light. Families like the long walk. School classes learn a lot there.
Rain does little harm to the walls. A small shop sells good tea. Friends often meet near the door. The staff know every corner.
In winter the place is calm. Birds rest high on the beams. Old photographs hang by the stairs. Nothing else looks quite like it.
Even tired feet will enjoy the path. On Sundays a band plays outside. Its story is worth a visit. Visitors of all ages feel at home.
The air smells of wood and salt. Evening light makes it glow. Most guests stay for an hour.""".replace("\n", " ").split(
    ". "
)
_WITH_WORD = """A {} waits near the door. Look for the {} outside. Some still talk about the {}. Every tour ends with a {}.
Children like to paint the {}. The old {} is a sight of its own. Nobody forgets that {} again. Ask the staff about the {}.""".replace("\n", " ").split(". ")  # fmt: skip
_STARTS = ["{} you can see it all.", "{} it is a fine place to be.", "{} many people know the way."]


def end_with(noun: str) -> str:
    """The last words that a task may ask for."""
    return f"come for the {noun}"


def draft(subject: Subject, random: Random, fillers: int = 0, *, noun: str = "", times: int = 0, start: str = "", end: str = "") -> list[str]:  # fmt: skip
    """Sentences that tell every fact, the first by name; with so many fillers, and so many sentences with ``noun``."""
    kinds = random.sample(list(subject.facts), len(subject.facts))
    told = [random.choice((_NAMED if place == 0 else _LATER)[kind]) for place, kind in enumerate(kinds)]
    found = [_filled(form, subject, kind) for form, kind in zip(told, kinds, strict=True)]
    more = [f"{text.strip('.')}." for text in random.sample(FILLERS, min(fillers, len(FILLERS)))]
    more += [f"{form.strip('.').format(noun)}." for form in random.sample(_WITH_WORD, times)]
    random.shuffle(more)
    found += more
    if start:
        found.insert(0, random.choice(_STARTS).format(start))
    return [*found, f"{end[0].upper()}{end[1:]}."] if end else found


def _filled(form: str, subject: Subject, kind: str) -> str:
    value = subject.facts[kind]
    short = " ".join(value.split()[:2]) if kind == "size" else value
    return form.format(n=subject.name, v=value, s=short, c=value.split()[0])


def in_form(sentences: list[str], kind: str, parameters: list, random: Random) -> str:
    """The sentences as a list, paragraphs, one line, with a title or in quotation marks."""
    if kind in ("bullets", "numbered", "paragraphs"):
        number = parameters[0]
        cuts = [0, *sorted(random.sample(range(1, len(sentences)), number - 1)), len(sentences)]
        parts = [" ".join(sentences[a:b]) for a, b in itertools.pairwise(cuts)]
        if kind == "paragraphs":
            return "\n\n".join(parts)
        marks = ["- "] * number if kind == "bullets" else [f"{place}. " for place in range(1, number + 1)]
        return "\n".join(mark + part for mark, part in zip(marks, parts, strict=True))
    text = " ".join(sentences)
    if kind == "titled":
        return f"<<A place to see>>\n{text}"
    return f'"{text}"' if kind == "quoted" else text


def in_letters(text: str, kind: str, parameters: list, random: Random) -> str:
    """The text in the letters and marks that are asked for."""
    if kind == "lowercase":
        return text.lower()
    if kind == "uppercase":
        return text.upper()
    if kind == "no-commas":
        return text.replace(",", "")
    if kind == "exclamations":
        places = [
            place for place, char in enumerate(text) if char == "." and text[place + 1 : place + 2] in ("", " ", "\n")
        ]
        chosen = set(random.sample(places, min(parameters[0], len(places))))
        return "".join("!" if place in chosen else char for place, char in enumerate(text))
    if kind == "capitals":
        parts = text.split(" ")
        places = [place for place, part in enumerate(parts) if part.isalpha() and len(part) > 3]
        for place in random.sample(places, min(parameters[0], len(places))):
            parts[place] = parts[place].upper()
        return " ".join(parts)
    return text
