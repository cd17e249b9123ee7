"""Tasks to train on, without end: a function drawn from a family, with inputs that the prompt does not show."""

import json
from random import Random

from lecture_python_functions.families import LEVELS, Function
from lecture_python_functions.validation_families import VALIDATION_LEVELS

SHOWN, HIDDEN = 2, 20
"""Calls that the prompt gives as examples, and calls that decide."""
MOST_OF_ONE_VALUE = 0.5
"""The largest share of the deciding calls that may have the same right value: an answer by heart must not pass."""
ASK = "Complete this Python function. Answer with the whole function in one code block.\n\n```python\n{prompt}```"


def generate(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. The right values are in ``answer``."""
    random = Random(f"{split}:{seed}:{index}")
    levels = VALIDATION_LEVELS if split == "validation" else LEVELS
    level = list(levels)[index % len(levels)]
    families = levels[level]
    family = families[index // len(levels) % len(families)]
    tests = None
    while tests is None:
        function = family(random)
        tests = draw_tests(function, random)
    prompt = prompt_of(function, tests[:SHOWN])
    return {
        "id": f"{family.__name__.replace('_', '-')}-{split}-{seed}-{index}",
        "prompt": ASK.format(prompt=prompt),
        "answer": tests[SHOWN:],
        "info": {"function": {"entry": function.entry, "prompt": prompt}},
        "tags": [level, family.__name__.replace("_", "-")],
        "split": split,
    }


def draw_tests(function: Function, random: Random) -> list[dict] | None:
    """Different calls, with their right values. None where too few differ, or too many hidden ones have one value."""
    calls: dict[str, list] = {}
    for _ in range(10 * (SHOWN + HIDDEN)):
        args = function.draw(random)
        calls[json.dumps(args)] = args
        if len(calls) == SHOWN + HIDDEN:
            break
    tests = [{"args": args, "value": function.value_of(*json.loads(key))} for key, args in calls.items()]
    values = [json.dumps(test["value"], sort_keys=True) for test in tests[SHOWN:]]
    is_enough = len(tests) == SHOWN + HIDDEN and max(map(values.count, values)) <= MOST_OF_ONE_VALUE * len(values)
    return tests if is_enough else None


def prompt_of(function: Function, shown: list[dict]) -> str:
    """The head of the function: its signature, and a docstring with its words and examples."""
    examples = "\n".join(
        f"    >>> {function.entry}({', '.join(map(repr, test['args']))})\n    {test['value']!r}" for test in shown
    )
    words = "\n".join(f"    {line}" for line in _lines(function.words))
    return f'def {function.entry}({function.signature}):\n    """\n{words}\n\n{examples}\n    """\n'


def _lines(text: str, width: int = 90) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
