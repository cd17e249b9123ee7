"""``scripts/field``: measures verifiers of public packages on labelled cases and writes docs/reference/field.md.

Each package is installed into a virtual environment of its own below a cache folder (``VERIHUB_FIELD_CACHE``). A wrong
verdict is kept there as well, under ``failures/``. Nothing is sent anywhere but to the package index.
``scripts/field package SUBJECT --to FOLDER`` writes a verifier as a package of a hub instead.
"""

import argparse
import asyncio
import json
import sys
import time
from itertools import groupby
from pathlib import Path

from scripts.field_study import readings, recall, records, reported, stratified, unseen, wrapped
from scripts.field_study.environments import InstallError, python_of
from scripts.field_study.findings import findings, load_defects, load_missing, read_returned
from scripts.field_study.judge import StartError
from scripts.field_study.measurement import is_of_these_cases, measure
from scripts.field_study.page import page
from scripts.field_study.readings_page import one_sample_part, readings_part
from scripts.field_study.recall_page import recall_part
from scripts.field_study.records import Record
from scripts.field_study.reported_page import reported_part
from scripts.field_study.returned import keep, run_defects
from scripts.field_study.subjects import Verifier, chosen, load_subjects
from scripts.field_study.unseen import measure as unseen_measure
from scripts.field_study.unseen.page import FIFTH, FOURTH, SEVENTH, SIXTH, later_part, unseen_part

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "field.md"


def main() -> int:
    """0, or 1 where a package could not be installed or an adapter could not be loaded."""
    if sys.argv[1:2] == ["package"]:
        return wrapped.main(sys.argv[2:])
    asked = _parser().parse_args()
    subjects = load_subjects()
    if asked.recall:
        recall.measure_all(next(one.package for one in subjects if one.package.name == recall.PACKAGE), asked.only)
        PAGE.write_text(written_page(), encoding="utf-8")
        return 0
    if asked.reported:
        reported.measure_all(subjects, asked.only)
        PAGE.write_text(written_page(), encoding="utf-8")
        return 0
    if asked.unseen:
        for listed, place in unseen_measure.KEPT_OF:
            unseen_measure.measure_all(listed, asked.only, place)
        PAGE.write_text(written_page(), encoding="utf-8")
        return 0
    pairs = [(one, family) for one in chosen(subjects, asked.only) for family in one.families]
    if asked.family:
        pairs = [pair for pair in pairs if pair[1] in asked.family]
    if asked.missing or asked.before:
        there = records.measured_since(records.read(), asked.before or "")
        pairs = [(one, family) for one, family in pairs if (one.name, family) not in there]
    failed = False
    if asked.defects:
        _run_defects(subjects, asked.only)
    elif not asked.page:
        failed = asyncio.run(_measure_all(pairs, subjects, as_json=asked.format == "json"))
    PAGE.write_text(written_page(), encoding="utf-8")
    return int(failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/field", description=__doc__)
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a verifier or a package; may be repeated"
    )
    parser.add_argument("--family", action="append", default=[], help="only these families of cases")
    parser.add_argument("--missing", action="store_true", help="only what has no record yet")
    parser.add_argument("--before", metavar="DATE", help="only what was measured before this day: goes on with a run")
    parser.add_argument("--defects", action="store_true", help="run the defects' cases again, and nothing else")
    parser.add_argument(
        "--recall", action="store_true", help="how many known defects the probes find; --only data sets"
    )
    parser.add_argument("--reported", action="store_true", help="how many defects that others reported the probes find")
    parser.add_argument("--unseen", action="store_true", help="how many rebuilt defects of other libraries are found")
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page from the records")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="what is printed of each record")
    return parser


def written_page() -> str:
    """The page, from the records and findings that are kept in this repository."""
    subjects = load_subjects()
    found = findings(load_defects(), subjects, read_returned())
    others, kept = reported.load_reported(), reported.read()
    parts = [
        recall_part(recall.load_known(), recall.read(), recall.TASKS),
        reported_part(
            others, reported.standing(others, subjects, kept["returned"]), reported.reports_of(kept), reported.TASKS
        ),
        unseen_part(unseen.LIST, unseen_measure.read()),
        later_part(unseen.fourth.LIST, unseen_measure.read(unseen_measure.KEPT_FOURTH), FOURTH),
        later_part(unseen.fifth.LIST, unseen_measure.read(unseen_measure.KEPT_FIFTH), FIFTH),
        later_part(unseen.sixth.LIST, unseen_measure.read(unseen_measure.KEPT_SIXTH), SIXTH),
        later_part(unseen.seventh.LIST, unseen_measure.read(unseen_measure.KEPT_SEVENTH), SEVENTH),
        readings_part(*(readings.read(place) for place in readings.KEPT), fourth=readings.read(readings.FOURTH)),
        one_sample_part(readings.read(stratified.KEPT)),
    ]
    known = "\n\n".join(part for part in parts if part)
    measured, named = records.read(), {one.name: one for one in subjects}
    earlier = {
        (one["verifier"], one["family"]) for one in measured if not is_of_these_cases(one, named[one["verifier"]])
    }
    return page(measured, subjects, found, load_missing(), recall=known, earlier=earlier)


def _run_defects(subjects: list[Verifier], only: list[str]) -> None:
    defects, names = load_defects(), {one.name for one in chosen(subjects, only)}
    found = asyncio.run(run_defects([one for one in defects if one.verifier in names], subjects))
    keep(found, [one.name for one in defects])
    for name, value in found.items():
        print(name, value["error"] or value["score"])


async def _measure_all(pairs: list[tuple[Verifier, str]], subjects: list[Verifier], *, as_json: bool) -> bool:
    """Measure and keep each record at once, so that a run which was ended goes on with ``--missing``."""
    failed, known = False, [(one.name, family) for one in subjects for family in one.families]
    for package, several in groupby(
        sorted(pairs, key=lambda pair: pair[0].package.name), key=lambda pair: pair[0].package
    ):
        try:
            python = python_of(package)
            for verifier, family in several:
                began = time.monotonic()
                record = await measure(verifier, family, python)
                records.write(records.merge(records.read(), [record], known))
                print(json.dumps(record) if as_json else _line(record, time.monotonic() - began), flush=True)
        except (InstallError, StartError) as error:
            failed = True
            print(f"not measured: {error}", file=sys.stderr, flush=True)
    return failed


def _line(record: Record, seconds: float) -> str:
    return (
        f"{record['verifier']:34} {record['family']:17} accepts wrong {record['fp']}/{record['wrong']}  "
        f"rejects right {record['fn']}/{record['right']}  "
        f"raised {record['raised']}  late {record['late']}  ({seconds:.0f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
