"""An environment written for ``verifiers``, from pip's index or a folder. Its own code scores, without the library."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hub_client.errors import UsageError
from hub_client.imports.draft import Draft, Item, Provenance
from hub_client.imports.packages import BoxNeeds, FolderPackage, IndexPackage, WheelPackage, open_package
from hub_client.imports.registry import Request
from hub_client.imports.reported_rewards import asked_model, declared, form_words, read_report
from hub_client.imports.source import code_of

_STANDS_IN = {
    "_verifiers/verifiers/__init__.py": "verifiers_classic",
    "_verifiers/verifiers/v1.py": "verifiers_v1",
    "_verifiers/datasets/__init__.py": "datasets",
    "_verifiers/asked_model.py": "asked_model",
}
"""Path in the package -> the template that replaces the library of that name."""
_WORDS = {
    "HOST": "verifiers",
    "ROWS": "environment/rows",
    "HINT": " in the environment's folder, and import the folder",
}
_LEFT_OUT = ("verifiers", "datasets", "openai")
_AS_IS = (
    "The environment's own code scores. What it takes of verifiers and datasets is in `_verifiers`, written anew: the "
    "libraries are not installed. A reward function that raises gives no verdict, where verifiers counts 0."
)
_ACCEPTED = (
    "verifiers knows numbers and no right or wrong. A response counts as accepted when the reward with the largest "
    "weight reaches its highest value. Rewards with the weight 0 are metrics."
)

_ASKED = (
    "A model judges by the prompts in `[model]`, through the hub that runs the verifier: no key and no address of the "
    "environment's is used. It is made for the model that judged at the import, whichever one the environment names. "
    "Values stand between marks, so the words around them differ from those that verifiers sends, and where the "
    "environment has no prompt of its own, the question is in Verihub's words. Answers are read by the environment's "
    "own code, which may take an unclear answer for a no. An answer that was cut off is not judged."
)
_ANSWER_TOKENS = 256
_PLAYED = (
    "The state of an episode is the list of the model's messages; the verifier plays them again from the same random "
    "numbers, and the rubric judges the state that comes of it. A right case is one message with the answer."
)


class Verifiers:
    """One package: ``where`` is a folder with a ``pyproject.toml``, or the name that pip knows."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def _package(self) -> FolderPackage | WheelPackage | IndexPackage:
        return open_package(self._request, "verifiers", BoxNeeds(_LEFT_OUT, _also))

    def items(self) -> list[Item]:
        """The one that was named. Whether it can be imported is only known after its code ran in a box."""
        return [Item(self._request.where, f"version {self._package.version}, module {self._package.module}")]

    def draft(self, item: str) -> Draft:
        """A first draft, which asks the environment's code for its rewards in a box."""
        package = self._package
        licence = self._request.licence or package.licence
        if not licence:
            raise UsageError(f"{item} does not say its licence, since all on a hub is public: give it with --licence")
        package.require_module()
        arguments = dict(self._request.arguments)
        origin = Provenance(f"verifiers:{item}", package.version, licence, package.home, arguments)
        words = {"MODULE": package.module, "ARGUMENTS": repr(arguments)}
        first = Draft(
            origin,
            summary=package.summary or f"The environment {package.module} of verifiers",
            code=_code(words, None, ["score"], turns=False, prompts=[]) + "\n\ngenerate = describe\n",
            rewards={"score": {}},
            needs=package.needs(self._request.cache),
            generates=True,
            files={
                **{path: code_of(template, _WORDS).encode() for path, template in _STANDS_IN.items()},
                **{f"environment/{path}": data for path, data in package.copied.items()},
            },
            memory_mb=1024,
            timeout_seconds=60.0,
        )
        return replace(first, then=functools.partial(_complete, first, words))


def _also(files: Mapping[str, bytes]) -> list[str]:
    """Distributions that an environment uses through verifiers without naming them."""
    code = b"".join(data for path, data in files.items() if path.endswith(".py"))
    through = {"pydantic": (b"pydantic", b"verifiers.v1"), "math-verify": (b"MathRubric", b"math_verify")}
    return [name for name, signs in through.items() if any(sign in code for sign in signs)]


def _code(
    words: Mapping[str, str], form: str | None, names: Iterable[str], *, turns: bool, prompts: Sequence[str]
) -> str:
    own = {"FORM": repr(form), "NAMES": repr(list(names)), "TURNS": repr(turns), "PROMPTS": repr(list(prompts))}
    return code_of("verifiers", {**words, **own})


def _complete(first: Draft, words: Mapping[str, str], told: Mapping[str, Any]) -> Draft:
    """``first`` with the rewards that the environment's code reported from a box."""
    found = read_report(told)
    length = f"It has {found.tasks} tasks. Train begins again at its end, in another order."
    return replace(
        first,
        code=_code(
            words, found.form, found.rewards, turns=found.turns, prompts=[prompt.user for prompt in found.prompts]
        ),
        rewards=declared(found, "a reward function of the environment"),
        response="{answer}" if found.turns else found.form or "{answer}",
        session=found.turns,
        tags=["multi-turn" if found.turns else "single-turn"],
        model=asked_model(found, _ANSWER_TOKENS),
        notes=[
            _AS_IS,
            _ACCEPTED,
            *([_PLAYED] if found.turns else []),
            *([_ASKED] if found.prompts else []),
            length,
            form_words(found.form),
        ],
        then=None,
    )
