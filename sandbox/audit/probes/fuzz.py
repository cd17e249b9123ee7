"""Shapes that a verifier may not expect: JSON in place of text, nesting without end, code. A raise is counted apart."""

from collections.abc import Callable, Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material, lacks_answer

_DEEP = 5000  # levels; Python gives up at 1,000 calls, and so do most parsers that recurse
_JSON = (
    '{"fuzz": {"q": {"q": "q"}}}',
    '[{"fuzz": "q"}, [["q"], "q"]]',
    '{"fuzz": ["q", {"q": "q"}]}',
    '"fuzz"',
    '{"fuzz": "q"',
    '[["fuzz", "q"], ["q"]]',
)
_NESTED = ("[" * _DEEP, "(" * _DEEP + ")" * _DEEP, '{"q":' * _DEEP, "\\frac{" * _DEEP, "{" * _DEEP + "}" * _DEEP)
_EXPRESSIONS = (
    '__import__("sys").exit()',
    "exit()",
    '[__import__("sys").exit()]',
    '(lambda: __import__("sys").exit())()',
)
"""Each ends the program that evaluates it. Nothing happens where a response is only read."""
_NAMES = ('task["answer"]', "task['answer']", 'task.get("answer")', '(task["answer"])')
"""Where a verifier evaluates them beside its own variables, each is what it compares with."""


def _alone(texts: tuple[str, ...]) -> Callable[[Material, Random], Iterator[Draft]]:
    """The text is the whole response, once for each task."""

    def make(material: Material, random: Random) -> Iterator[Draft]:
        for task in material.tasks_for_wrong_text():
            text = random.choice(texts)
            if isinstance(task.get("answer"), str | int | float | None) and lacks_answer(task, text):
                yield material.say(task, text, note=text[:20])

    return make


FAMILIES = (
    Family(
        name="fuzz_json",
        expects="incorrect",
        rule="a JSON value that does not contain the answer does not give it",
        make=_alone(_JSON),
    ),
    Family(
        name="fuzz_nesting",
        expects="incorrect",
        rule="five thousand brackets hold no answer",
        make=_alone(_NESTED),
    ),
    Family(
        name="fuzz_expression",
        expects="incorrect",
        rule="an expression that ends the program holds no answer; a raise shows that it was evaluated",
        make=_alone(_EXPRESSIONS),
    ),
    Family(
        name="fuzz_names",
        expects="incorrect",
        rule="the name of a variable gives no answer, unless the verifier evaluates what a model wrote",
        make=_alone(_NAMES),
    ),
)
