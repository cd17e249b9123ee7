"""Databases of twelve fields, all of one shape: two kinds of things, and events that join one of each."""

import itertools
from dataclasses import dataclass
from functools import lru_cache
from random import Random

NAMES = (
    "Abel Brandt Costa Dekker Evans Fischer Garcia Haas Ito Jansen Keller Lopez Meyer Novak Okafor Peters Quist Rossi "
    "Singh Tanaka Ulrich Varga Weber Xu Young Zimmer"
).split()
WORDS = (
    "Amber Basalt Cedar Delta Ember Falcon Granite Harbor Indigo Jasper Kestrel Lagoon Meteor Nimbus Onyx Pebble "
    "Quartz Raven Saffron Tundra Umbra Velvet Willow Zephyr"
).split()
OTHER_CITIES = ["Alicante", "Cork", "Delft", "Gdansk", "Lima", "Paris"]
OTHER_KINDS = ["mixed", "unsorted"]
"""Of rows alone: a question names none of them. Each city begins as one that a question names."""
NEAR = 0.5
CITIES = ["Athens", "Cracow", "Dublin", "Geneva", "Lisbon", "Porto"]
YEARS = (2023, 2024, 2025)
EVEN = ":even"
"""The end of the seed of a database in which all have equal sums, on the first day of each year."""


@dataclass(frozen=True)
class Domain:
    """Tables and columns of one field, and the words for them. Events join ``left`` and ``right``."""

    left: str
    left_number: str
    right: str
    right_kind: str
    kinds: tuple[str, ...]
    right_number: str
    events: str
    left_key: str
    right_key: str
    amount: str
    left_words: str
    """What one thing of ``left`` is called, for example "customer"; so with ``right_words`` and ``event_words``."""
    right_words: str
    event_words: str

    @property
    def schema(self) -> str:
        """``CREATE TABLE`` statements."""
        return (
            f"CREATE TABLE {self.left} (id INTEGER PRIMARY KEY, name TEXT, city TEXT, {self.left_number} INTEGER);\n"
            f"CREATE TABLE {self.right} (id INTEGER PRIMARY KEY, name TEXT, {self.right_kind} TEXT, "
            f"{self.right_number} INTEGER);\n"
            f"CREATE TABLE {self.events} (id INTEGER PRIMARY KEY, {self.left_key} INTEGER REFERENCES {self.left}(id), "
            f"{self.right_key} INTEGER REFERENCES {self.right}(id), day TEXT, {self.amount} INTEGER);"
        )


# left | right | events (table, what one is called) | kinds of right | left's number, right's kind, its number, amount
_FIELDS = {
    "train": """
        customers customer | products product | orders order | toy book tool food | age category price quantity
        members member | books book | loans loan | novel poetry history travel | age genre pages weeks
        students student | courses course | exams exam | science art sport language | age field credits points
        guests guest | hotels hotel | stays stay | spa city beach mountain | age type rooms nights
        drivers driver | trucks truck | trips trip | light heavy cooled tank | age class load hours
        donors donor | projects project | gifts gift | health water school forest | age area goal euros""",
    "validation": """
        farmers farmer | fields field | harvests harvest | wheat corn hops grapes | age crop size tons
        players player | games game | matches match | board card dice quiz | age sort minutes score""",
    "test": """
        patients patient | doctors doctor | visits visit | heart skin eyes bones | age specialty experience fee
        pilots pilot | planes plane | flights flight | jet cargo glider sea | age model seats distance
        listeners listener | albums album | plays play | rock jazz folk choir | age style tracks minutes
        teams team | stadiums stadium | concerts concert | open covered indoor small | age build places tickets""",
}


def _domain(line: str) -> Domain:
    (left, one_left), (right, one_right), (events, one_event), kinds, columns = (
        part.split() for part in line.split("|")
    )
    left_number, right_kind, right_number, amount = columns
    return Domain(
        left, left_number, right, right_kind, tuple(kinds), right_number, events, f"{one_left}_id", f"{one_right}_id",
        amount, one_left, one_right, one_event,
    )  # fmt: skip


DOMAINS = {split: [_domain(line) for line in lines.strip().splitlines()] for split, lines in _FIELDS.items()}


@lru_cache(maxsize=64)  # four tasks: the answers to one come together
def fill(domain: Domain, seed: str, limits: tuple[int | str, ...] = ()) -> dict[str, list[tuple]]:
    """Table -> rows. Half of the numbers and days lie at one of ``limits`` or beside it: met exactly, or missed by one.

    ``limits``: numbers, and days as ``2024-05-10``.

    Ties, empty groups, kinds that no prompt names, and two things of one name are common.
    """
    random = Random(f"rows:{seed}")

    def number(low: int, high: int) -> int:
        numbers = [limit for limit in limits if isinstance(limit, int)]
        near = [limit + step for limit in numbers for step in (-1, 0, 1) if low <= limit + step <= high]
        return random.choice(near) if near and random.random() < NEAR else random.randint(low, high)

    days = [limit for limit in limits if isinstance(limit, str)]
    cities = [*CITIES, *random.sample(OTHER_CITIES, 3)]
    kinds = [*domain.kinds, *random.sample(OTHER_KINDS, random.randint(0, 1))]
    lefts, rights = _names(random, NAMES), _names(random, WORDS)
    left_rows = [(i, name, random.choice(cities), number(18, 64)) for i, name in enumerate(lefts, 1)]
    right_rows = [(i, name, random.choice(kinds), number(5, 95)) for i, name in enumerate(rights, 1)]
    active = random.sample(range(1, len(lefts) + 1), random.randint(3, len(lefts) - 1))  # some have no event at all
    used = random.sample(range(1, len(rights) + 1), random.randint(3, len(rights) - 1))
    events = [
        (i, random.choice(active), random.choice(used), _day(random, days), number(1, 9))
        for i in range(1, random.randint(14, 34))
    ]
    if seed.endswith(EVEN):
        chosen = itertools.product(range(1, len(lefts) + 1), enumerate(YEARS))
        events = [
            (i, left, (left + number) % len(rights) + 1, f"{year}-01-01", 5)
            for i, (left, (number, year)) in enumerate(chosen, 1)
        ]
    return {domain.left: left_rows, domain.right: right_rows, domain.events: events}


def _names(random: Random, names: list[str]) -> list[str]:
    """Seven to twelve; in every second database two things have one name."""
    chosen = random.sample(names, random.randint(7, 12))
    return [chosen[1], *chosen[1:]] if random.random() < NEAR else chosen


def _day(random: Random, days: list[str]) -> str:
    """Many at one of ``days`` or beside it, at the ends of months, or beyond the years that questions name."""
    if days and random.random() < NEAR:
        month, day = random.choice(days).rsplit("-", 1)
        return f"{month}-{int(day) + random.choice([-1, 0, 1]):02d}"
    day = random.choice([1, 9, 10, 11, 19, 20, 21, 28]) if random.random() < NEAR else random.randint(1, 28)
    return f"{random.choice([YEARS[0] - 1, *YEARS, *YEARS, YEARS[-1] + 1])}-{random.randint(1, 12):02d}-{day:02d}"
