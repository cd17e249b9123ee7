"""The list of sources: ours, each a module in ``sources`` and an entry here, and those of installed packages."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache as kept
from pathlib import Path
from typing import Any

from hub_client.errors import NotFoundError, UsageError
from hub_client.imports.draft import Importer
from hub_client.imports.installed import installed_importers
from hub_client.releases.cache import Cache
from schemas.wording import nearest


@dataclass(frozen=True)
class ImportSource:
    """``place`` is ``module:class``; ``form`` shows what follows the name on the command line."""

    form: str
    line: str
    place: str
    arguments: bool = False
    """Whether it takes ``--arg``."""
    rows: bool = False
    """Whether it takes ``--rows``."""


SOURCES = {
    "reasoning-gym": ImportSource(
        "reasoning-gym:NAME",
        "Puzzles generated without end, each with its own scorer (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.reasoning_gym:ReasoningGym",
    ),
    "reasoning-core": ImportSource(
        "reasoning-core:NAME",
        "Symbolic tasks generated without end: logic, tracking, parsing, planning (MIT, from pip's index).",
        "hub_client.imports.sources.reasoning_core:ReasoningCore",
    ),
    "arc": ImportSource(
        "arc:NAME",
        "ARC-AGI's public grid tasks (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.arc:Arc",
    ),
    "textarena": ImportSource(
        "textarena:NAME",
        "Text games over several turns, alone or against a scripted player (MIT, from pip's index).",
        "hub_client.imports.sources.textarena:TextArena",
    ),
    "gem": ImportSource(
        "gem:NAME",
        "GEM's text games over several turns (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.gem:Gem",
    ),
    "bfcl": ImportSource(
        "bfcl:CATEGORY",
        "The Berkeley function-calling leaderboard, in one and several turns (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.bfcl:Bfcl",
    ),
    "openspiel": ImportSource(
        "openspiel:NAME",
        "Board, card and dice games against a seeded player (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.openspiel:OpenSpiel",
    ),
    "kaggle": ImportSource(
        "kaggle:NAME",
        "ConnectX of kaggle-environments against its own players (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.kaggle:Kaggle",
    ),
    "gymnasium": ImportSource(
        "gymnasium:NAME",
        "Gymnasium's text environments (MIT, from pip's index).",
        "hub_client.imports.sources.gymnasium:Gymnasium",
    ),
    "minigrid": ImportSource(
        "minigrid:NAME",
        "MiniGrid and BabyAI: grid worlds told in words (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.minigrid:MiniGrid",
    ),
    "agentdojo": ImportSource(
        "agentdojo:SUITE",
        "AgentDojo's assistants with tools, with and without attacks (MIT, from pip's index).",
        "hub_client.imports.sources.agentdojo:AgentDojo",
    ),
    "chuk-puzzles": ImportSource(
        "chuk-puzzles:NAME-LEVEL",
        "Thirty logic puzzles, played move by move (MIT, from pip's index).",
        "hub_client.imports.sources.chuk_puzzles:ChukPuzzles",
    ),
    "boardgamebench": ImportSource(
        "boardgamebench:GAME-LEVEL",
        "Board games for two against the library's own search (MIT, from pip's index).",
        "hub_client.imports.sources.boardgamebench:BoardGameBench",
    ),
    "jupyddl": ImportSource(
        "jupyddl:DOMAIN-LEVEL",
        "Planning problems in PDDL generated without end: blocksworld and others (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.jupyddl:Jupyddl",
    ),
    "molmass": ImportSource(
        "molmass:NAME",
        "Chemistry: masses, shares and formulas of compounds, masses of peptides (BSD-3-Clause, from pip's index).",
        "hub_client.imports.sources.molmass:Molmass",
    ),
    "pysat": ImportSource(
        "pysat:KIND-LEVEL",
        "SAT, MaxSAT and unsatisfiable cores of random formulas, judged by solvers (MIT, from pip's index).",
        "hub_client.imports.sources.pysat:PySat",
    ),
    "mathematics-dataset": ImportSource(
        "mathematics-dataset:MODULE",
        "School mathematics generated without end, compared as text (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.mathematics_dataset:MathematicsDataset",
    ),
    "agentworld": ImportSource(
        "agentworld:NAME",
        "Packs of questions with the library's check of an answer (MIT and CC BY-SA, from pip's index).",
        "hub_client.imports.sources.agentworld:AgentWorld",
    ),
    "mathgenerator": ImportSource(
        "mathgenerator:NAME",
        "School problems of 126 kinds, generated without end and compared as text (MIT, from pip's index).",
        "hub_client.imports.sources.mathgenerator:MathGenerator",
    ),
    "engram": ImportSource(
        "engram:NAME",
        "Problems of the sciences generated without end, those that the library checks (MIT, from pip's index).",
        "hub_client.imports.sources.engram:Engram",
    ),
    "inspect-evals": ImportSource(
        "inspect-evals:TASK",
        "Evaluations of inspect_evals with one answer a task (MIT, from pip's index; most want --rows).",
        "hub_client.imports.sources.inspect_evals:InspectEvals",
        arguments=True,
        rows=True,
    ),
    "nemo-gym": ImportSource(
        "nemo-gym:SERVER",
        "NeMo Gym's rows with the verifiers of its resources servers (Apache-2.0, from pip's index).",
        "hub_client.imports.sources.nemo_gym:NemoGym",
        rows=True,
    ),
    "verifiers": ImportSource(
        "verifiers:PACKAGE",
        "An environment written for verifiers: a package of pip's index, or a folder of yours.",
        "hub_client.imports.sources.verifiers:Verifiers",
        arguments=True,
    ),
    "openenv": ImportSource(
        "openenv:PACKAGE",
        "An environment written for OpenEnv: a package of pip's index, or a folder or wheel of yours.",
        "hub_client.imports.sources.openenv:OpenEnv",
    ),
    "harbor": ImportSource(
        "harbor:FOLDER",
        "Tasks of Harbor (task.toml, tests, solution) in a folder of yours: those that need no machine of their own.",
        "hub_client.imports.sources.harbor:Harbor",
    ),
    "hf": ImportSource(
        "hf:OWNER/NAME",
        "Rows of a data set of the Hugging Face hub, in the shapes that rows: takes (the extra huggingface).",
        "hub_client.imports.sources.hugging_face:HuggingFace",
        arguments=True,
    ),
    "rows": ImportSource(
        "rows:PATH",
        "Rows in a .jsonl or .parquet file: questions, choices, conversations, preferences, programs.",
        "hub_client.imports.sources.rows:Rows",
    ),
}

LOCAL = {"rows", "hf", "verifiers", "openenv", "harbor"}
"""Sources in which the user names the package or folder; what is imported is called after it."""


@dataclass(frozen=True)
class Request:
    """What the user asked for, as an importer gets it. ``where`` is a path, for sources that are files."""

    cache: Cache
    where: str = ""
    version: str = ""
    """The version of a library; empty: the newest."""
    licence: str = ""
    """SPDX expression, for sources that do not say it."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What the source's own function is called with, by name."""
    rows: Path | None = None
    """A folder with the rows that the source would fetch."""
    offline: bool = False
    """Use only what is on this machine."""


@kept
def sources() -> Mapping[str, ImportSource]:
    """Every source by its name. A name of ours stays ours, whatever is installed."""
    installed = {name: ImportSource(f"{name}:NAME", one.line, one.place) for name, one in installed_importers().items()}
    return {**installed, **SOURCES}


def open_importer(name: str, request: Request) -> Importer:
    """The importer of that name. It fetches nothing before one of its methods is called.

    Raises NotFoundError with the nearest name, UsageError for an option that the source does not take, and
    CheckFailedError for an installed importer that does not work.
    """
    source = sources().get(name)
    if source is None:
        known = nearest(name, list(sources()), what="there are")
        raise NotFoundError(f"there is no source {name}, of ours or of an installed package; {known}")
    for option, given, taken in (
        ("--arg", request.arguments, source.arguments),
        ("--rows", request.rows, source.rows),
    ):
        if given and not taken:
            raise UsageError(f"{name} takes no {option}")
    if name not in SOURCES:
        return installed_importers()[name].open(request)
    module, _, kind = source.place.partition(":")
    made: Importer = getattr(importlib.import_module(module), kind)(request)
    return made
