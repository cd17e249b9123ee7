"""molmass: chemistry problems about masses of compounds and peptides, with the library's values."""

from collections.abc import Mapping

from hub_client.imports.draft import Draft
from hub_client.imports.source import LibrarySource, code_of

_ITEMS = {
    "molar-mass": "Chemistry: the molar mass of a salt or a hydrate from its formula",
    "mass-fraction": "Chemistry: the share of an element in a compound's mass, in per cent",
    "empirical-formula": "Chemistry: the formula of a compound from its composition in per cent by mass",
    "peptide-mass": "Biochemistry: the average molar mass of a peptide from its sequence",
}


class Molmass(LibrarySource):
    """Problems whose values the newest ``molmass`` computes. It has no problems of its own: the template asks."""

    name = "molmass"
    distribution = "molmass"

    def offers(self) -> Mapping[str, str]:
        return _ITEMS

    def make(self, item: str) -> Draft:
        return Draft(
            self.provenance(item),
            summary=_ITEMS[item],
            code=code_of("molmass", {"ITEM": item}),
            rewards={"correct": {"description": "the library's value to 0.1 %, or its formula", "threshold": 1.0}},
            needs=self.library.needs_nothing_else(),
            generates=True,
            response="<answer>{answer}</answer>",
            one_right_answer=item == "empirical-formula",
            tags=["chemistry", "science", "math", "procedural", "single-turn"],
            notes=["The library computes values; the compounds, sequences and questions are this importer's."],
        )
