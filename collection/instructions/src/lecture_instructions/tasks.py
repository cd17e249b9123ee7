"""Tasks: facts about a place, and four constraints that one text is known to keep."""

from random import Random

from lecture_instructions.constraints import FAMILIES, is_kept, wording
from lecture_instructions.english import is_fluent
from lecture_instructions.subjects import NOTES, Subject, draw_subject, pool
from lecture_instructions.telling import tells
from lecture_instructions.text import clean, letters_of, sentences, words
from lecture_instructions.writing import draft, end_with, in_form, in_letters

LEVELS = {
    "easy": {
        "length": ["words-between"],
        "words": ["uses", "begins"],
        "form": ["one-line", "paragraphs", "bullets"],
        "letters": ["lowercase", "no-commas"],
    },
    "medium": {
        "length": ["words-between", "sentences-exactly"],
        "words": ["uses", "uses-times", "ends"],
        "form": ["bullets", "numbered", "quoted", "titled"],
        "letters": ["uppercase", "no-commas", "exclamations", "without-letter"],
    },
    "hard": {
        "length": ["words-between", "longest-sentence", "sentences-exactly"],
        "words": ["uses-times", "avoids", "ends"],
        "form": ["numbered", "paragraphs", "titled", "quoted"],
        "letters": ["without-letter", "capitals", "exclamations"],
    },
}
FACTS, WIDTH = {"easy": 3, "medium": 4, "hard": 5}, {"easy": 16, "medium": 8, "hard": 2}
"""By level: how many facts, and how far apart the limits on words are."""
_TEMPTING = (
    "is was has had and very great built opened designed stands located people visitors year known every".split()
)
_CLASHES = {
    ("titled", "sentences-exactly"),
    ("titled", "longest-sentence"),
    ("titled", "begins"),
    ("titled", "without-letter"),
}
ASK = """\
Write a short text about {name} for a travel guide. Tell all of these facts, and state no other number in digits:
{facts}

Keep to each of these:
{rules}

Words stand between spaces; the marks of a list are none. A sentence ends with a full stop, an exclamation mark or a
question mark, or at the end of its line. Answer with the text alone."""


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments."""
    return make_with_text(split, seed, index)[0]


def make_with_text(split: str, seed: int, index: int) -> tuple[dict, str]:
    """A task, and a text that earns all of it: the constraints were read off the text."""
    random = Random(f"instructions:{split}:{seed}:{index}")
    level = list(LEVELS)[index % len(LEVELS)]
    while True:
        subject = draw_subject(split, random, FACTS[level])
        made = _constrained(split, subject, level, random)
        if made is not None:
            constraints, text = made
            return task_about(f"{level}-{split}-{seed}-{index}", split, level, subject, constraints), text


def task_about(ident: str, split: str, level: str, subject: Subject, constraints: list[list]) -> dict:
    """The task as a model gets it, and what the verifier needs."""
    facts = "\n".join(f"- {NOTES[kind].format(value)}" for kind, value in subject.facts.items())
    rules = "\n".join(f"- {wording(*constraint)}" for constraint in constraints)
    return {
        "id": ident,
        "prompt": ASK.format(name=subject.name, facts=facts, rules=rules),
        "info": {"name": subject.name, "facts": subject.facts, "constraints": constraints},
        "tags": [level, *(kind for _, kind, _ in constraints)],
        "split": split,
    }


def _constrained(split: str, subject: Subject, level: str, random: Random) -> tuple[list[list], str] | None:
    """Constraints and a text that keeps them, or None where this draw does not fit together."""
    kinds = {family: random.choice(LEVELS[level][family]) for family in FAMILIES}
    if (kinds["form"], kinds["length"]) in _CLASHES or {
        (kinds["form"], kinds[family]) for family in ("words", "letters")
    } & _CLASHES:
        return None
    nouns = random.sample(pool(split, "nouns"), 2)
    given: dict[str, list] = {"words": [], "form": [], "letters": []}
    asked: dict = {}
    if kinds["words"] == "uses":
        given["words"] = nouns
    elif kinds["words"] == "uses-times":
        given["words"] = [nouns[0], random.randint(2, 4)]
        asked = {"noun": nouns[0], "times": given["words"][1]}
    elif kinds["words"] == "begins":
        given["words"] = [random.choice(pool(split, "starts"))]
        asked = {"start": given["words"][0]}
    elif kinds["words"] == "ends":
        given["words"] = [end_with(nouns[0])]
        asked = {"end": given["words"][0]}
    said = draft(subject, random, random.randint(1, 6), **asked)
    if kinds["words"] == "uses":
        said += [f"The {nouns[0]} and the {nouns[1]} are worth a look."]
    if kinds["words"] == "avoids":
        free = [word for word in _TEMPTING if word not in words(" ".join(said))]
        if len(free) < 3:
            return None
        given["words"] = random.sample(free, 3)
    if kinds["form"] in ("bullets", "numbered", "paragraphs"):
        given["form"] = [random.randint(2, min(4, len(said)))]
    if kinds["letters"] in ("capitals", "exclamations"):
        given["letters"] = [random.randint(2, 4)]
    text = in_letters(in_form(said, kinds["form"], given["form"], random), kinds["letters"], given["letters"], random)
    if kinds["letters"] == "without-letter":
        free = [letter for letter in "bcdfgkpquvwxyz" if letter not in letters_of(text).lower()]
        if not free:
            return None
        given["letters"] = [random.choice(free)]
    given["length"] = _length(kinds["length"], text, level, random)
    constraints = [[family, kinds[family], given[family]] for family in FAMILIES]
    return (constraints, text) if _holds(constraints, text, subject) else None


def _length(kind: str, text: str, level: str, random: Random) -> list[int]:
    """Limits that the text is within."""
    if kind == "words-between":
        low = len(words(text)) - random.randint(0, WIDTH[level])
        return [low, low + WIDTH[level]]
    if kind == "sentences-exactly":
        return [len(sentences(text))]
    return [max(len(words(sentence)) for sentence in sentences(text))]


def _holds(constraints: list[list], text: str, subject: Subject) -> bool:
    """Whether the text earns everything, so that the task can be done."""
    text = clean(text)
    given = words(f"{subject.name} {' '.join(subject.facts.values())}")
    return (
        all(is_kept(*constraint, text) for constraint in constraints)
        and tells(text, subject.name, subject.facts)
        and is_fluent(text, given)
    )
