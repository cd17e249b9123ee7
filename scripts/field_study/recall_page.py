"""What the recall of known defects looks like on docs/reference/field.md."""
# ruff: noqa: E501 -- prose and tables

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.measures.intervals import wilson
from scripts.field_study.recall import FEW, Known, is_found, stands, with_few

_LEAD = """## Known defects that probes find

How many of the defects that a person knows would an audit have shown? {count} defects of reasoning-gym's scorers are listed with a case each
(`scripts/field_study/known_defects.toml`), read from the package's source and its public issues. An audit is given nothing but {tasks} drawn tasks of a data set
with their own right answers. A defect counts as found where a family or way that the list names gives a wrong verdict, raises, or (a way) is accepted in a quarter
of its tries. `scripts/field --recall` does it again.

**{found}** were found. The list was written before the audits were read, by a reader who also writes probes. Made after it and for it were: `fuzz_expression`, the ways `shapes`, `taken_back`, `denial_after`,
`one_more`, `one_less` and `one_changed`, the formula among the templates, and decimal fractions in `leak_truncated`. Without these it was
{before}. So this is recall on defects that were known; how many of the next ones probes find is another number, and a lower one.

False blame: the 58 wrong verdicts that certain families showed on `fraction_simplification`, `spell_backward`, `coin_flip`, `time_intervals` and `gsm_symbolic` were read one by one. All were
wrong verdicts (0 of 58 blamed wrongly, 0 % [0, 6]). Ways are rates and blame nobody.
"""
_REACH = """Of {drawn} scorers, {few} get at most {least} families or ways that are made of their own tasks and right answers{named}: their data sets give
no right answer to start from. What else they get is the same junk for everybody.{lost}
"""
LATER = frozenset(
    {
        "fuzz_expression",
        "one_more",
        "one_less",
        "one_changed",
        "denial_after",
        "taken_back",
        "template",
        "leak_truncated",
    }
)
"""Families and ways that were added, or reach further, since the list was made."""


def recall_part(known: Sequence[Known], kept: Mapping[str, Any], tasks: int) -> str:
    """The section; empty where nothing was measured."""
    reports = kept["reports"]
    there = [one for one in known if stands(one, kept["returned"]) and one.dataset in reports]
    if not there:
        return ""
    found = [one for one in there if is_found(one, reports)]
    early = [one for one in there if is_found(_without_later(one), reports)]
    lead = _LEAD.format(
        count=len(there), tasks=tasks, found=_share(len(found), len(there)), before=_share(len(early), len(there))
    )
    rows = [_row(one, is_found=one in found) for one in there]
    head = ["| scorer | defect | would be shown by | found |", "|---|---|---|---|"]
    return "\n".join([lead, _reach(reports), *head, *rows])


def _without_later(one: Known) -> Known:
    return Known(one.defect, one.dataset, tuple(name for name in one.found_by if name not in LATER), one.source)


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count} of {of} ({100 * count / of:.0f} % [{100 * low:.0f}, {100 * high:.0f}])"


def _reach(reports: Mapping[str, Mapping[str, Any]]) -> str:
    """How many scorers get little that is made for them."""
    drawn = {name: one for name, one in reports.items() if "not_drawn" not in one}
    few, lost = sorted(with_few(drawn)), sorted(reports.keys() - drawn.keys())
    return _REACH.format(
        drawn=len(drawn),
        few=len(few),
        least=FEW,
        named=f" ({_names(few)})" if few else "",
        lost=f" Not drawn in time: {_names(lost)}." if lost else "",
    )


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _row(one: Known, *, is_found: bool) -> str:
    by = _names(one.found_by) or "nothing that exists"
    return f"| `{one.dataset}` | {one.defect.title} | {by} | {'yes' if is_found else '**no**'} |"
