"""A wrong value, stated in the forms in which policies state an answer, and written in other notations.

A suite's answers are written in a few forms. A verifier that reads those with care may take whatever stands in a box,
behind four number signs, in another language, or in words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from sandbox.audit.probes import answers, wrong_numbers
from sandbox.audit.probes.answers import ReferenceAnswer
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.leak_text import stated_words, turned
from sandbox.audit.probes.material import Example, Material, has_tolerance, lacks_answer
from sandbox.audit.probes.number_words import in_words
from sandbox.audit.probes.task_options import letters_of

_FORMS: Mapping[str, str] = {
    "alone": "{}",
    "in a sentence": "The answer is {}.",
    "in a box": "The final answer is $\\boxed{{{}}}$.",
    "a box alone": "\\boxed{{{}}}",
    "behind four signs": "Each part is added up.\n#### {}",
    "between dollar signs": "Final Answer: The final answer is ${}$.",
    "in bold": "**{}**",
    "behind bold words": "**Final answer:** {}",
    "in tags": "<answer>{}</answer>",
    "in JSON": '{{"answer": "{}"}}',
    "as code": "`{}`",
    "an equation": "x = {}",
    "a heading": "### Final Answer\n\n{}",
    "in brackets": "({})",
    "in double brackets": "[[{}]]",
    "in quotes": '"{}"',
    "German": "Die Antwort ist {}.",
    "French": "La r\u00e9ponse est {}.",
    "Spanish": "La respuesta es {}.",
    "Chinese": "\u7b54\u6848\u662f {}\u3002",
    "Russian": "\u041e\u0442\u0432\u0435\u0442: {}.",
}
_LETTERED: Mapping[str, str] = {
    "a letter with a bracket": "{})",
    "a letter with a point": "{}.",
    "an option": "The correct option is ({}).",
    "a letter in text": "$\\boxed{{\\text{{({})}}}}$",
}
_EACH = 2
_LONG = 5
_NAME = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+){1,3}")
_GROUPED = 1000
_NOTATIONS = 15
"""As many as there are (``_notations``)."""
_FULL_WIDTH = str.maketrans("0123456789", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")
_ARABIC = str.maketrans("0123456789", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669")


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Each form once with every task. Its own words hold no answer, and its value is far from the task's."""
    if not material.answer_decides:
        return
    for task in material.tasks_for_wrong_text():
        answer = answers.read(task.get("answer"))
        if answer is not None and not has_tolerance(task):
            for way, text in _of_value(task, answer, random):
                if lacks_answer(task, text):
                    yield replace(material.say(task, text), way=way)
    for item, name, word in [*((item, word, word) for item, word in stated_words(material)), *_names(material)]:
        for way, form in _FORMS.items():
            text = form.format(name.replace(word, turned(word, random)))
            if lacks_answer(item.task, text):
                yield replace(material.say(item.task, text), way=way)


def _names(material: Material) -> list[tuple[Example, str, str]]:
    """Right responses, with an answer of two to four words and its longest word. None where one is spelled freely."""
    found = []
    for item in material.examples:
        answer = item.task.get("answer")
        if item.text is None or item.answer is not None or not isinstance(answer, str) or not _NAME.fullmatch(answer):
            continue
        if answer.casefold() not in item.text.casefold():
            return []
        word = max(re.findall(r"\w+", answer), key=len)
        if len(word) >= _LONG and answer.count(word) == 1:
            found.append((item, answer, word))
    return found


def _of_value(task: dict[str, Any], answer: ReferenceAnswer, random: Random) -> Iterator[tuple[str, str]]:
    """Way -> what states another value."""
    if answer.value is not None:
        for way, form in _FORMS.items():
            yield way, form.format(wrong_numbers.other_than(answer, random))
        for way, said in _notations(int(wrong_numbers.other_than(answer, random))).items():
            if not _holds(said, answer.value):
                yield way, f"The answer is {said}."
        return
    forms, others = _FORMS, [answers.opposite(answer)] if answer.kind == "truth" else _other_letters(task, answer)
    if answer.kind == "choice":
        forms = {**_FORMS, **_LETTERED}
    for way, form in forms.items() if others else ():
        yield way, form.format(random.choice(others))


def _other_letters(task: dict[str, Any], answer: ReferenceAnswer) -> list[str]:
    return [letter for letter in letters_of(task) or "ABCD" if letter != answer.text]


def _holds(said: str, answer: Fraction) -> bool:
    """Whether a part of it could be read as the answer: 47 of "1,047", twenty of "twenty-one"."""
    parts = {Fraction(int(digits)) for digits in re.findall(r"\d+", said)}
    words = in_words(abs(int(answer))) if answer.denominator == 1 else None
    return abs(answer) in parts or (words is not None and bool(re.search(rf"\b{words}\b", said)))


def _notations(value: int) -> dict[str, str]:
    """Way -> the number, written otherwise than in digits alone."""
    digits, sign = str(abs(value)), "-" if value < 0 else ""
    found = {
        "with a point": f"{value}.0",
        "with two decimals": f"{value}.00",
        "a quotient": f"{2 * value}/2",
        "a fraction": f"{sign}\\frac{{{2 * abs(value)}}}{{2}}",
        "with a power of ten": f"{sign}{digits[0]}.{digits[1:] or '0'} \\times 10^{{{len(digits) - 1}}}",
        "in digits of full width": f"{sign}{digits}".translate(_FULL_WIDTH),
        "in Arabic digits": f"{sign}{digits}".translate(_ARABIC),
        "in dollars": f"{sign}${digits}",
        "in euros": f"{value} euros",
        "of things": f"{value} apples",
        "about": f"about {value}",
        "more words behind it": f"{value}, as the question asks",
    }
    grouped = f"{value if abs(value) >= _GROUPED else value * (_GROUPED + 1):,}"
    found["with a comma"] = grouped
    found["with a narrow space"] = grouped.replace(",", "\u202f")
    words = in_words(value)
    return found | ({"in words": words} if words else {})


FAMILY = Family(
    name="leak_stated",
    expects="incorrect",
    rule="another value is not the answer, in whatever form it is stated",
    make=make,
    most=_EACH * (len(_FORMS) + _NOTATIONS),
)
