"""What is written about: places that do not exist, and the patterns of sentences about them.

No split shares a name, a person, a town or a noun.
"""

# ruff: noqa: E501 -- tables of texts

from dataclasses import dataclass
from random import Random

KINDS = {
    "bridge": "long",
    "tower": "tall",
    "museum": "wide",
    "library": "wide",
    "market": "long",
    "garden": "wide",
    "mill": "tall",
    "theatre": "tall",
    "harbour": "long",
    "lighthouse": "tall",
}
"""Kind of place, and how it is measured."""
_POOLS = {
    "train": {
        "names": "Alder Birch Cedar Hazel Juniper Larch Maple Rowan Willow Bramble Clover Heather Ivory Coral".split(),
        "first": "Ada Bruno Clara Dario Edith Felix Greta Hugo Irma Jonas".split(),
        "last": "Kern Lindt Marsh Nolte Orban Pratt Quist Rask Stoll Tamm".split(),
        "towns": "Harlow Kempton Lydford Marlow Norbury Oakham Penrith Ripley Selby Tarrant".split(),
        "nouns": """bell boat bench clock door fountain garden gate lamp ladder market mirror painter river roof rope
        stone story table train wall window""".split(),
        "starts": "Today Here Now Often Clearly Indeed".split(),
    },
    "validation": {
        "names": "Falcon Heron Osprey Plover Raven Siskin".split(),
        "first": "Kaspar Leonie Matteo Nadia Oskar Paula".split(),
        "last": "Ulmer Vance Weiss Yates Zorn Abbot".split(),
        "towns": "Upton Verwood Wareham Yeovil Axminster Brixham".split(),
        "nouns": "apple basket candle drum engine flag island kettle".split(),
        "starts": "Sometimes Soon Certainly".split(),
    },
    "test": {
        "names": "Amber Basalt Cobalt Flint Garnet Marble Onyx Quartz".split(),
        "first": "Rosa Stefan Thea Ulrich Vera Wanda Xenia Yorick".split(),
        "last": "Baird Corden Dunne Egger Fabel Gruber Hoyle Ivers".split(),
        "towns": "Calne Dorking Epsom Frome Godstone Hexham Ilminster Keswick".split(),
        "nouns": "anchor blanket camera desk farmer glove hammer jacket letter pillow".split(),
        "starts": "Usually Surely Nowadays".split(),
    },
}
COLOURS = "red white green yellow grey brown black blue".split()
_FACTS = {
    "year": [
        "({N}|The {k}|It) (opened|was built|was finished) [at last] in [the year] {v}",
        "Since {v} (guests|people|families) have come [from near|from far]",
    ],
    "person": [
        "({N}|The {k}|It) was (designed|drawn|planned) by [the architect] {v}",
        "Do not miss (it|this {k}|{N}), (designed|planned) by {v}",
    ],
    "size": [
        "({N}|The {k}|It) is ({d}|{w}) metres {m}",
        "You [will] see (a|one) {k} that (is|measures) ({d}|{w}) metres [in all]",
    ],
    "visitors": [
        "{v} (people|guests|visitors) come (every|each) year",
        "(Every|Each) year (it|the {k}|{N}) (has|sees|welcomes) {v} (guests|visitors)",
    ],
    "town": [
        "({N}|The {k}|It) (stands|lies|is) in [the town of] {v}",
        "(It|The {k}|{N}) isn't far from the (station|centre) of {v}",
    ],
    "colour": [
        "({N}|The {k}|It) is painted [all] {v}",
        "[All] its (walls|doors) are {v}",
    ],
}
"""Kind of fact -> the forms of its pattern. No pattern holds a comma, a hyphen or the word that joins two of them."""
_EXTRAS = [
    "(A|One) {a} [of stone|of wood] (waits|stands) near the door",
    "Look for the [old|little] {b} [outside]",
    "Some [people] still talk (about|of) the {c}",
    "(Every|Each) (tour|visit) ends with (a|the) {d}",
    "Children (like|love) to paint the {e}",
    "Ask [the staff] about the {a} by the {b}",
    "(Bring|Buy) (a|one) {f} [in winter]",
    "[Most] guests stay [for] an hour [or more]",
    "({S}|Here) (you|everybody) can see [almost] all of it",
    "[So] come for the {c}",
    "The {d} or the {e} [alone] is (worth a visit|reason to stay)",
    "Evening light makes (it|the {k}) (glow|shine)",
]
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


@dataclass(frozen=True)
class Subject:
    """A place: its name, and the patterns of sentences about it. A pattern has forms, and may be needed."""

    name: str
    patterns: list[dict]


def pool(split: str, name: str) -> list[str]:
    """Words of one kind that a split has for itself."""
    return _POOLS[split][name]


def in_words(number: int) -> str:
    """A number below a thousand in words."""
    if number >= 100:
        rest = f" {in_words(number % 100)}" if number % 100 else ""
        return f"{_SMALL[number // 100]} hundred{rest}"
    if number < 20:
        return _SMALL[number]
    return _TENS[number // 10 - 2] + (f"-{_SMALL[number % 10]}" if number % 10 else "")


def draw_subject(split: str, random: Random, facts: int, extras: int) -> Subject:
    """A place with so many facts (at most six) and so many extras."""
    kind = random.choice(list(KINDS))
    name = f"{random.choice(pool(split, 'names'))} {kind.title()}"
    size = random.randint(12, 340)
    values = {
        "year": str(random.randint(1801, 1999)),
        "person": f"{random.choice(pool(split, 'first'))} {random.choice(pool(split, 'last'))}",
        "size": "",
        "visitors": f"{random.randint(2, 95) * 1000 + random.choice((0, 0, 500)):,}",
        "town": random.choice(pool(split, "towns")),
        "colour": random.choice(COLOURS),
    }
    nouns = dict(zip("abcdef", random.sample(pool(split, "nouns"), 6), strict=True))
    given = nouns | {"S": random.choice(pool(split, "starts")), "N": name, "k": kind, "m": KINDS[kind]}
    size_in_words = {"d": str(size), "w": in_words(size)}
    told = [
        {"needed": True, "forms": [form.format(**(given | size_in_words), v=values[fact]) for form in _FACTS[fact]]}
        for fact in random.sample(list(values), facts)
    ]
    more = [{"needed": False, "forms": [form.format(**given)]} for form in random.sample(_EXTRAS, extras)]
    return Subject(name, told + more)
