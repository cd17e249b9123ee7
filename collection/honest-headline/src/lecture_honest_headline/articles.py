"""Articles: dated sentences, of which the latest is the news. What a headline may leave out stands in brackets."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random

LEVELS = ("easy", "medium", "hard")
SENTENCES = {"easy": 5, "medium": 6, "hard": 8}
MONTHS = "January February March April May June July August September October November December".split()
_POOLS = {
    "train": {
        "org": "Aldon Foods|Brisk Rail|Cobalt Energy|Delmar Paper|Eastway Buses|Fennel Books|Garrow Steel|Hollin Glass",
        "town": "Harlow|Kempton|Lydford|Marlow|Norbury|Oakham|Penrith|Ripley",
        "person": "Ada Kern|Bruno Lindt|Clara Marsh|Dario Nolte|Edith Orban|Felix Pratt",
        "place": "mill|depot|bakery|warehouse|bridge|shop|canteen",
    },
    "validation": {
        "org": "Ivel Dairy|Jarrow Cables|Kestrel Air|Lomond Wool",
        "town": "Upton|Verwood|Wareham|Yeovil",
        "person": "Kaspar Ulmer|Leonie Vance|Matteo Weiss",
        "place": "hangar|quarry|brewery|garage",
    },
    "test": {
        "org": "Merle Motors|Nayland Salt|Orrin Water|Pentland Toys|Quill Media|Rushden Shoes",
        "town": "Calne|Dorking|Epsom|Frome|Godstone|Hexham",
        "person": "Rosa Baird|Stefan Corden|Thea Dunne|Ulrich Egger",
        "place": "studio|pier|laundry|foundry|museum",
    },
}
EVENTS = [
    "{org} [of {town}] closes [its] [old] {place} [in {town2}] [after {n} years]",
    "{org} [of {town}] cuts {n} [of its {m}] jobs [in {town2}]",
    "{org} may buy [the] [smaller] {rival} [of {town}] [for {n} million euros]",
    "{org} does not raise [its] prices [in {town}] [after all]",
    "{person} leaves {org} [of {town}] [after {n} years]",
    "{org} nearly loses [its] licence [for the {place}] [in {town}]",
    "[A] court [in {town}] clears {org} [of {town2}] of fraud",
    "{org} opens {n} [new] shops [in {town}] [after {n2} months]",
    "[A] fire at {org} [of {town}] hurts nobody [in {town2}]",
    "{org} denies [all] plans to leave {town} [after {n} years]",
    "[The] strike at {org} ends [in {town}] without [a] deal [after {n} days]",
    "{n} of {m} workers [in {town}] want {org} to stay",
    "{org} hires back {n} [of its {m}] workers [in {town}]",
    "{org} is not for sale [in {town}] [after all] says {person}",
]
LURES = [
    "[A] post that {org} fires all [its] {m} workers is false says {person}",
    "Fears that {org} shuts every {place} [in {town}] prove wrong",
    "{org} never hid {n} million euros [in {town}] [a] judge finds",
]
"""What would say something shocking if its last words were left out."""
_OPTIONAL = re.compile(r"\[([^\]]*)\] ?")


@dataclass(frozen=True)
class Article:
    """The sentences in their order, with brackets; the place of the news; and how many words a headline may have."""

    level: str
    days: tuple[str, ...]
    sentences: tuple[str, ...]
    news: int
    limit: int

    @property
    def text(self) -> str:
        return "\n".join(f"{day}: {plain(each)}." for day, each in zip(self.days, self.sentences, strict=True))


def plain(sentence: str) -> str:
    """The sentence as the article writes it."""
    return sentence.replace("[", "").replace("]", "")


@lru_cache(maxsize=4096)
def headlines(sentence: str) -> tuple[str, ...]:
    """All that a sentence may become by leaving out what stands in brackets, the longest first."""
    parts, at = [], 0
    for found in _OPTIONAL.finditer(sentence):
        parts += [(sentence[at : found.start()],), (f"{found[1]} ", "")]
        at = found.end()
    return tuple(" ".join("".join(chosen).split()) for chosen in product(*parts, (sentence[at:],)))


@lru_cache(maxsize=1024)
def article_of(split: str, seed: int, index: int) -> Article:
    """Article ``index`` of ``split``: the same for the same arguments."""
    random, level = Random(f"headline:{split}:{seed}:{index}"), LEVELS[index % len(LEVELS)]
    pool = {name: words.split("|") for name, words in _POOLS[split].items()}
    count = SENTENCES[level]
    forms = random.sample(EVENTS, count)
    if level == "hard":
        forms[-2:] = random.sample(LURES, 2)
    first = random.randint(1, 9)
    month = random.choice(MONTHS)
    made = [_filled(form, pool, random) for form in forms]
    days = [f"{first + 3 * place} {month}" for place in range(count)]
    news = random.randrange(count - 2 if level == "hard" else count)
    order = [place for place in range(count) if place != news] + [news]  # by date: the news is the latest
    dated = [(days[age], made[place], place == news) for age, place in enumerate(order)]
    random.shuffle(dated)
    place = next(place for place, (_, _, is_news) in enumerate(dated) if is_news)
    sentences = tuple(each for _, each, _ in dated)
    shortest = min(len(each.split()) for each in headlines(sentences[place]))
    longest = max(len(each.split()) for each in headlines(sentences[place]))
    limit = shortest + random.randint(0, max(0, min(2, longest - shortest - 1)))
    return Article(level, tuple(day for day, _, _ in dated), sentences, place, limit)


def _filled(form: str, pool: dict[str, list[str]], random: Random) -> str:
    orgs, towns = random.sample(pool["org"], 2), random.sample(pool["town"], 2)
    number = random.randint(3, 90)
    given = {"org": orgs[0], "rival": orgs[1], "town": towns[0], "town2": towns[1]}
    given |= {"n": number, "n2": random.randint(2, 30), "m": number + random.randint(10, 400)}
    return form.format(**given, person=random.choice(pool["person"]), place=random.choice(pool["place"]))
