"""An encyclopedia of an invented land, one question about it, and the sentences that show the answer. All by a seed."""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from lecture_cited_search.model import Article, Fact, Subject, Told, World
from lecture_cited_search.wordings import Attribute, Names, attributes_of, other_words

LEVELS = {
    "direct": "easy",
    "rumour": "medium",
    "namesake": "medium",
    "elsewhere": "medium",
    "nothing": "medium",
    "two-steps": "hard",
    "compare": "hard",
}
CYCLE = (
    "direct", "rumour", "namesake", "elsewhere", "two-steps", "compare", "nothing",
    "direct", "rumour", "namesake", "elsewhere", "two-steps", "compare",
)  # fmt: skip
"""Which family each task has, in turn: one in thirteen is told by nothing."""
SIZES = {"town": 7, "bridge": 4, "ship": 3, "person": 6}


@dataclass(frozen=True)
class _Question:
    """What is asked, and what is right."""

    family: str
    asked: Attribute
    words: str
    value: str
    needed: tuple[Fact, ...]
    about: tuple[Subject, ...]


class Maker:
    """Draws subjects and facts, and writes the articles."""

    def __init__(self, split: str, random: Random) -> None:
        self.random, self.words = random, other_words(split)
        self.attributes = {(each.subject, each.name): each for each in attributes_of(split)}
        names = Names(split, random)
        self.regions = [names.place() for _ in range(3)]
        self.rivers = [names.place() for _ in range(4)]
        kinds = [kind for kind, count in SIZES.items() for _ in range(count)]
        random.shuffle(kinds)
        self.subjects: list[Subject] = []
        for place, kind in enumerate(kinds, 1):
            name = names.person() if kind == "person" else names.place()
            name += {"bridge": " Bridge"}.get(kind, "")
            self.subjects.append(Subject(f"a{place:02d}", kind, name, random.choice(self.regions)))
        self.chronicles: dict[str, list[Told]] = {region: [] for region in self.regions}

    def of_kind(self, kind: str) -> list[Subject]:
        return [each for each in self.subjects if each.kind == kind]

    def value(self, kind: str, *, but: tuple[str, ...] = ()) -> str:
        """A value of this kind that is none of ``but``."""
        while True:
            made = {
                "year": lambda: str(self.random.randint(1701, 1989)),
                "number": lambda: f"{self.random.randint(1101, 9899):,}",
                "river": lambda: self.random.choice(self.rivers),
                "person": lambda: self.random.choice(self.of_kind("person")).name,
                "town": lambda: self.random.choice(self.of_kind("town")).name,
            }[kind]()
            if made not in but:
                return made

    def fill(self, asked: list[Attribute], *, hides: Subject | None = None, rumour: Subject | None = None) -> None:
        """Draw all facts, and what the articles say.

        Of the attributes that are ``asked`` every article has all lures; of others, some. The article of ``hides`` does
        not tell the first of them, and that of ``rumour`` claims it twice and wrongly.
        """
        for subject in self.subjects:
            for each in self.attributes.values():
                if each.subject == subject.kind:
                    subject.facts[each.name] = self.value(each.kind, but=(subject.name,))
                    is_hidden, is_rumoured = (subject is which and each is asked[0] for which in (hides, rumour))
                    subject.said += [] if is_hidden else [self.telling(subject, each)]
                    subject.said += self.lures(subject, each, is_asked=each in asked, is_rumoured=is_rumoured)
            thing = self.random.choice(self.words["things"].split(", "))
            subject.said.append(Told(self.words["filler"].format(n=subject.name, t=thing)))
            self.random.shuffle(subject.said)
            intro = self.words["intro"].format(n=subject.name, k=subject.kind, r=subject.region)
            subject.said.insert(0, Told(intro))

    def telling(self, subject: Subject, asked: Attribute) -> Told:
        """The sentence that tells a fact."""
        text = asked.sentence.format(n=subject.name, v=subject.facts[asked.name])
        return Told(text, fact=subject.fact(asked.name))

    def lures(self, subject: Subject, asked: Attribute, *, is_asked: bool, is_rumoured: bool) -> list[Told]:
        """Sentences that look as if they told the fact, each with another value."""
        likely, rumoured = (1.0, 0.5) if is_asked else (0.4, 0.1)
        false = [asked.decoy, *asked.near]
        texts = [text for text in false if self.random.random() < likely]
        wrappers = self.random.sample([self.words["rumour"], self.words["denial"]], 2)
        for wrapper, claim in zip(wrappers, (asked.echo, asked.sentence.rstrip(".")), strict=True):
            if is_rumoured or self.random.random() < rumoured:
                texts += [wrapper.format(s=claim[0].lower() + claim[1:])]
        return [self.lure(subject, asked, text) for text in texts]

    def lure(self, subject: Subject, asked: Attribute, text: str) -> Told:
        """A sentence that looks as if it told the fact, with another value."""
        value = self.value(asked.kind, but=(subject.facts[asked.name], subject.name))
        return Told(text.format(n=subject.name, v=value), lure=Fact(subject.ident, asked.name, value))

    def bind(self) -> dict[str, Article]:
        """All articles by id: subjects, then the chronicles."""
        shared = {each.name for each in self.subjects if sum(other.name == each.name for other in self.subjects) > 1}
        articles: dict[str, Article] = {}
        for each in self.subjects:
            title = f"{each.name} ({each.region})" if each.name in shared else each.name
            articles[each.ident] = Article(each.ident, title, tuple(each.said))
        for place, (region, said) in enumerate(self.chronicles.items(), len(self.subjects) + 1):
            self.random.shuffle(said)
            title = self.words["chronicle"].format(r=region)
            intro = Told(self.words["intro"].format(n=title, k="book", r=region))
            articles[f"a{place:02d}"] = Article(f"a{place:02d}", title, (intro, *said))
        return articles


@lru_cache(maxsize=256)  # a group of samples is about one world
def make_world(split: str, seed: int, index: int) -> World:
    """World ``index`` of ``split``: the same for the same arguments."""
    family = CYCLE[index % len(CYCLE)]
    make = Maker(split, Random(f"cited-search-2:{split}:{seed}:{index}"))
    return {"two-steps": _two_steps, "compare": _compare}.get(family, _one_step)(make, family)


def _one_step(make: Maker, family: str) -> World:
    """One attribute of one subject: told by its article, by a chronicle, or by nothing."""
    random = make.random
    asked = random.choice(list(make.attributes.values()))
    subject = random.choice(make.of_kind(asked.subject))
    trap = random.choice(("rumour", "namesake", "decoy")) if family == "nothing" else family
    if trap == "namesake":
        twin = random.choice([each for each in make.of_kind(asked.subject) if each is not subject])
        twin.name = subject.name
        twin.region = random.choice([region for region in make.regions if region != subject.region])
    is_told = family not in ("nothing", "elsewhere")
    make.fill([asked], hides=None if is_told else subject, rumour=subject if trap == "rumour" else None)
    _fill_chronicles(make, subject)
    _move_a_lure(make, subject, asked)
    if family == "elsewhere":
        make.chronicles[subject.region].append(make.telling(subject, asked))
    named = make.words["region"].format(n=subject.name, r=subject.region) if trap == "namesake" else subject.name
    fact = subject.fact(asked.name)
    false = next(told.lure.value for told in subject.said if told.lure and told.lure.relation == asked.name)
    value, needed = (false, ()) if family == "nothing" else (fact.value, (fact,))
    return _world(make, _Question(family, asked, asked.question.format(n=named), value, needed, (subject,)))


def _move_a_lure(make: Maker, subject: Subject, asked: Attribute) -> None:
    """To a chronicle: that it speaks of the subject is no sign that it tells what is asked."""
    found = [told for told in subject.said if told.lure and told.lure.relation == asked.name]
    moved = make.random.choice(found)
    subject.said.remove(moved)
    make.chronicles[subject.region].append(moved)


def _two_steps(make: Maker, family: str) -> World:
    """An attribute of the person or town that another article names."""
    random = make.random
    first = random.choice([each for each in make.attributes.values() if each.phrase])
    second = random.choice([each for each in make.attributes.values() if each.subject == first.kind])
    subject = random.choice(make.of_kind(first.subject))
    make.fill([first, second])
    _fill_chronicles(make, subject)
    target = next(each for each in make.of_kind(first.kind) if each.name == subject.facts[first.name])
    question = second.question.format(n=first.phrase.format(n=subject.name))
    needed = (subject.fact(first.name), target.fact(second.name))
    return _world(make, _Question(family, second, question, target.facts[second.name], needed, (subject, target)))


def _compare(make: Maker, family: str) -> World:
    """Which of two subjects has more of something."""
    random = make.random
    asked = random.choice([each for each in make.attributes.values() if each.more])
    make.fill([asked])
    one, *others = random.sample(make.of_kind(asked.subject), SIZES[asked.subject])
    two = next(each for each in others if each.facts[asked.name] != one.facts[asked.name])
    _fill_chronicles(make, one)
    needed = (one.fact(asked.name), two.fact(asked.name))
    most = max((one, two), key=lambda each: int(each.facts[asked.name].replace(",", "")))
    return _world(
        make, _Question(family, asked, asked.more.format(a=one.name, b=two.name), most.name, needed, (one, two))
    )


def _fill_chronicles(make: Maker, subject: Subject) -> None:
    """Sentences about other subjects than the question's: facts that articles tell too, and as often each lure.

    Were they facts alone, the wording that is met most often would be the one that answers.
    """
    for region, said in make.chronicles.items():
        others = [each for each in make.subjects if each.region == region and each.name != subject.name]
        for each in make.random.sample(others, min(3, len(others))):
            asked = make.attributes[each.kind, make.random.choice(list(each.facts))]
            text = make.random.choice((asked.sentence, asked.decoy, *asked.near))
            said.append(make.telling(each, asked) if text == asked.sentence else make.lure(each, asked, text))


def _world(make: Maker, question: _Question) -> World:
    asked, family = question.asked, question.family
    names = {*make.rivers, *make.regions, *(each.name for each in make.subjects)}
    return World(
        family=family,
        prompt=question.words,
        relation=asked.name,
        kind="name" if family == "compare" else asked.kind,
        value=question.value,
        needed=question.needed,
        about=tuple(each.ident for each in question.about),
        articles=make.bind(),
        names=tuple(sorted(names)),
        wording=asked.sentence.format(n="", v=""),
    )
