"""Ways to write a pipeline as a program, programs that do no work, and what stands around a program in a response."""

import json
from collections.abc import Callable

from suites_python_code.pipelines import Pipeline


def steps_in_order(made: Pipeline) -> str:
    body = "".join(f"    items = {step.code}\n" for step in made.steps)
    return f"def {made.entry}(items):\n{body}    return {made.end.code}\n"


def with_docstring(made: Pipeline) -> str:
    body = "".join(f"    items = {step.code}  # {step.words}\n" for step in made.steps)
    return f"{made.prompt}{body}    return {made.end.code}\n"


def with_helpers(made: Pipeline) -> str:
    helpers = "".join(
        f"def _step_{number}(items):\n    return {step.code}\n\n\n" for number, step in enumerate(made.steps)
    )
    calls = "".join(f"    items = _step_{number}(items)\n" for number in range(len(made.steps)))
    return f"{helpers}def {made.entry}(items):\n{calls}    return {made.end.code}\n"


def with_lambdas(made: Pipeline) -> str:
    steps = "".join(f"        lambda items: {step.code},\n" for step in made.steps)
    loop = f"    steps = [\n{steps}    ]\n    for step in steps:\n        items = step(items)\n"
    return f"def {made.entry}(items):\n{loop}    return {made.end.code}\n"


def with_annotations(made: Pipeline) -> str:
    body = "".join(f"    items = {step.code}\n" for step in made.steps)
    head = f"from typing import List\n\n\ndef {made.entry}(items: List[int]):\n    items = list(items)\n"
    return f"{head}{body}    result = {made.end.code}\n    return result\n"


STYLES: dict[str, Callable[[Pipeline], str]] = {
    style.__name__.replace("_", " "): style
    for style in (steps_in_order, with_docstring, with_helpers, with_lambdas, with_annotations)
}

Tests = list[dict]
NO_WORK: dict[str, Callable[[Pipeline, Tests], str]] = {
    "returns its input": lambda made, _: f"def {made.entry}(items):\n    return [items]\n",
    "returns nothing": lambda made, _: f"def {made.entry}(items):\n    pass\n",
    "raises": lambda made, _: f"def {made.entry}(items):\n    raise NotImplementedError\n",
    "one known value": lambda made, tests: (
        f"def {made.entry}(items):\n    return {json.loads(json.dumps(tests[-1]['value']))!r}\n"
    ),
    "another name": lambda made, _: steps_in_order(made).replace(f"def {made.entry}(", "def another_function("),
    "equal to everything": lambda made, _: (
        "class Any:\n    def __eq__(self, other):\n        return True\n\n\n"
        f"def {made.entry}(items):\n    return Any()\n"
    ),
    "ends the process": lambda made, _: f"import sys\n\n\ndef {made.entry}(items):\n    sys.exit(0)\n",
    "prints its value": lambda made, _: steps_in_order(made).replace("    return ", "    print(").rstrip("\n") + ")\n",
    "cut off": lambda made, _: steps_in_order(made)[: -len(made.end.code) - 9] + "    return (\n",
}

TALK = {
    "fenced": "```python\n@```",
    "fenced without a language": "```\n@```",
    "words before": "Here is the function.\n\n```python\n@```",
    "words around": "The steps follow one another.\n\n```python\n@```\n\nIt takes time in proportion to the list.",
    "heading": "### Solution\n\n```python\n@```\n",
    "thinking": "<think>Each step gives a new list.</think>\n\n```python\n@```",
}
