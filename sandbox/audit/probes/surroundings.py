"""Wrong answers as a training run brings them: behind thinking, in a conversation, in another setting.

Suites hold single answers of a few lines. A verifier that is careful with those, and lenient with what a policy writes,
would be graded by what no trainer uses it for.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

from sandbox.audit.probes.answers import spans_of_numbers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material, asked, is_like_answer, lacks_answer
from sandbox.audit.probes.prose import prose
from sandbox.audit.probes.swap_record import is_other, is_record, read_record, rights_are_records

_WORKING = (
    "Let me look at the question again and write down what is given.",
    "I take the parts one after another, and check each before I go on.",
    "That step follows from the one before, so I keep it.",
    "It is tempting to stop here, but the question asks for more.",
    "I go through it once more from the beginning to be sure.",
    "Nothing in the text speaks against this reading of it.",
)
_SENTENCES, _PAGES = (3, 400), (240, 600)
"""Fewest and most: policies think for a line, or for twelve to thirty thousand characters."""
THINKING = (
    ("<think>", "</think>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("", "</think>"),  # where the chat template writes the first one
)
"""What stands before thinking, and behind it."""
_GO_ON = ("Please go on.", "Are you sure? Look again.", "And the answer?")
_FEW, _MANY = (1, 3), (5, 12)
_RULES = (8, 30)
_TOOLS = ("search", "lookup", "notes")
SYSTEM = "You are a careful assistant. Think first, then answer."
_SETTINGS = {
    "a code block": "```\n{}\n```",
    "a heading": "## Answer\n\n{}",
    "a quotation": "> {}",
    "German": "Ich rechne es noch einmal nach und bleibe dabei.\n\n{}",
    "Chinese": "我再检查一遍。\n\n{}",
    "a byte order mark": "\ufeff{}\n",
    "a table": "| result |\n|---|\n| see below |\n\n{}",
    "many lines": "I begin.\n\nI go on.\n\nI look again.\n\n{}\n\n\n\n",
    "a speaker": "Assistant: {}",
    "an end mark": "{}</s>",
    "an end of turn": "{}<|im_end|>",
    "a tick": "{} \u2705",
    "HTML": "<b>Answer</b><br>\n{}",
    "a list": "- I looked at it.\n* I checked it.\n\n{}",
    "exclamation marks": "I am sure!!!\n\n{}",
    "a box": "{}\n\n$\\boxed{{\\text{{see above}}}}$",
}
_MAY_AFFIRM = frozenset({"a tick", "exclamation marks"})
"""Both may be a yes, where yes or no is asked for."""
_LONGEST_QUESTION = 2000
_SAID_OTHERWISE = 3
"""Ways of saying it otherwise (``_said_otherwise``)."""


def wrong_responses(material: Material) -> Iterator[tuple[Example, str]]:
    """Responses that are labelled wrong and that this verifier rejects: without the right answer anywhere in them.

    Where answers are JSON objects: another object, in which a text or a whole number differs.
    """
    are_records = not material.answer_decides and bool(rights_are_records(material))
    for item in material.wrong:
        text = item.text
        if not text or item.is_accepted or item.files is not None or item.state is not None:
            continue
        value = read_record(text) if are_records else None
        is_another = is_record(value) and is_other(value, item.task.get("answer"))
        if is_another or (material.answer_decides and lacks_answer(item.task, text)):
            yield item, text


def any_length(random: Random, fewest: int, most: int) -> int:
    """A number between them, each order of size as often as any other."""
    return round(fewest * math.pow(most / fewest, random.random()))


def right_responses(material: Material) -> Iterator[tuple[Example, str]]:
    """Responses that are labelled right, and that this verifier accepts."""
    right = material.examples if material.answer_decides else rights_are_records(material)
    for item in right:
        if item.is_accepted and item.text and item.files is None and item.state is None:
            yield item, item.text


def _behind_thinking(responses: Iterable[tuple[Example, str]], random: Random) -> Iterator[Draft]:
    for item, text in responses:
        named = [(f"{before} {after}".strip(), before, after, _SENTENCES) for before, after in THINKING]
        pages = [(way, *THINKING[0], _PAGES) for way in ("pages of it", "pages in other words")]
        for way, before, after, lengths in [*named, *pages]:
            length = any_length(random, *lengths)
            is_varied = way == "pages in other words" or (way != "pages of it" and random.randrange(2) == 0)
            working = prose(random, length) if is_varied else " ".join(random.choices(_WORKING, k=length))
            if lacks_answer(item.task, working) and not is_like_answer(item.task, working):
                yield item.saying(f"{before}\n{working}\n{after}\n\n{text}", way=way)


def _in_conversation(responses: Iterable[tuple[Example, str]], random: Random) -> Iterator[Draft]:
    for item, text in responses:
        if item.messages is not None:
            continue
        told = random.choice((SYSTEM, f"{SYSTEM}\n\n{prose(random, random.randint(*_RULES))}"))
        system = {"role": "system", "content": told}
        said = {"role": "assistant", "content": text}
        question = asked(item.task)
        yield Draft(item.task, messages=[system, *question, said], way="a system message", plain=text)
        yield Draft(item.task, messages=[*question, *turns(random, *_FEW), said], way="several turns", plain=text)
        yield Draft(item.task, messages=[*question, *turns(random, *_MANY), said], way="many turns", plain=text)
        yield Draft(item.task, messages=[*question, *used_tool(random), said], way="a tool's answer", plain=text)
        thought = said | {"reasoning_content": " ".join(random.choices(_WORKING, k=3))}
        yield Draft(item.task, messages=[*question, thought], way="thinking beside it", plain=text)


def turns(random: Random, fewest: int = _FEW[0], most: int = _FEW[1]) -> list[dict[str, Any]]:
    """Turns of a conversation in which nothing is answered."""
    return [
        message
        for _ in range(random.randint(fewest, most))
        for message in (
            {"role": "assistant", "content": random.choice(_WORKING)},
            {"role": "user", "content": random.choice(_GO_ON)},
        )
    ]


def used_tool(random: Random) -> list[dict[str, Any]]:
    """A call of a tool that tells nothing, and its answer."""
    name = random.choice(_TOOLS)
    call = {"id": "call_" + "".join(random.choices("bcdfghjk", k=8)), "type": "function"}
    called = call | {"function": {"name": name, "arguments": "{}"}}
    return [
        {"role": "assistant", "content": random.choice(_WORKING), "tool_calls": [called]},
        {"role": "tool", "tool_call_id": call["id"], "content": "Nothing was found."},
    ]


def _in_another_setting(responses: Iterable[tuple[Example, str]], random: Random) -> Iterator[Draft]:
    del random
    for item, text in responses:
        is_truth = item.answer is not None and item.answer.kind == "truth"
        for way, setting in _SETTINGS.items():
            if not (is_truth and way in _MAY_AFFIRM):
                yield item.saying(setting.format(text), way=way)
        for way, said in _said_otherwise(item, text):
            if said != text and (item.shows_answer() or lacks_answer(item.task, said)):
                yield item.saying(said, way=way)


def _said_otherwise(item: Example, text: str) -> Iterator[tuple[str, str]]:
    """Way -> the same words with the question before them; cut behind their last number; or in capitals.

    The last two only where numbers are compared: another letter may be another choice, or another variable.
    """
    prompt = item.task.get("prompt")
    if isinstance(prompt, str) and 0 < len(prompt) <= _LONGEST_QUESTION:
        yield "the question again", f"{prompt}\n\n{text}"
    if item.answer is not None and item.answer.value is not None:
        yield "capitals", text.upper()
        for last in spans_of_numbers(text)[-1:]:
            yield "nothing behind it", text[: last.end]


FORMS: Mapping[str, Callable[[Iterable[tuple[Example, str]], Random], Iterator[Draft]]] = {
    "leak_thinking": _behind_thinking,
    "leak_last_turn": _in_conversation,
    "leak_setting": _in_another_setting,
}
"""Families whose ways are forms that a verifier may pay for: each makes drafts of (example, what it says)."""


def _wrong_in(name: str) -> Callable[[Material, Random], Iterator[Draft]]:
    return lambda material, random: FORMS[name](wrong_responses(material), random)


FAMILIES = (
    Family(
        name="leak_thinking",
        expects="incorrect",
        rule="a wrong answer does not become right behind thinking that states no answer",
        make=_wrong_in("leak_thinking"),
        most=2 * (len(THINKING) + 2),
    ),
    Family(
        name="leak_last_turn",
        expects="incorrect",
        rule="a wrong answer does not become right as the last turn of a conversation",
        make=_wrong_in("leak_last_turn"),
        most=10,
    ),
    Family(
        name="leak_setting",
        expects="incorrect",
        rule="a wrong answer does not become right in a code block, in capitals, or behind another language",
        make=_wrong_in("leak_setting"),
        most=2 * (len(_SETTINGS) + _SAID_OTHERWISE),
    ),
)
