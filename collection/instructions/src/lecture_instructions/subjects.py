"""What is written about: places that do not exist, with facts. No split shares a name, a person, a town or a word."""

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
UNITS = {"size": "metres", "visitors": "visitors a year"}
NOTES = {
    "year": "opened: {}",
    "person": "architect: {}",
    "size": "size: {}",
    "visitors": "visitors: {}",
    "town": "town: {}",
    "colour": "colour: {}",
}
"""How a fact stands in the prompt."""


@dataclass(frozen=True)
class Subject:
    """A place: its name, how it is measured, and its facts by kind, as the prompt writes them."""

    name: str
    dimension: str
    facts: dict[str, str]


def pool(split: str, name: str) -> list[str]:
    """Words of one kind that a split has for itself."""
    return _POOLS[split][name]


def draw_subject(split: str, random: Random, facts: int) -> Subject:
    """A place with so many facts (at most six)."""
    kind = random.choice(list(KINDS))
    visitors = random.randint(2, 95) * 1000 + random.choice((0, 0, 500))
    person = f"{random.choice(pool(split, 'first'))} {random.choice(pool(split, 'last'))}"
    values = {
        "year": str(random.randint(1801, 1999)),
        "person": person,
        "size": f"{random.randint(12, 340)} metres {KINDS[kind]}",
        "visitors": f"{visitors:,} a year",
        "town": random.choice(pool(split, "towns")),
        "colour": random.choice(COLOURS),
    }
    chosen = random.sample(list(values), facts)
    name = f"{random.choice(pool(split, 'names'))} {kind.title()}"
    return Subject(name, KINDS[kind], {kind: values[kind] for kind in values if kind in chosen})
