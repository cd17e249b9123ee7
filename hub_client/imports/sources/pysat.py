"""python-sat: random formulas in clauses, to be satisfied, satisfied as far as possible, or reduced to a core."""

from collections.abc import Mapping

from hub_client.imports.draft import Draft
from hub_client.imports.source import LibrarySource, code_of

_KINDS = {
    "satisfy": ("SAT: an assignment that satisfies a 3-CNF formula", 4.0),
    "maxsat": ("MaxSAT: an assignment that satisfies as many clauses as possible", 7.0),
    "core": ("SAT: a minimal unsatisfiable subset of clauses", 6.0),
}
"""Kind -> a line, and how many clauses there are to a variable."""
_VARIABLES = {"easy": 6, "medium": 15, "hard": 40}


class PySat(LibrarySource):
    """Problems that the solvers of the newest ``python-sat`` make and judge."""

    name = "pysat"
    distribution = "python-sat"

    def offers(self) -> Mapping[str, str]:
        kinds = {(kind, level): _KINDS[kind][0] for kind in _KINDS for level in _VARIABLES}
        return {f"{kind}-{level}": f"{line} ({level})" for (kind, level), line in kinds.items() if _fits(kind, level)}

    def make(self, item: str) -> Draft:
        kind, _, level = item.partition("-")
        words = {"ITEM": item, "KIND": kind, "VARIABLES": str(_VARIABLES[level]), "RATIO": str(_KINDS[kind][1])}
        return Draft(
            self.provenance(item),
            summary=self.offers()[item],
            code=code_of("pysat", words),
            rewards={"correct": {"description": "the solver agrees that the answer is right", "threshold": 1.0}},
            needs=self.library.needs_only(["six"]),
            generates=True,
            response="<answer>{answer}</answer>",
            tags=["sat", "sat-solver", "satisfiability", "logic", "constraints", level, "procedural", "single-turn"],
            timeout_seconds=120.0,
            notes=["Any answer that the solver confirms is right, not only the stored one."],
        )


def _fits(kind: str, level: str) -> bool:
    """The search for the best of a large over-constrained formula takes too long."""
    return kind != "maxsat" or level != "hard"
