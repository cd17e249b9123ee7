"""Final states that differ from the reference where a labelled case shows that such a difference is wrong.

A task's ``answer`` holds tables (a name, and rows with named cells), and the states that are labelled right hold
exactly these. Which differences matter is not known from that: a log may grow, an id may be any. So a cell is changed
only in a column, and a row added or left out only in a table, for which some state is labelled wrong that differs from
its reference in nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material
from schemas.task import canonical_json

_FEWEST = 3
_Row = dict[str, Any]
_Tables = dict[str, list[_Row]]


@dataclass
class _Shown:
    """What labelled cases show to be wrong."""

    cells: set[tuple[str, str]] = field(default_factory=set)
    """(table, column) in which another value is wrong."""
    more: set[str] = field(default_factory=set)
    less: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Tabled:
    """An example, its reference's tables, and the name in the state under which its own stand ("" = the state)."""

    item: Example
    reference: _Tables
    place: str

    @property
    def tables(self) -> _Tables:
        state = self.item.state or {}
        held = state[self.place] if self.place else state
        return {name: held[name] for name in self.reference}

    @property
    def rest(self) -> bytes:
        """What else the state holds, to be compared."""
        state = self.item.state or {}
        held = state[self.place] if self.place else {}
        around = {name: value for name, value in state.items() if name != self.place}
        if not self.place:
            around = {name: value for name, value in around.items() if name not in self.reference}
        beside = {name: value for name, value in held.items() if name not in self.reference}
        return canonical_json([around, beside, self.item.response, self.item.messages, self.item.files])

    def with_rows(self, table: str, rows: list[_Row]) -> Draft:
        """The same case with other rows in a table."""
        state = self.item.state or {}
        held = {**(state[self.place] if self.place else state), table: rows}
        changed = {**state, self.place: held} if self.place else held
        return Draft(self.item.task, self.item.response, self.item.files, self.item.messages, state=changed)


def _read(item: Example) -> _Tabled | None:
    answer, state = item.task.get("answer"), item.state
    if not isinstance(answer, dict) or not answer or not isinstance(state, dict):
        return None
    if not all(map(_is_table, answer.values())):
        return None
    for place in ("", *state):
        held = state.get(place) if place else state
        if isinstance(held, dict) and all(_is_table(held.get(name)) for name in answer):
            return _Tabled(item, answer, place)
    return None


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) and row for row in value)


def _apart(left: Sequence[_Row], right: Sequence[_Row]) -> list[_Row]:
    """The rows of ``left`` that ``right`` does not have, each counted."""
    there = [canonical_json(row) for row in right]
    found = []
    for row in left:
        key = canonical_json(row)
        if key in there:
            there.remove(key)
        else:
            found.append(row)
    return found


def _right_ones(material: Material) -> list[_Tabled]:
    """The right states that hold exactly their reference's tables; none where some right state does not."""
    read = [_read(item) for item in material.states]
    found = [one for one in read if one is not None]
    are_all = len(found) == len(read) and all(
        not _apart(one.tables[name], rows) and not _apart(rows, one.tables[name])
        for one in found
        for name, rows in one.reference.items()
    )
    return found if are_all and len({str(one.item.task.get("id")) for one in found}) >= _FEWEST else []


def _shown_wrong(material: Material, right: Sequence[_Tabled]) -> _Shown:
    shown, usual = _Shown(), {one.rest for one in right}
    for item in material.wrong:
        one = _read(item)
        if one is None or one.rest not in usual:
            continue
        differing = {
            name: (_apart(one.tables[name], rows), _apart(rows, one.tables[name]))
            for name, rows in one.reference.items()
        }
        differing = {name: both for name, both in differing.items() if any(both)}
        if len(differing) == 1:
            ((name, (added, lost)),) = differing.items()
            _note(shown, name, added, lost)
    return shown


def _note(shown: _Shown, table: str, added: Sequence[_Row], lost: Sequence[_Row]) -> None:
    if not lost:
        shown.more.add(table)
    elif not added:
        shown.less.add(table)
    elif len(added) == len(lost) == 1 and added[0].keys() == lost[0].keys():
        columns = [name for name in added[0] if added[0][name] != lost[0][name]]
        if len(columns) == 1 and type(added[0][columns[0]]) is type(lost[0][columns[0]]):
            shown.cells.add((table, columns[0]))


def _cells(material: Material, random: Random) -> Iterator[Draft]:
    """Another value in the first and last row, and the values of two rows exchanged."""
    right = _right_ones(material)
    shown = _shown_wrong(material, right)
    for one in random.sample(right, len(right)):
        for table, column in sorted(shown.cells):
            rows = one.tables.get(table, [])
            for way, changed in _other_cells(rows, column, random).items():
                if _apart(changed, rows):
                    yield _named(one.with_rows(table, changed), f"{column} of {way}")


def _other_cells(rows: Sequence[_Row], column: str, random: Random) -> Mapping[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for way, place in (("the first row", 0), ("the last row", len(rows) - 1)):
        if rows and column in rows[place] and (value := _other(rows[place][column], random)) is not None:
            found[way] = [{**row, column: value} if at == place else row for at, row in enumerate(rows)]
    holders = [at for at, row in enumerate(rows) if column in row]
    for first, last in pairwise(holders):
        if rows[first][column] != rows[last][column]:
            turned = {first: rows[last][column], last: rows[first][column]}
            found["two rows"] = [{**row, column: turned[at]} if at in turned else row for at, row in enumerate(rows)]
            break
    return found


def _other(value: Any, random: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.randint(1000, 9000)
    return f"{value} zq" if isinstance(value, str) else None


def _rows(material: Material, random: Random) -> Iterator[Draft]:
    """One row more, before and behind the others, and one less, the first and the last."""
    right = _right_ones(material)
    shown = _shown_wrong(material, right)
    for one in random.sample(right, len(right)):
        for table, rows in one.tables.items():
            if not rows:
                continue
            strange = {name: _other(value, random) for name, value in random.choice(rows).items()}
            changes: dict[str, list[_Row]] = {}
            if table in shown.more:
                changes |= {"one more before": [strange, *rows], "one more behind": [*rows, strange]}
            if table in shown.less:
                changes |= {"without the first": rows[1:], "without the last": rows[:-1]}
            for way, changed in changes.items():
                yield _named(one.with_rows(table, changed), way)


def _named(draft: Draft, way: str) -> Draft:
    return Draft(draft.task, draft.response, draft.files, draft.messages, way, draft.state, way)


FAMILIES = (
    Family(
        name="leak_state_cell",
        expects="incorrect",
        rule="a labelled case shows that another value in this column is wrong, and this is another value in it",
        make=_cells,
        most=24,
    ),
    Family(
        name="leak_state_row",
        expects="incorrect",
        rule="a labelled case shows that one row more, or one less, in this table is wrong",
        make=_rows,
        most=16,
    ),
)
