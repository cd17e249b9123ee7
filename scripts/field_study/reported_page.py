"""What the reported defects look like on docs/reference/field.md."""
# ruff: noqa: E501 -- prose and tables

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sandbox.audit.exploits import forms, other_values
from schemas.measures.intervals import wilson
from scripts.field_study.recall import Known, is_found

_LEAD = """## Defects that others reported

The list above has the same author as some probes. So a second one (`scripts/field_study/reported_defects.toml`) was taken from public issues that other people wrote about these packages, {count} cases with the
issue's number each. What would show a defect was written down from the issue alone, before any probe was run on its verifier. {standing} of the {count} cases are still judged wrongly by the
versions measured here; the others were fixed, or are not met by the call that is measured. An audit is given nothing but {tasks} right answers. `scripts/field --reported` does it again.

**{found}** were found; {before} before families were made for those that were missed. These are {made}. So the first number is no measure of what is found of defects that nobody has seen yet; the second is nearer to it. Each of these makes one kind of pair, and counts for a defect of that kind. The measurement changed as well: a way of asking no longer counts as finding a wrong rejection, and the 24 right answers are spread over the families that a verifier reads. The ways that begin with `form_` ask for right answers in another form, and count where a quarter of those that are accepted in the usual form are refused. They are rates and no errors: no rule makes their label certain for every verifier, since a function may demand one form. {certain} of the {found_count} were found by families whose labels are certain, the others by these rates alone. All five verifiers of formulas that were asked refuse the forms `form_plain_math`, `form_decimals` and `form_mixed`, so these tell a defect from a contract least. The {standing} cases are of {issues} issues, so the interval, which takes each
for itself, is too narrow. Suites are another net: the form `point-nought` among the word problems above shows `29.0` for 29.
"""
_FORMS = forms.NAMES - other_values.RIGHT  # those were made for a later list
MADE_FOR_IT = _FORMS | {
    "benign_setting", "leak_constants", "leak_dots", "leak_factor", "leak_factors", "leak_letter_case", "leak_mixed",
    "leak_powers", "leak_ratios", "leak_small_values",
}  # fmt: skip
"""Families and ways that were made after the list, for defects on it that were missed."""


def reported_part(reported: Sequence[Known], standing: Sequence[Known], reports: Mapping[str, Any], tasks: int) -> str:
    """The section; empty where nothing was measured."""
    there = [one for one in standing if one.dataset in reports]
    if not there:
        return ""
    found = [one for one in there if is_found(one, reports)]
    early = [one for one in there if is_found(_without(one, MADE_FOR_IT), reports)]
    certain = [one for one in there if is_found(_without(one, _FORMS), reports)]
    lead = _LEAD.format(
        count=len(reported), standing=len(there), issues=len({one.source for one in there}), tasks=tasks, found=_share(len(found), len(there)),
        certain=len(certain), found_count=len(found), before=_share(len(early), len(there)), made=", ".join(f"`{name}`" for name in sorted(MADE_FOR_IT)),
    )  # fmt: skip
    head = ["| verifier | defect | reported in | would be shown by | found |", "|---|---|---|---|---|"]
    return "\n".join([lead, *head, *(_row(one, is_found=one in found) for one in there)])


def _without(one: Known, names: frozenset[str]) -> Known:
    return replace(one, found_by=tuple(set(one.found_by) - names))


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count} of {of} ({100 * count / of:.1f} % [{100 * low:.1f}, {100 * high:.1f}])"


def _row(one: Known, *, is_found: bool) -> str:
    by = ", ".join(f"`{name}`" for name in one.found_by) or "nothing that exists"
    return f"| `{one.dataset}` | {one.defect.title} | {one.source} | {by} | {'yes' if is_found else '**no**'} |"
