"""What packages are filtered, found and sorted by: their facets, the field's words for them, and their error bound."""

import re
from collections.abc import Iterable, Mapping

from schemas.evidence.rates import Grade
from schemas.kinds import PackageKind
from schemas.manifest import Manifest
from schemas.measures.grades import larger_upper_bound
from schemas.package import AuditSummary, Difficulty, Interaction

UNMEASURED_BOUND = 2.0
"""Larger than every rate: packages that nobody measured sort last."""
SEVERAL_VALUED = ("tag", "interaction", "family", "difficulty", "source")
"""Facets of which a package may have several values, or none."""


def facets_of(manifest: Manifest) -> dict[str, list[str]]:
    """A release's values of the facets in ``SEVERAL_VALUED`` but the difficulty, which is measured.

    What a session offers as tools is known only while it runs. So an environment with a session counts as one with
    tools when its author says so: by ``tools``, or by the tag ``tool-use``.
    """
    found: list[Interaction] = []
    if manifest.kind is PackageKind.ENVIRONMENT:
        found.append(Interaction.SEVERAL_TURNS if manifest.session is not None else Interaction.SINGLE_TURN)
        if manifest.tools or "tool-use" in manifest.tags:
            found.append(Interaction.TOOLS)
    if manifest.model is not None:
        found.append(Interaction.ASKS_A_MODEL)
    families = {*manifest.judges, *([manifest.family] if manifest.family is not None else [])}
    return {
        "tag": list(manifest.tags),
        "interaction": [one.value for one in found],
        "family": sorted(family.value for family in families),
        "source": [manifest.imported.library] if manifest.imported is not None else [],
    }


_INTERACTION_WORDS = {
    Interaction.SINGLE_TURN: "single turn, one step",
    Interaction.SEVERAL_TURNS: "several turns, multi turn, multiple steps, long horizon, session, episode, dialogue",
    Interaction.TOOLS: "tools, tool use, tool calling, function calling, agent",
    Interaction.ASKS_A_MODEL: "asks a model, judge model, LLM as a judge, model graded",
}
"""What the field calls the values of this facet. A word more here is found in every package that has the value."""
_DIFFICULTY_WORDS = {
    Difficulty.HARD_FOR_SMALL: "hard, difficult for small models, a small model fails, unsolved",
    Difficulty.REACHABLE_FOR_SMALL: "reachable, learnable by small models, a small model can learn it, trainable",
    Difficulty.SOLVED_BY_SMALL: "easy for small models, a small model solves it",
    Difficulty.HARD_FOR_LARGE: "hard, difficult for large models, a large model fails, frontier, unsolved",
    Difficulty.REACHABLE_FOR_LARGE: "reachable, learnable by large models",
    Difficulty.SOLVED_BY_LARGE: "easy for large models, saturated",
}
_PERMISSIVE_NAMES = """
0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC-BY-4.0 CC0-1.0 ISC MIT MIT-0 Unlicense Zlib
"""
_PERMISSIVE = frozenset(_PERMISSIVE_NAMES.split())
"""SPDX identifiers of licences that ask for a notice at most."""


def facet_words(facets: Mapping[str, Iterable[str]], licence: str, grade: str = "") -> str:
    """What people call a package's values of the facets, for the search. Unknown values say only their own name.

    ``grade``: the measured one, empty for a package that judges nothing.
    """
    values = (*facets.get("interaction", ()), *facets.get("family", ()), *facets.get("difficulty", ()))
    words = [value.replace("-", " ") for value in values]
    words += [_DIFFICULTY_WORDS[one] for one in Difficulty if one in facets.get("difficulty", ())]
    if grade:
        words.append("unrated, not measured" if grade == Grade.UNMEASURED else f"grade {grade}, measured, audited")
    words += [f"imported from {source}" for source in facets.get("source", ())]
    words += [_INTERACTION_WORDS[one] for one in Interaction if one in facets.get("interaction", ())]
    if licence:
        words += [licence, "licence license"]
        parts = re.split(r" (?:AND|OR) ", licence)
        words += ["permissive open source"] * all(part.strip("()") in _PERMISSIVE for part in parts)
    return ", ".join(words)


def error_bound_of(summary: AuditSummary | None) -> float:
    """The larger upper bound of the two error rates behind the grade, or the value for unmeasured packages."""
    if summary is None or summary.grade is Grade.UNMEASURED:
        return UNMEASURED_BOUND  # after F: leaving out cases must not raise anybody
    return larger_upper_bound(summary.graded)
