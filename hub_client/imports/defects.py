"""Cases that an imported verifier judges wrongly, as counter-examples that somebody else may submit to a hub."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from hub_client.imports.draft import Provenance

DEFECTS = "defects.jsonl"
"""The file of an imported project, beside its README, for ``verihub cases submit``. It is not packed."""
MOST_DEFECTS = 20
"""Fewer than the counter-examples of one account that may wait on a hub until others second them."""
_MOST_OF_A_FORM = 8
_LABELLED_BY = {
    "own-answer": "the source's own answer to the task",
    "own-moves": "the source's own solution of the task",
    "other-tasks-answer": "a rule: another task's answer, which differs for certain",
    "other-tasks-moves": "a rule: the winning move of another task",
    "empty": "a rule: nothing was answered",
    "no-move": "a rule: nothing was done",
    "unsure": "a rule: no answer was given",
    "silent": "a rule: no answer was given",
}


def defects_of(judged: Iterable[tuple[Mapping[str, Any], bool | None]], provenance: Provenance) -> list[dict[str, Any]]:
    """Audit cases whose verdict contradicts their label, at most ``MOST_DEFECTS`` and eight of a form.

    ``judged``: each case of the import, and whether its verdict accepts it (None: not judged).
    """
    where = " ".join(filter(None, (provenance.source, provenance.version)))
    of_form: Counter[str] = Counter()
    found: list[dict[str, Any]] = []
    for case, accepted in judged:
        if accepted is None or accepted == (case["label"] == "correct"):
            continue
        form = next(iter(case.get("tags") or ()), "")
        of_form[form] += 1
        if of_form[form] > _MOST_OF_A_FORM or len(found) == MOST_DEFECTS:
            continue
        said = "accepts this wrong answer" if accepted else "rejects this right answer"
        found.append({
            **case,
            "note": case.get("note") or f"{where} {said}.",
            "source": f"verihub import {where}",
            "licence": case.get("licence") or provenance.licence,
            "labelled_by": case.get("labelled_by") or _LABELLED_BY.get(form, "the source's own cases"),
        })  # fmt: skip
    return found
