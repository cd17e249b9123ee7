"""What an encyclopedia holds: facts, sentences that tell them or look as if they did, articles, and one question."""

import re
from dataclasses import dataclass, field

Evidence = tuple[frozenset[str], str]
"""A sentence, and the ids of the articles of which one must be read and quoted for it."""


@dataclass(frozen=True)
class Fact:
    """What is so in this land: a relation of one subject, and its value."""

    subject: str
    """The id of its article: two subjects may have one name."""
    relation: str
    value: str


@dataclass(frozen=True)
class Told:
    """A sentence, and what it tells of what can be asked for."""

    text: str
    fact: Fact | None = None
    lure: Fact | None = None
    """What a hasty reader takes it to tell: the sentence tells another relation, time or subject, or denies it."""


@dataclass
class Subject:
    """A town, bridge, ship or person, and what its article tells."""

    ident: str
    kind: str
    name: str
    region: str
    facts: dict[str, str] = field(default_factory=dict)
    said: list[Told] = field(default_factory=list)

    def fact(self, relation: str) -> Fact:
        return Fact(self.ident, relation, self.facts[relation])


@dataclass(frozen=True)
class Article:
    ident: str
    title: str
    said: tuple[Told, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(each.text for each in self.said)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True)
class World:
    """One encyclopedia and one question."""

    family: str
    prompt: str
    relation: str
    """What is asked for."""
    kind: str
    """Of the value: ``year``, ``number``, ``river``, ``person``, ``town``, or ``name`` of one of two subjects."""
    value: str
    """The right value; for ``nothing`` one that is told and does not answer the question."""
    needed: tuple[Fact, ...]
    """The facts that show the value together. Empty where nothing is told."""
    about: tuple[str, ...]
    """The ids of the articles about what the question names."""
    articles: dict[str, Article]
    names: tuple[str, ...]
    """Every name that a value may be."""
    wording: str
    """The sentence that tells such a value, without subject and value."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Of each fact that is needed where it is told, and the sentence: it is the same in every article."""
        return tuple((self.where(fact), self._text(fact)) for fact in self.needed)

    def where(self, fact: Fact) -> frozenset[str]:
        """The ids of the articles that tell it."""
        return frozenset(ident for ident, each in self.articles.items() if any(told.fact == fact for told in each.said))

    def lures(self) -> tuple[tuple[str, Told], ...]:
        """Article and sentence of all that looks like the answer; what has most of the question's words first."""
        asked = {(ident, self.relation) for ident in self.about}
        found = [
            (ident, told)
            for ident, each in self.articles.items()
            for told in each.said
            if told.lure and (told.lure.subject, told.lure.relation) in asked
        ]
        words = _words(self.prompt)
        return tuple(sorted(found, key=lambda each: -len(words & _words(each[1].text))))

    def _text(self, fact: Fact) -> str:
        return next(told.text for each in self.articles.values() for told in each.said if told.fact == fact)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
