"""An encyclopedia of an invented land, one question about it, and the sentences that show the answer. All by a seed."""

from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

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
Evidence = tuple[frozenset[str], str]
"""A sentence, and the ids of the articles of which one must be read and quoted for it."""


@dataclass
class Subject:
    """A town, bridge, ship or person, and what its article tells."""

    kind: str
    name: str
    region: str
    facts: dict[str, str] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    ident: str = ""
    title: str = ""


@dataclass(frozen=True)
class Article:
    ident: str
    title: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True)
class World:
    """One encyclopedia and one question."""

    family: str
    prompt: str
    kind: str
    """Of the value: ``year``, ``number``, ``river``, ``person`` or ``town``."""
    value: str
    """The right value; for ``nothing`` one that is told and does not answer the question."""
    evidence: tuple[Evidence, ...]
    """The sentences that show the value together. Empty where nothing does."""
    about: tuple[str, ...]
    """The ids of the articles about what the question names."""
    articles: dict[str, Article]
    names: tuple[str, ...]
    """Every name that a value may be."""
    wording: str
    """The sentence that tells such a value, without subject and value."""


@dataclass(frozen=True)
class _Question:
    """What is asked, and what is right."""

    family: str
    asked: Attribute
    words: str
    value: str
    evidence: tuple[Evidence, ...]
    about: tuple[Subject, ...]


class Maker:
    """Draws subjects and facts, and writes the articles."""

    def __init__(self, split: str, random: Random) -> None:
        self.random, self.words = random, other_words(split)
        self.attributes = {(each.subject, each.name): each for each in attributes_of(split)}
        names = Names(split, random)
        self.regions = [names.place() for _ in range(3)]
        self.rivers = [names.place() for _ in range(4)]
        self.subjects: list[Subject] = []
        for kind, count in SIZES.items():
            for _ in range(count):
                name = names.person() if kind == "person" else names.place()
                name += {"bridge": " Bridge"}.get(kind, "")
                self.subjects.append(Subject(kind, name, random.choice(self.regions)))
        self.chronicles: dict[str, list[str]] = {region: [] for region in self.regions}

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

    def fill(self, subject: Subject, *, without: str = "", rumoured: str = "") -> None:
        """Draw the facts of ``subject`` and what its article says. ``without``: that attribute is not told."""
        for (kind, name), each in self.attributes.items():
            if kind != subject.kind:
                continue
            fact = subject.facts[name] = self.value(each.kind, but=(subject.name,))
            said = []
            if name != without:
                said.append(each.sentence.format(n=subject.name, v=fact))
            decoy = self.value(each.kind, but=(fact, subject.name))
            if name == without or self.random.random() < 0.5:
                said.append(each.decoy.format(n=subject.name, v=decoy))
            if name == rumoured or self.random.random() < 0.15:
                claim = each.sentence.format(n=subject.name, v=self.value(each.kind, but=(fact, decoy, subject.name)))
                said.append(self.words["rumour"].format(s=claim.rstrip(".")))
            subject.sentences += said
        things = self.words["things"].split(", ")
        subject.sentences += [self.words["filler"].format(n=subject.name, t=self.random.choice(things))]
        self.random.shuffle(subject.sentences)
        subject.sentences.insert(0, self.words["intro"].format(n=subject.name, k=subject.kind, r=subject.region))

    def number(self) -> dict[str, Article]:
        """Give every article an id and a title: subjects in any order, then the chronicles."""
        self.random.shuffle(self.subjects)
        shared = {each.name for each in self.subjects if sum(other.name == each.name for other in self.subjects) > 1}
        articles: dict[str, Article] = {}
        for place, each in enumerate(self.subjects, 1):
            each.ident = f"a{place:02d}"
            each.title = f"{each.name} ({each.region})" if each.name in shared else each.name
            articles[each.ident] = Article(each.ident, each.title, tuple(each.sentences))
        for place, (region, said) in enumerate(self.chronicles.items(), len(self.subjects) + 1):
            self.random.shuffle(said)
            intro = self.words["intro"].format(n=self.words["chronicle"].format(r=region), k="book", r=region)
            title = self.words["chronicle"].format(r=region)
            articles[f"a{place:02d}"] = Article(f"a{place:02d}", title, (intro, *said))
        return articles


@lru_cache(maxsize=256)  # a group of samples is about one world
def make_world(split: str, seed: int, index: int) -> World:
    """World ``index`` of ``split``: the same for the same arguments."""
    family = CYCLE[index % len(CYCLE)]
    make = Maker(split, Random(f"cited-search:{split}:{seed}:{index}"))
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
    for each in make.subjects:
        hidden = asked.name if each is subject and family in ("nothing", "elsewhere") else ""
        make.fill(each, without=hidden, rumoured=asked.name if each is subject and trap == "rumour" else "")
    _fill_chronicles(make, subject)
    sentence = asked.sentence.format(n=subject.name, v=subject.facts[asked.name])
    if family == "elsewhere":
        make.chronicles[subject.region].append(sentence)
    articles = make.number()
    named = make.words["region"].format(n=subject.name, r=subject.region) if trap == "namesake" else subject.name
    question = asked.question.format(n=named)
    if family == "nothing":
        return _world(make, _Question(family, asked, question, subject.facts[asked.name], (), (subject,)), articles)
    where = _tellers(articles, sentence) if family == "elsewhere" else frozenset({subject.ident})
    evidence = ((where, sentence),)
    return _world(make, _Question(family, asked, question, subject.facts[asked.name], evidence, (subject,)), articles)


def _tellers(articles: dict[str, Article], sentence: str) -> frozenset[str]:
    return frozenset(ident for ident, article in articles.items() if sentence in article.sentences)


def _shown(articles: dict[str, Article], subject: Subject, asked: Attribute) -> Evidence:
    sentence = asked.sentence.format(n=subject.name, v=subject.facts[asked.name])
    return _tellers(articles, sentence), sentence


def _two_steps(make: Maker, family: str) -> World:
    """An attribute of the person or town that another article names."""
    random = make.random
    first = random.choice([each for each in make.attributes.values() if each.phrase])
    second = random.choice([each for each in make.attributes.values() if each.subject == first.kind])
    subject = random.choice(make.of_kind(first.subject))
    for each in make.subjects:
        make.fill(each)
    _fill_chronicles(make, subject)
    articles = make.number()
    target = next(each for each in make.of_kind(first.kind) if each.name == subject.facts[first.name])
    question = second.question.format(n=first.phrase.format(n=subject.name))
    evidence = (_shown(articles, subject, first), _shown(articles, target, second))
    about = (subject, target)
    return _world(make, _Question(family, second, question, target.facts[second.name], evidence, about), articles)


def _compare(make: Maker, family: str) -> World:
    """Which of two subjects has more of something."""
    random = make.random
    asked = random.choice([each for each in make.attributes.values() if each.more])
    for each in make.subjects:
        make.fill(each)
    one, *others = random.sample(make.of_kind(asked.subject), SIZES[asked.subject])
    two = next(each for each in others if each.facts[asked.name] != one.facts[asked.name])
    _fill_chronicles(make, one)
    articles = make.number()
    evidence = (_shown(articles, one, asked), _shown(articles, two, asked))
    most = max((one, two), key=lambda each: int(each.facts[asked.name].replace(",", "")))
    question = asked.more.format(a=one.name, b=two.name)
    return _world(make, _Question(family, asked, question, most.name, evidence, (one, two)), articles)


def _fill_chronicles(make: Maker, subject: Subject) -> None:
    """Sentences that articles have too, of other subjects than the question's."""
    for region, said in make.chronicles.items():
        others = [each for each in make.subjects if each.region == region and each.name != subject.name]
        for each in make.random.sample(others, min(3, len(others))):
            name = make.random.choice(list(each.facts))
            said.append(make.attributes[each.kind, name].sentence.format(n=each.name, v=each.facts[name]))


def _world(make: Maker, question: _Question, articles: dict[str, Article]) -> World:
    asked, family = question.asked, question.family
    names = {*make.rivers, *make.regions, *(each.name for each in make.subjects)}
    return World(
        family=family,
        prompt=question.words,
        kind="name" if family == "compare" else asked.kind,
        value=question.value,
        evidence=question.evidence,
        about=tuple(each.ident for each in question.about),
        articles=articles,
        names=tuple(sorted(names)),
        wording=asked.sentence.format(n="", v=""),
    )
