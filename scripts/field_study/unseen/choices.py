"""Reported defects of verifiers of a lettered choice."""

import re
from collections.abc import Callable

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task

Read = Callable[[str], str | None]
NAMES = ("copper", "iron", "silver", "gold", "zinc", "lead", "tin", "nickel", "cobalt", "mercury", "helium", "argon")


def question(number: int, letter: str) -> Task:
    options = [NAMES[(number + step) % len(NAMES)] for step in range(4)]
    listed = "\n".join(f"{name}. {text}" for name, text in zip("ABCD", options, strict=True))
    return task(f"Question {number}: which of these?\n{listed}", letter, choices=options)


def _right(shape: str) -> list[tuple[Task, str]]:
    return [(question(n, "ABCD"[n % 4]), shape.format("ABCD"[n % 4])) for n in range(12)]


def by(read: Read) -> Callable[[Task, str], float]:
    """A verifier that compares the letter that was read."""
    return lambda one, text: float(read(text) == one["answer"])


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return found[1].upper() if found else None


def _last(pattern: str, text: str) -> str | None:
    found = re.findall(pattern, text)
    return found[-1].upper() if found else None


def marked(text: str) -> str | None:
    """The mended reader of all these: the one letter behind the last mark, alone on its line."""
    found = re.findall(r"(?im)^\W*(?:final )?(?:answer|antwort)(?: is)?[ \t]*:?[ \t]*(.*)$", text)
    inner = re.fullmatch(r"\W*([A-Da-d])\W*", found[-1]) if found else None
    return inner[1].upper() if inner else None


def line_begins(one: Task, text: str) -> float:
    """The first line may go on with the option's text."""
    found = re.match(r"\(?([A-D])\)?(?:[.)]\s|[.)]?$)", text.split("\n", maxsplit=1)[0].strip())
    return float(found is not None and found[1] == one["answer"])


def spoken(text: str) -> str | None:
    """The letter behind "is" counts, where it is said."""
    return _last(r"\banswer is ([A-D])\b", text) or last_letter(text)


def antwort(text: str) -> str | None:
    """The first "Antwort:" counts, and the letter may begin the next word."""
    return _first(r"(?i)(?:answer|antwort)\s*:\s*([A-D])", text)


def own_mark(text: str) -> str | None:
    return _last(r"(?i)(?:answer|antwort)[ \t]*:[ \t]*([A-D])\b", text)


def seems(text: str) -> str | None:
    return _first(r"(?i)answer\s*:?\s*(?:is\s*)?\W*([A-Z])", text)


def a_letter(text: str) -> str | None:
    return _first(r"(?i)answer\s*:?\s*(?:is\s*)?\W*([A-Z])\b", text)


def first_option(text: str) -> str | None:
    """A letter in brackets, else one before a stop or space, else any capital."""
    return _first(r"\(([A-Z])\)", text) or _first(r"([A-Z])[.)\s]", text) or _first(r"([A-Z])", text)


def final_option(text: str) -> str | None:
    return _last(r"(?i)answer:\s*\(?([A-D])\b", text)


def last_letter(text: str) -> str | None:
    return _last(r"\b([A-D])\b", text)


def any_case(text: str) -> str | None:
    return _last(r"\b([A-Da-d])\b", text)


def boxed_first(text: str) -> str | None:
    """A formula in a box is searched for a capital before the stated answer is read."""
    box = re.findall(r"\\boxed\{([^{}]*)\}", text)
    if box:
        inner = re.findall(r"\b[A-J]\b", box[-1])
        if inner:
            return inner[-1]
    return marked(text)


def one_letter(one: Task, text: str) -> float:
    found = re.findall(r"ANSWER:\s*(.*)", text)
    words = set(re.findall(r"\b[A-D]\b(?!')", found[-1])) if found else set()
    return float(words == {one["answer"]})


def every_letter(one: Task, text: str) -> float:
    """Every letter behind the mark marks an option: "Don't know" marks D."""
    found = re.findall(r"ANSWER:\s*(.*)", text)
    marks = {each for each in found[-1].upper() if each in "ABCD"} if found else set()
    return float(marks == {one["answer"]})


def first_line(one: Task, text: str) -> float:
    """The whole first line is compared with the letter."""
    return float(text.split("\n", maxsplit=1)[0].strip().rstrip(".").upper() == one["answer"])


def either_way(one: Task, text: str) -> float:
    """The answer contains the reference, or the reference the answer."""
    found = re.search(r"<answer>(.*?)</answer>", text, re.DOTALL)
    if found is None:
        return 0.0
    inner = found[1].strip()
    return float(one["answer"] in inner or inner in one["answer"])


def any_of(one: Task, text: str) -> float:
    """The letter stands somewhere in the answer."""
    return float(re.search(r"<answer>.*\b" + one["answer"] + r"\b.*</answer>", text, re.DOTALL) is not None)


def exactly(one: Task, text: str) -> float:
    found = re.findall(r"<answer>(.*?)</answer>", text, re.DOTALL)
    return float(len(found) == 1 and found[0].strip() == one["answer"])


_LINE = _right("I went through all four.\nAnswer: {}")
_NAMED = [
    (task(f"Which species is on picture {n}?", name), f"<think>I look.</think><answer>{name}</answer>")
    for n, name in enumerate(NAMES)
]
LIST = (
    Unseen("simple-evals-antwort", "the first mark counts, and a word behind it gives its first letter",
           "openai/simple-evals#33", by(antwort), by(own_mark), _right("Ich lese alle vier.\nAntwort: {}"),
           Shown(question(2, "C"), "Antwort:\n\nAntwort: C", "correct")),
    Unseen("openbench-seems", "the first word behind 'answer' is read as a letter", "groq/openbench#348",
           by(seems), by(a_letter), _LINE,
           Shown(question(0, "A"), "The answer seems to be easy.\n\nAnswer: A", "correct")),
    Unseen("opdv-first-option", "the first letter in brackets counts, though it is rejected", "aniri15/OPD-V#2",
           by(first_option), by(final_option), _right("Answer: ({})"),
           Shown(question(0, "A"), "I considered (A), but it is incorrect.\nFinal answer: D", "incorrect")),
    Unseen("omlx-last-letter", "a letter that is named after the answer counts", "jundot/omlx#3668",
           by(last_letter), by(spoken), _right("The answer is {}."),
           Shown(question(1, "B"), "The answer is B. Note that A is a common distractor.", "correct")),
    Unseen("lm-eval-article", "the article 'a' is read as choice A", "EleutherAI/lm-evaluation-harness#4188",
           by(any_case), by(spoken), _right("The answer is {}."),
           Shown(question(1, "B"), "The answer is B because a car moves.", "correct")),
    Unseen("skills-boxed-letter", "a capital of a boxed formula outranks the stated answer", "NVIDIA-NeMo/Skills#1526",
           by(boxed_first), by(marked), _LINE,
           Shown(question(3, "D"), "So $\\boxed{\\Delta E}$ holds.\nAnswer: D", "correct")),
    Unseen("inspect-dont-know", "letters of words are choices: Don't know is D", "UKGovernmentBEIS/inspect_ai#2216",
           every_letter, one_letter, _right("I went through all four.\nANSWER: {}"),
           Shown(question(3, "D"), "ANSWER: Don't know", "incorrect")),
    Unseen("lm-eval-first-line", "a letter with its option is wrong", "EleutherAI/lm-evaluation-harness#4187",
           first_line, line_begins, _right("{}"), Shown(question(1, "B"), "B. silver", "correct")),
    Unseen("visual-rft-empty", "an empty answer is contained in every reference", "Liuziyu77/Visual-RFT#176",
           either_way, exactly, _NAMED, Shown(_NAMED[0][0], "<think>Metal.</think><answer></answer>", "incorrect")),
    Unseen("visual-rft-all", "an answer that lists all classes contains the right one", "Liuziyu77/Visual-RFT#79",
           any_of, exactly, _right("<answer>{}</answer>"),
           Shown(question(0, "A"), "<answer>A or B or C</answer>", "incorrect")),
)  # fmt: skip
