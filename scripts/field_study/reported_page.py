"""What the reported defects and the hand-read verdicts look like on docs/reference/field.md."""
# ruff: noqa: E501 -- prose and tables

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from schemas.measures.intervals import wilson
from scripts.field_study.recall import Known, is_found

_LEAD = """## Defects that others reported

The list above has the same author as some probes. So a second one (`scripts/field_study/reported_defects.toml`) was taken from public issues that other people wrote about these packages, {count} cases with the
issue's number each. What would show a defect was written down from the issue alone, before any probe was run on its verifier. {standing} of the {count} cases are still judged wrongly by the
versions measured here; the others were fixed, or are not met by the call that is measured. An audit is given nothing but {tasks} right answers. `scripts/field --reported` does it again.

**{found}** were found; {before} before `leak_mixed` was made for those that were missed. The measurement changed between the two as well: a way of asking no longer counts as finding a wrong rejection, which took away the only find of the first run, and the 24 right answers are spread over the families that a verifier reads. Families of probes rewrite what a right answer says, so they meet errors of extraction better than errors of algebra: two numbers that are both nearly nothing, or a
sequence with dots, are in no family. A probe that finds them needs another mathematics than the verifier's own. The {standing} cases are of {issues} issues, so the interval, which takes each
for itself, is too narrow. Suites are another net: the form `point-nought` among the word problems above shows `29.0` for 29.
"""
_READ = """## Wrong verdicts that were read

{count} verdicts that a run called wrong were read by a person (`python -m scripts.field_study.readings` draws the sample by a fixed seed, in turn from each list of failures; what was found is in
`readings.jsonl`): {wrong} are wrong verdicts, **{blamed} blame the verifier wrongly**, {unsure} cannot be decided. Of the {probes} made by probes {probe_blamed}. All that are blamed wrongly or undecided come from
the tasks on which rules had failed: rounded references, of which a verifier cannot know how far they were rounded. They are verdicts of {lists} lists, those that the run had when it was read.
"""
MADE_FOR_IT = frozenset({"leak_mixed"})
"""Families that were made after the list, for defects on it that were missed."""


def reported_part(reported: Sequence[Known], standing: Sequence[Known], reports: Mapping[str, Any], tasks: int) -> str:
    """The section; empty where nothing was measured."""
    there = [one for one in standing if one.dataset in reports]
    if not there:
        return ""
    found = [one for one in there if is_found(one, reports)]
    early = [one for one in there if is_found(replace(one, found_by=tuple(set(one.found_by) - MADE_FOR_IT)), reports)]
    lead = _LEAD.format(
        count=len(reported), standing=len(there), issues=len({one.source for one in there}), tasks=tasks, found=_share(len(found), len(there)),
        before=_share(len(early), len(there)),
    )  # fmt: skip
    head = ["| verifier | defect | reported in | would be shown by | found |", "|---|---|---|---|---|"]
    return "\n".join([lead, *head, *(_row(one, is_found=one in found) for one in there)])


def readings_part(read: Sequence[Mapping[str, Any]]) -> str:
    """The section on hand-read verdicts; empty where none was read."""
    if not read:
        return ""
    counts = Counter(one["found"] for one in read)
    probes = [one for one in read if one["origin"] == "probe"]
    blamed = sum(one["found"] != "wrong" for one in probes)
    return _READ.format(
        count=len(read),
        wrong=counts["wrong"],
        blamed=_share(counts["right"], len(read)),
        unsure=counts["unsure"],
        probes=len(probes),
        probe_blamed=f"none does ({_share(0, len(probes))})" if not blamed else f"{_share(blamed, len(probes))} do",
        lists=len({one["list"] for one in read}),
    )


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count} of {of} ({100 * count / of:.1f} % [{100 * low:.1f}, {100 * high:.1f}])"


def _row(one: Known, *, is_found: bool) -> str:
    by = ", ".join(f"`{name}`" for name in one.found_by) or "nothing that exists"
    return f"| `{one.dataset}` | {one.defect.title} | {one.source} | {by} | {'yes' if is_found else '**no**'} |"
