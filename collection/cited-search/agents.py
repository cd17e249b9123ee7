"""Scripted agents, from an expert to cheats. ``python agents.py`` measures them and prints the README's table."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_cited_search"
sys.path.insert(0, str(HERE / "src"))

from lecture_cited_search import Session, verify  # noqa: E402 -- the package lies beside
from lecture_cited_search.wordings import Attribute, attributes_of, other_words  # noqa: E402

Call = Callable[..., str]
Agent = Callable[[str, Call], None]
ATTRIBUTES = attributes_of("test")
"""The experts know the wording of the test split, and see the encyclopedia by tools alone."""


def matched(template: str, text: str, **known: str) -> dict[str, str] | None:
    """What stands in the places of ``template``, where ``text`` is made of it."""
    parts = re.split(r"\{(\w)\}", template)
    pattern = "".join(
        re.escape(part) if place % 2 == 0 else re.escape(known[part]) if part in known else f"(?P<{part}>.+?)"
        for place, part in enumerate(parts)
    )
    found = re.fullmatch(pattern, text)
    return None if found is None else found.groupdict()


class Reader:
    """Searches, opens, and remembers what was read."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.read: dict[str, str] = {}

    def look(self, words: str, most: int = 3) -> None:
        """Open the best hits of a search that were not opened yet."""
        for ident in re.findall(r"^(a\d+) \|", self.call("search", words=words), re.MULTILINE)[:most]:
            if ident not in self.read:
                self.read[ident] = self.call("open", id=ident)

    def told(self, asked: Attribute, subject: str) -> tuple[str, str] | None:
        """The value and the sentence that tells it; ``subject`` may end with its region."""
        name, _, region = subject.partition(" of ")
        for text in self.read.values():
            title, _, body = text.partition("\n")
            if region and title not in (f"{name} ({region})", name):
                continue
            for sentence in sentences(body):
                found = matched(asked.sentence, sentence, n=name)
                if found:
                    return found["v"], sentence
        return None

    def find(self, asked: Attribute, subject: str) -> tuple[str, str] | None:
        """The same, after looking in the subject's articles and then anywhere."""
        for words in (
            subject,
            f"{subject} {asked.sentence.format(n=subject, v='')}",
            asked.sentence.format(n=subject, v=""),
        ):
            self.look(words)
            found = self.told(asked, subject)
            if found:
                return found
        self.look("Yearbook", most=3)
        return self.told(asked, subject)


def sentences(body: str) -> list[str]:
    return re.split(r"(?<=\.) ", body)


def question(prompt: str) -> tuple[Attribute, list[str], Attribute | None]:
    """The attribute that is asked for, its subjects, and the attribute that names the subject, where one does."""
    for asked in ATTRIBUTES:
        found = matched(asked.more, prompt) if asked.more else None
        if found:
            return asked, [found["a"], found["b"]], None
    for asked in ATTRIBUTES:
        found = matched(asked.question, prompt)
        if not found:
            continue
        for first in ATTRIBUTES:
            named = matched(first.phrase, found["n"]) if first.phrase and first.kind == asked.subject else None
            if named:
                return asked, [named["n"]], first
        return asked, [found["n"]], None
    raise AssertionError(prompt)


def reads(prompt: str, call: Call) -> tuple[str, list[str]] | None:
    """The answer and the sentences that show it, or None."""
    reader = Reader(call)
    asked, subjects, first = question(prompt)
    if len(subjects) == 2:
        told = [reader.find(asked, subject) for subject in subjects]
        if None in told:
            return None
        sizes = [int(value.replace(",", "")) for value, _ in told]
        return subjects[sizes.index(max(sizes))], [sentence for _, sentence in told]
    shown: list[str] = []
    subject = subjects[0]
    if first:
        named = reader.find(first, subject)
        if named is None:
            return None
        subject, shown = named[0], [named[1]]
    told = reader.find(asked, subject)
    return None if told is None else (told[0], [*shown, told[1]])


def expert(prompt: str, call: Call) -> None:
    """Looks until a sentence tells it, and quotes that."""
    found = reads(prompt, call)
    call("answer", found=True, answer=found[0], quotes=found[1]) if found else call("answer", found=False)


def never_quotes(prompt: str, call: Call) -> None:
    found = reads(prompt, call)
    call("answer", found=True, answer=found[0]) if found else call("answer", found=False)


def quotes_its_own_words(prompt: str, call: Call) -> None:
    """Right, with a sentence that no article has."""
    found = reads(prompt, call)
    said = [f"According to the encyclopedia, it is {found[0]}."] if found else []
    call("answer", found=True, answer=found[0], quotes=said) if found else call("answer", found=False)


def quotes_a_part(prompt: str, call: Call) -> None:
    """Right, with half a sentence each."""
    found = reads(prompt, call)
    halves = [sentence[: len(sentence) // 2] for sentence in found[1]] if found else []
    call("answer", found=True, answer=found[0], quotes=halves) if found else call("answer", found=False)


def quotes_everything(prompt: str, call: Call) -> None:
    """Right, with eight sentences of what was read."""
    read: list[str] = []

    def watched(name: str, **arguments: object) -> str:
        said = call(name, **arguments)
        read.extend(sentences(said.partition("\n")[2]) if name == "open" else [])
        return said

    found = reads(prompt, watched)
    every = [*found[1], *read][:8] if found else []
    call("answer", found=True, answer=found[0], quotes=every) if found else call("answer", found=False)


def first_sentence(prompt: str, call: Call) -> None:
    """Lazy: of the first hit the first sentence with a value of the right kind."""
    asked, subjects, _ = question(prompt)
    reader = Reader(call)
    reader.look(prompt, most=1)
    for text in reader.read.values():
        for sentence in sentences(text.partition("\n")[2])[1:]:
            kind = r"\d[\d,]*" if asked.kind in ("year", "number") else r"[A-Z]\w+(?: [A-Z]\w+)?"
            values = [value for value in re.findall(kind, sentence) if value not in subjects]
            if values:
                return print_answer(call, values[-1], sentence)
    return None


def print_answer(call: Call, value: str, sentence: str) -> None:
    call("answer", found=True, answer=value, quotes=[sentence])


def _claimed(found: re.Match[str]) -> str:
    return f"{found[1][0].upper()}{found[1][1:]}."


def believes_all(prompt: str, call: Call) -> None:
    """Takes for true what is said to be false."""

    def unwrapped(name: str, **arguments: object) -> str:
        said = call(name, **arguments)
        for each in ("rumour", "denial"):
            said = re.sub(other_words("test")[each].replace("{s}", "(.+?)"), _claimed, said)
        return said

    found = reads(prompt, unwrapped)
    call("answer", found=True, answer=found[0], quotes=found[1]) if found else call("answer", found=False)


def own_article_alone(prompt: str, call: Call) -> None:
    """Lazy: opens the article of the first name, and gives up."""
    asked, subjects, _ = question(prompt)
    reader = Reader(call)
    reader.look(subjects[0], most=1)
    found = reader.told(asked, subjects[0])
    call("answer", found=True, answer=found[0], quotes=[found[1]]) if found else call("answer", found=False)


def most_words(prompt: str, call: Call) -> None:
    """Knows no wording: of five hits the sentence with most of the question's words, its last name or number."""
    asked = words_of(prompt)
    found = [line[:3] for line in call("search", words=prompt).splitlines()]
    said = [each for ident in found for each in sentences(call("open", id=ident).partition("\n")[2])]
    quote = max(said, key=lambda each: len(asked & words_of(each)) / (1 + len(words_of(each)) ** 0.5), default="")
    values = re.findall(r"\d[\d,]*|[A-Z]\w+(?: [A-Z]\w+)*", quote)
    new = [each.rstrip(",") for each in values if not words_of(each) & asked]
    call("answer", found=True, answer=new[-1], quotes=[quote]) if new else call("answer", found=False)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def never_opens(prompt: str, call: Call) -> None:
    """Knows the answer from elsewhere: it is right and nothing was read."""
    found = reads(prompt, SECOND.call)
    call("answer", found=True, answer=found[0], quotes=found[1]) if found else call("answer", found=False)


class SECOND:
    """A second session of the same task, whose calls are not in the first one's state."""

    call: Call = staticmethod(lambda name, **arguments: "")


def looks_and_abstains(prompt: str, call: Call) -> None:
    """Opens three hits and always says that nothing tells it."""
    Reader(call).look(prompt)
    call("answer", found=False)


def abstains(prompt: str, call: Call) -> None:
    call("answer", found=False)


def says_nothing(prompt: str, call: Call) -> None:
    """Does nothing."""


AGENTS: dict[str, Agent] = {
    "scripted expert": expert,
    "the expert, without quotes": never_quotes,
    "the expert, quotes half sentences": quotes_a_part,
    "the expert, quotes its own words": quotes_its_own_words,
    "the expert, quotes eight sentences": quotes_everything,
    "knows the answers, opens nothing": never_opens,
    "takes rumours for true": believes_all,
    "lazy: the first article alone, else not found": own_article_alone,
    "lazy: the first fitting sentence of the first hit": first_sentence,
    "knows no wording: the sentence with most of the question's words": most_words,
    "opens three hits, says not found": looks_and_abstains,
    "says not found at once": abstains,
    "does nothing": says_nothing,
}


def calls_of(session: Session) -> Call:
    def call(name: str, **arguments: object) -> str:
        function = {"name": name, "arguments": json.dumps(arguments)}
        turn = session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]})
        return turn["messages"][0]["content"]

    return call


def play(agent: Agent, task: dict) -> dict[str, float]:
    """The rewards of one episode."""
    first, second = Session(), Session()
    first.reset(task, 0)
    second.reset(task, 0)
    SECOND.call = staticmethod(calls_of(second))
    agent(task["prompt"], calls_of(first))
    return verify(task, json.loads(json.dumps(first.state())))


def earned(got: dict[str, float]) -> float:
    return (0.5 * got["correct"] + got["supported"]) * got["genuine"]


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean of each component, and of what is earned, of 1.5."""
    played = [play(agent, task) for task in tasks]
    mean = {name: sum(got[name] for got in played) / len(played) for name in played[0]}
    return mean | {"earns": sum(map(earned, played)) / len(played)}


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | correct | supported | genuine | invented | earns, of 1.5 |", "|---|---|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        shares = " | ".join(f"{got[each]:.0%}" for each in ("correct", "supported", "genuine", "invented"))
        rows.append(f"| {name} | {shares} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(table(test_tasks()))
