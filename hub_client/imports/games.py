"""Shared by importers of game libraries: reading registrations without running them, and the draft of a game."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hub_client.imports import library as libraries
from hub_client.imports.draft import Draft, ImportRefusedError, Needs
from hub_client.imports.source import LibrarySource, code_of

_REWARDS: dict[str, dict[str, Any]] = {
    "solved": {"description": "the game was won, as the library says", "threshold": 1.0},
    "score": {"description": "the library's own reward, with its parts of a win", "role": "metric"},
    "moves": {"description": "messages that were played", "role": "metric", "range": [0.0, 500.0]},
}
_NOTES = (
    "The state of an episode is its list of moves; the verifier plays them again on the same deal.",
    "`solved` is 1 when the library gives a whole win; `score` is the library's own reward, unchanged.",
    "Cases are moves: some that win, where any are known; another deal's winning moves; none.",
)


@dataclass(frozen=True)
class Registration:
    """One call that registers an environment: its name, the module and class, and what the class is made with."""

    name: str
    module: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    """The call as it is written."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """All literal arguments of the call by name, such as Gymnasium's ``max_episode_steps``."""


@dataclass(frozen=True)
class Glue:
    """Adapts one library to the shared template: a template of its own, and the words for its placeholders."""

    template: str
    words: Mapping[str, str] = field(default_factory=dict)
    modules: Sequence[str] = ()
    """Modules of the library that the glue imports in addition to the game's own."""
    score: tuple[float, float] = (0.0, 1.0)
    """The lowest and the highest reward that the library gives."""
    whole: bool = False
    """Whether the library is imported normally, running the ``__init__`` of each package."""
    distributions: frozenset[str] | None = None
    """Which of the library's dependencies run in a box. None: found from the imports of its modules. Set it if the
    library imports more than it runs, or depends on much that is not needed here.
    """


def registrations(
    library: libraries.Library, module: str, functions: frozenset[str], options: str = ""
) -> Iterator[Registration]:
    """Finds calls ``function(name, "module:class", **literals)`` in ``module``; arguments that are no literals are left
    out.

    ``options`` is the word that holds what the class is made with (Gymnasium: ``kwargs``); without it, all words are.
    """
    for call in ast.walk(library.modules[module]):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in functions:
            continue
        given = {str(word.arg): _literal(word.value) for word in call.keywords if word.arg}
        given |= dict(zip(("id", "entry_point"), map(_literal, call.args), strict=False))
        name, place = given.pop("id", None), given.pop("entry_point", None)
        made_with = given.get(options, {}) if options else given
        if isinstance(name, str) and isinstance(place, str) and isinstance(made_with, dict):
            known = {key: value for key, value in made_with.items() if value is not ...}
            where, _, kind = place.partition(":")
            yield Registration(
                name,
                where,
                kind,
                known,
                ast.unparse(call),
                {key: value for key, value in given.items() if value is not ...},
            )


def _literal(node: ast.expr) -> Any:
    """The value of a literal; Ellipsis for anything else."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):  # TypeError: a key of a dict that cannot be one
        return ...


def bare_packages(library: libraries.Library, module: str) -> tuple[str, ...]:
    """The packages around ``module`` within the library, outermost first, except ones that ``module`` itself is."""
    parts = module.split(".")
    around = [".".join(parts[:count]) for count in range(1, len(parts))]
    return tuple(name for name in around if library.is_package(name))


def game_draft(source: LibrarySource, game: Registration, glue: Glue, **changes: Any) -> Draft:
    """The package of a game. ``changes`` go to :class:`Draft`. Raises :class:`ImportRefusedError` for a lost module."""
    library = source.library
    if game.module not in library.modules:
        there = f"{game.module.replace('.', '/')}.py" in library.files
        why = "is in a newer Python's syntax than boxes have" if there else "is not in the library's wheel"
        raise ImportRefusedError(f"its module {game.module} {why}")
    outer = () if glue.whole else bare_packages(library, game.module)
    words = {
        "GLUE": code_of(glue.template).strip(),
        **glue.words,
        "ITEM": game.name,
        "LIBRARY": library.name,
        "MODULE": game.module,
        "KIND": game.kind,
        "OPTIONS": repr(dict(game.options)),
        "BARE": repr(outer),
    }
    low, high = glue.score
    return Draft(
        source.provenance(game.name),
        code=code_of("games", words),
        rewards={**_REWARDS, "score": {**_REWARDS["score"], "range": [low, high]}},
        needs=_needs(library, game, glue, outer),
        generates=True,
        session=True,
        **{
            "timeout_seconds": 120.0,  # 200 deals in one call
            "one_right_answer": True,
            **changes,
            "notes": [*_NOTES, *changes.get("notes", ())],
        },
    )


def _needs(library: libraries.Library, game: Registration, glue: Glue, outer: tuple[str, ...]) -> Needs:
    if glue.distributions is not None:
        return library.needs_only(glue.distributions) if glue.distributions else library.needs_nothing_else()
    modules = [game.module, *glue.modules]
    return library.needs(set[str]().union(*(library.imports(name, frozenset(outer)) for name in modules)))
