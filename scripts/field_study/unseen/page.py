"""What the third list looks like on docs/reference/field.md."""
# ruff: noqa: E501 -- prose and tables

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.measures.intervals import wilson
from scripts.field_study.unseen.defect import Unseen

_LEAD = """## Defects that nobody had looked for

A third list (`scripts/field_study/unseen`) was written down before any probe was run on it. It has {count} defects from public issues of other libraries that are not measured above. Each is rebuilt as a verifier of a few lines in our own code, because
the libraries were fixed, need a whole framework, or ask for data that is not here. Each verifier exists twice, with the defect and without it. An audit is given right answers alone. A defect counts as found **by labels** where a family whose labels are
certain errs more often on the first than on the second. It counts as found **by rates** where the share that a way is accepted differs by a quarter or more. So nobody chooses what counts. `scripts/field --unseen` does it again.

**First look: {first}**, {first_labels} of them by labels. This is the best estimate here of what an audit finds of a defect that nobody has told it of. It is far from the 90 % that is aimed at: most wrong rejections were missed, because right answers were
never said otherwise. After families and ways were made for what was missed: {after}, {after_labels} by labels. These are {made}. The second number says that the list is closed, and nothing of the next defect. The ways are rates, and lower no grade. What is not found
needs to be known from elsewhere: that a reference was rounded, or which arguments of a call have defaults.

The pairs were made alike but for the defect after a first run in which some differed in more (15 would have counted then); the probes were not changed in between. The author of the list knew the names of the families, and chose no report for them.
"""
MADE_FOR_IT = (
    "cheat_expression", "leak_no_answer", "swap_record", "form_announced", "form_blank_lines", "form_bold", "form_box_before",
    "form_heading", "form_option", "form_other_named", "form_reason", "form_thinking_lines", "form_worked", "query_twice",
    "query_unordered", "word_longer", "word_negated",
)  # fmt: skip
"""And one more file name that ``cheat_forged_result`` writes."""


def unseen_part(listed: Sequence[Unseen], kept: Mapping[str, Any]) -> str:
    """The section; empty where nothing was measured."""
    there = [one for one in listed if one.name in kept]
    if not there:
        return ""
    lead = _LEAD.format(
        count=len(there),
        made=", ".join(f"`{name}`" for name in MADE_FOR_IT),
        **_shares(there, kept, "first"),
        **_shares(there, kept, "after"),
    )
    return "\n".join([lead, *_table(there, kept)])


FOURTH = """### A fourth list

{count} more reports, of libraries and defects that the third list does not have, written down before any probe was run on them (`scripts/field_study/unseen/fourth`). **First look: {first}**, {first_labels} by labels. After one generator was made for what was missed: {after},
{after_labels} by labels. The generator gives a task another reference (null, a flag, 0, a large number, records in a list) and the response that states it. Then it changes either in one thing (`sandbox/audit/exploits/other_values.py`). These are rates, that lower no grade. One more defect makes
the verifier raise on `null`, which the report shows under `shapes` and which does not count here. What is missed is mostly known from the task alone: how many sentences, which placeholders, what an unknown number is.
"""
FIFTH = """### A fifth list

{count} more reports, written down after the fourth list was looked at and before the generator was made (`scripts/field_study/unseen/fifth.py`), so that they measure it. **Before the generator: {first}**, {first_labels} by labels; with it 3 of 10 as well. So the
generator closed most of its own list and found nothing more of the next one. With what was made later for what these lists had missed (`leak_anagram`): {after}, {after_labels} by labels. What to expect of a defect that nobody has told an audit of are the first looks: 12 of 30, 7 of 30 and 3 of 10. The author of these two
lists knew the names of the families as well.
"""
SIXTH = """### A sixth list

{count} more reports, written down before any probe was run on them (`scripts/field_study/unseen/sixth.py`). **First look: {first}**, {first_labels} by labels. What the earlier lists missed was mostly a right answer that is written otherwise. So one class of relation was made (`sandbox/audit/exploits/written_forms.py`): a number made longer, and the same text in another writing.
Such writing is accents apart from their letters, two spaces, other line ends, a sentence around a bare answer, or words behind a number. With it: {after}, {after_labels} by labels. One pair was made alike after the first run, in which it differed in more
than its defect; as it was, it would have counted.
"""
SEVENTH = """### A seventh list

{count} more, written down together with the sixth and before the class was made, which was made without a look at them (`scripts/field_study/unseen/seventh.py`). **Before: {first}**, {first_labels} by labels; with the class 2 of 10 as well. So this class carried over to other defects as little as the generator before
it. First looks until now: 12 of 30, 7 of 30, 3, 2 and 2 of 10. An audit that knows nothing but right answers finds a quarter of such defects. A suite of labelled answers in many forms finds what no rewriting reaches (`\\fbox`, a small letter, only some of the tests run).
With right answers of other kinds, in reference and response alike (`sandbox/audit/exploits/other_answers.py`), which were made for what the lists had missed: {after}, {after_labels} by labels. That closes lists, and says nothing of the next defect. One author wrote lists and class.
"""


def later_part(listed: Sequence[Unseen], kept: Mapping[str, Any], words: str) -> str:
    """The section of a later list; empty where nothing was measured."""
    there = [one for one in listed if one.name in kept]
    if not there:
        return ""
    lead = words.format(count=len(there), **_shares(there, kept, "first"), **_shares(there, kept, "after"))
    return "\n".join([lead, *_table(there, kept)])


def _table(there: Sequence[Unseen], kept: Mapping[str, Any]) -> list[str]:
    head = ["| defect | reported in | wrong verdict | first look | after |", "|---|---|---|---|---|"]
    rows = [
        f"| {one.title} | `{one.source}` | {'accepts wrong' if one.shown.label == 'incorrect' else 'rejects right'} "
        f"| {_told(kept[one.name]['first'])} | {_told(kept[one.name]['after'])} |"
        for one in there
    ]
    return [*head, *rows]


def _shares(there: Sequence[Unseen], kept: Mapping[str, Any], when: str) -> dict[str, Any]:
    found = [kept[one.name][when] for one in there]
    labels = sum(bool(one["families"]) for one in found)
    count = sum(bool(one["families"] or one["ways"]) for one in found)
    low, high = wilson(count, len(there))
    share = f"{count} of {len(there)} ({100 * count / len(there):.1f} % [{100 * low:.1f}, {100 * high:.1f}])"
    return {when: share, f"{when}_labels": labels}


def _told(one: Mapping[str, Sequence[str]]) -> str:
    """By what: at most two names."""
    names = one["families"] or one["ways"]
    if not names:
        return "**no**"
    by = "labels" if one["families"] else "rates"
    return f"{by}: " + ", ".join(f"`{name}`" for name in names[:2]) + (", …" if len(names) > 2 else "")
