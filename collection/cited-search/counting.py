"""Scripts that answer by counting words, without reading. ``python counting.py`` measures them on the test split.

Each opens all hits of a search for the question, and quotes the sentence that has most of the question's words, or the
next, or the fewest. Some are told more than counting tells: of what kind the answer is, so that they look at sentences
with the subject's name and such a value alone; and that claims between quotation marks are not true.
Others look at no words of the question, and take the wording that is met most often.
"""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_cited_search"
sys.path.insert(0, str(HERE / "src"))

from lecture_cited_search import Session, verify  # noqa: E402 -- the package lies beside
from lecture_cited_search.model import World  # noqa: E402
from lecture_cited_search.world import make_world  # noqa: E402

Weigh = Callable[[set[str], set[str], Counter[str]], float]
ANY = r"\d[\d,]*|[A-Z]\w+(?: [A-Z]\w+)*"
WEIGHTS: dict[str, Weigh] = {
    "words in common": lambda asked, said, seen: len(asked & said),
    "share of the sentence": lambda asked, said, seen: len(asked & said) / len(said),
    "words in common by the root of the length": lambda asked, said, seen: len(asked & said) / len(said) ** 0.5,
    "rare words in common": lambda asked, said, seen: sum(math.log(1 + 100 / seen[word]) for word in asked & said),
}
MET = "how often its wording is met"
"""In the whole encyclopedia, which is more than a session can open: no words of the question are looked at."""
RANKS = {"most": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "fewest": -1}
KNOWN = ("counting alone", "the kind known", "rumours skipped too")
Script = tuple[str, str, str, int, bool]
SCRIPTS: list[Script] = list(product((*WEIGHTS, MET), RANKS, KNOWN, (0, -1), (False, True)))
"""What is weighed, which rank is taken, what is known, the first or last value, one quote or two."""


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class Page:
    """What a script sees of one task: everything that the hits of a search for its question say."""

    def __init__(self, task: dict) -> None:
        session = Session()
        session.reset(task, 0)
        found = _call(session, "search", words=task["prompt"]).splitlines()
        texts = [_call(session, "open", id=line[:3]) for line in found]
        self.task, self.calls = task, session.state()["calls"]
        said = dict.fromkeys(each for text in texts for each in re.split(r"(?<=\.) ", text.partition("\n")[2]))
        self.words = {each: words_of(each) for each in said}
        world = make_world(**task["info"])
        names = re.compile(rf"{'|'.join(sorted(map(re.escape, world.names), key=len, reverse=True))}|\d[\d,]*")
        self.masked = lambda sentence: names.sub("…", sentence)
        self.met = Counter(self.masked(each) for article in world.articles.values() for each in article.sentences)
        self.asked = words_of(task["prompt"])
        self.kind = kind_of(world)
        self.fitting = [each for each in said if self._values(each, self.kind) and self._names_the_subject(each)]
        true = [each for each in self.fitting if '"' not in each]
        looked_at = dict(zip(KNOWN, (list(said), self.fitting, true), strict=True))
        self.ranked = {
            (weight, known): self._ranked(weight, fits)
            for weight in (*WEIGHTS, MET)
            for known, fits in looked_at.items()
        }
        self.paid: dict[tuple[str, ...], float] = {}

    def earned(self, script: Script) -> float:
        weight, rank, known, place, has_two_quotes = script
        ranked = self.ranked[weight, known]
        if not ranked:
            return 0.0
        at = RANKS[rank] if RANKS[rank] < 0 else min(RANKS[rank], len(ranked) - 1)
        values = self._values(ranked[at], ANY if known == KNOWN[0] else self.kind)
        quotes = [ranked[at], ranked[0 if at else -1]][: 1 + has_two_quotes]
        return self.verdict(values[place] if values else "", *quotes)

    def _ranked(self, weight: str, fits: list[str]) -> list[str]:
        """Sentences, the best first."""
        seen = Counter(word for words in self.words.values() for word in words)
        if weight == MET:
            return sorted(fits, key=lambda each: -self.met[self.masked(each)])
        weighed = {each: WEIGHTS[weight](self.asked, words, seen) for each, words in self.words.items()}
        return sorted(fits, key=lambda each: -weighed[each])

    def _names_the_subject(self, sentence: str) -> bool:
        names = words_of(" ".join(re.findall(r"(?<=.)\b[A-Z]\w+", self.task["prompt"])))
        return bool(names & self.words[sentence])

    def _values(self, sentence: str, kind: str) -> list[str]:
        """Values that the question does not name."""
        return [each.rstrip(",") for each in re.findall(kind, sentence) if not words_of(each) & self.asked]

    def verdict(self, *said: str) -> float:
        """What a value and its quotes earn, as a share."""
        if said not in self.paid:
            given = {"found": True, "answer": said[0], "quotes": list(said[1:])}
            got = verify(self.task, {"calls": [*self.calls, {"name": "answer", "arguments": given}]})
            self.paid[said] = (0.5 * got["correct"] + got["supported"]) * got["genuine"] / 1.5
        return self.paid[said]


def kind_of(world: World) -> str:
    """The pattern of what can be the answer: a year, a number, or a name that this land has."""
    if world.kind in ("year", "number"):
        return r"\b\d{4}\b" if world.kind == "year" else r"\d,\d{3}"
    names = [name for name in world.names if world.kind == "name" or (" " in name) == (world.kind == "person")]
    return rf"\b(?:{'|'.join(map(re.escape, names))})\b"


def _call(session: Session, name: str, **arguments: object) -> str:
    call = {"id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return session.step({"role": "assistant", "content": "", "tool_calls": [call]})["messages"][0]["content"]


def measure(tasks: list[dict]) -> Iterator[tuple[float, Script]]:
    """What each script earns, as a share of what there is to earn."""
    pages = [Page(task) for task in tasks]
    for script in SCRIPTS:
        yield sum(page.earned(script) for page in pages) / len(pages), script


def table(found: list[tuple[float, Script]]) -> str:
    """The README's table: the best script of each rank, and of those that count wordings."""
    head = f"of {len(found)} scripts, the best that takes the sentence with … words in common"
    rows = [f"| {head} | {' | '.join(KNOWN)} |", "|---|---|---|---|"]
    counted = [each for each in found if each[1][0] != MET]
    rows += [_row(rank, [each for each in counted if each[1][1] == rank]) for rank in RANKS]
    rows.append(_row("(by how often its wording is met)", [each for each in found if each[1][0] == MET]))
    return "\n".join(rows)


def _row(name: str, found: list[tuple[float, Script]]) -> str:
    best = (max(share for share, script in found if script[2] == known) for known in KNOWN)
    return f"| {name} | {' | '.join(f'{share:.1%}' for share in best)} |"


if __name__ == "__main__":
    with (DATA / "test.jsonl").open() as lines:
        print(table(list(measure([json.loads(line) for line in lines]))))
