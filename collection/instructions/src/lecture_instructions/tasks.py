"""Tasks: patterns about a place, and four constraints that one text is known to keep and few texts keep by chance."""

# ruff: noqa: E501 -- texts

from random import Random

from lecture_instructions.constraints import FAMILIES, is_kept, wording
from lecture_instructions.judge import verify
from lecture_instructions.subjects import Subject, draw_subject
from lecture_instructions.text import clean, sentences, words
from lecture_instructions.writing import draft, in_form, in_letters

LEVELS = {
    "easy": {
        "length": ["words-between", "sentences-exactly"],
        "words": ["uses", "begins"],
        "form": ["paragraphs", "bullets", "quoted"],
        "letters": ["lowercase", "uppercase", "exclamations"],
    },
    "medium": {
        "length": ["words-between", "sentences-exactly"],
        "words": ["uses", "uses-times", "ends"],
        "form": ["bullets", "numbered", "quoted", "titled"],
        "letters": ["uppercase", "exclamations", "without-letter", "semicolons"],
    },
    "hard": {
        "length": ["words-between", "longest-sentence", "sentences-exactly"],
        "words": ["uses-times", "avoids", "ends"],
        "form": ["numbered", "paragraphs", "bullets", "titled"],
        "letters": ["without-letter", "capitals", "semicolons"],
    },
}
FACTS, EXTRAS, WIDTH = (
    {"easy": 3, "medium": 4, "hard": 5},
    {"easy": 5, "medium": 6, "hard": 8},
    {"easy": 6, "medium": 4, "hard": 2},
)
"""By level: how many facts and extras, and how far apart the limits on words are."""
OTHERS, MOST_BY_CHANCE = 24, 4
"""A constraint is drawn again if more than 4 of 24 other texts from the same patterns keep it."""
_CLASHES = {("titled", "sentences-exactly"), ("titled", "longest-sentence"), ("titled", "begins"), ("titled", "without-letter")}  # fmt: skip
ASK = """\
Write a short text about {name} for a travel guide, out of these patterns and nothing else. Of (a|b) take one; of [a] or [a|b] take one or none.
{patterns}

Tell every numbered pattern exactly once, in one of its forms. Take any of the lettered ones, each at most once. The order is yours. A sentence is one pattern, or
several joined by “and” or by a semicolon. Commas and capital letters are yours; a sentence ends with a full stop or an exclamation mark.

Keep to each of these:
{rules}

Words stand between spaces; the marks of a list are none, a title's words are. A sentence ends also at the end of its line. Answer with the text alone."""


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments."""
    return make_with_text(split, seed, index)[0]


def make_with_text(split: str, seed: int, index: int) -> tuple[dict, str]:
    """A task, and a text that earns all of it: the constraints were read off the text."""
    random = Random(f"instructions 2:{split}:{seed}:{index}")
    level = list(LEVELS)[index % len(LEVELS)]
    while True:
        subject = draw_subject(split, random, FACTS[level], EXTRAS[level])
        made = _constrained(subject, level, random)
        if made is None:
            continue
        constraints, text = made
        task = task_about(f"{level}-{split}-{seed}-{index}", split, level, subject, constraints)
        if all(value == 1.0 for value in verify(task, text).values()):
            return task, text


def task_about(ident: str, split: str, level: str, subject: Subject, constraints: list[list]) -> dict:
    """The task as a model gets it, and what the verifier needs."""
    rules = "\n".join(f"- {wording(*constraint)}" for constraint in constraints)
    return {
        "id": ident,
        "prompt": ASK.format(name=subject.name, patterns=_listed(subject.patterns), rules=rules),
        "info": {"name": subject.name, "patterns": subject.patterns, "constraints": constraints},
        "tags": [level, *(kind for _, kind, _ in constraints)],
        "split": split,
    }


def _listed(patterns: list[dict]) -> str:
    needed = [each["forms"] for each in patterns if each["needed"]]
    spare = [each["forms"] for each in patterns if not each["needed"]]
    marked = [(str(number), forms) for number, forms in enumerate(needed, 1)]
    marked += list(zip("ABCDEFGHIJKL", spare, strict=False))
    return "\n".join(f"{mark}. " + "\n   or: ".join(forms) for mark, forms in marked)


def _constrained(subject: Subject, level: str, random: Random) -> tuple[list[list], str] | None:
    """Constraints and a text that keeps them, or None where this draw does not fit together."""
    kinds = {family: random.choice(LEVELS[level][family]) for family in FAMILIES}
    asked = {(kinds["form"], kinds[family]) for family in FAMILIES}
    if asked & _CLASHES:
        return None
    others = [_text_by_chance(subject, random) for _ in range(OTHERS)]
    joints = 0 if kinds["length"] == "longest-sentence" else random.randint(0, 3)
    said = draft(subject.patterns, random, random.randint(1, EXTRAS[level]), joints)
    given: dict[str, list] = {"form": [], "letters": []}
    if kinds["form"] in ("bullets", "numbered", "paragraphs"):
        if len(said) < 2:
            return None
        given["form"] = [random.randint(2, min(6, len(said)))]
    if kinds["letters"] in ("capitals", "exclamations"):
        given["letters"] = [random.randint(2, 4)]
    text = in_letters(in_form(said, subject.name, kinds["form"], given["form"], random), kinds["letters"], given["letters"], random)  # fmt: skip
    if kinds["letters"] == "semicolons":
        given["letters"] = [text.count(";")]
    if kinds["letters"] == "without-letter":
        free = [letter for letter in "abcdefghiklmnoprstuvwy" if letter not in text.lower()]
        given["letters"] = [random.choice(free)] if free else ["e"]
    given["words"] = _words_of(kinds["words"], text, others, random)
    given["length"] = _length_of(kinds["length"], text, level, random)
    constraints = [[family, kinds[family], given[family]] for family in FAMILIES]
    is_rare = all(sum(is_kept(*each, other) for other in others) <= MOST_BY_CHANCE for each in constraints)
    return (constraints, text) if is_rare else None


def _text_by_chance(subject: Subject, random: Random) -> str:
    """A plain text from the patterns, of any length."""
    spare = sum(not each["needed"] for each in subject.patterns)
    said = draft(subject.patterns, random, random.randint(0, spare), random.randint(0, 3))
    return in_form(said, subject.name, "plain", [], random)


def _words_of(kind: str, text: str, others: list[str], random: Random) -> list:
    """Words that the text has, so many times or at its ends, or that others have and it has not."""
    found = words(text)
    plain = sorted({word for word in found if word.isalpha() and len(word) > 2})
    if kind == "uses":
        return random.sample(plain, 2)
    if kind == "uses-times":
        word = random.choice([word for word in plain if found.count(word) > 1] or plain)
        return [word, found.count(word)]
    if kind == "begins":
        return [found[0] if found[0].isalpha() else plain[0]]
    if kind == "ends":
        return [" ".join(found[-3:] if not any(map(str.isdigit, "".join(found[-3:]))) else plain[:3])]
    free = sorted({word for other in others for word in words(other) if word.isalpha()} - set(found))
    return random.sample(free, 3) if len(free) > 2 else ["it", "is", "the"]


def _length_of(kind: str, text: str, level: str, random: Random) -> list[int]:
    if kind == "words-between":
        low = len(words(text)) - random.randint(0, WIDTH[level])
        return [low, low + WIDTH[level]]
    said = sentences(clean(text))
    return [len(said)] if kind == "sentences-exactly" else [max(len(words(each)) for each in said)]
