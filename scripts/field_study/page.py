"""docs/reference/field.md: the records and the findings, as tables. The text at its head is ``head.md``."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from scripts.field_study.findings import Finding, NotMeasured
from scripts.field_study.records import Record
from scripts.field_study.subjects import Package, Verifier

HEAD = Path(__file__).with_name("head.md")
SHOWN = 160
FEWEST_PROBES = 4
FAMILY_TITLES = {
    "short-number": "Word problems with one number as answer",
    "mathematics": "Mathematics, value in a box",
    "mathematics-hard": "Mathematics on which rules had failed",
    "choice": "Choice of a letter",
    "text": "Short answers in words",
    "json": "JSON records",
    "calls": "Function calls",
    "sql": "SQL by execution",
    "code": "Python functions",
    "instructions": "Instructions about form",
    "format": "Form of a response with thinking",
}
_REASONING_GYM = "reasoning-gym:"


def page(
    records: Sequence[Record],
    verifiers: Sequence[Verifier],
    findings: Sequence[Finding],
    missing: Sequence[NotMeasured],
    *,
    recall: str = "",
    earlier: Collection[tuple[str, str]] = (),
) -> str:
    """The whole page. Every number in it comes from ``records`` and ``findings``. ``recall``: its section, as text.

    ``earlier``: verifier and family of each record that was measured on cases which have changed since.
    """
    head = HEAD.read_text(encoding="utf-8").replace("{counts}", _counts(records, findings))
    parts = [head.rstrip()]
    families = sorted({one["family"] for one in records}, key=_place)
    gym = [family for family in families if family.startswith(_REASONING_GYM)]
    parts += [
        _family_part(
            FAMILY_TITLES.get(family, family), [one for one in records if one["family"] == family], verifiers, earlier
        )
        for family in families
        if family not in gym
    ]
    if gym:
        parts.append(
            _family_part("Tasks of reasoning-gym", [one for one in records if one["family"] in gym], verifiers, earlier)
        )
    parts += [
        _probe_part(records),
        recall,
        _findings_part(findings),
        _packages_part(verifiers, records),
        _missing_part(missing),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def percent(rate: Sequence[float | None]) -> str:
    """``5.9 % [0.9, 29.3]``, or a dash where there is no case."""
    value, low, high = rate[:3]
    if value is None or low is None or high is None:
        return "–"
    return f"{100 * value:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _counts(records: Sequence[Record], findings: Sequence[Finding]) -> str:
    cases = sum(one["right"] + one["wrong"] for one in records)
    packages, names = {one["package"] for one in records}, {one["verifier"] for one in records}
    defects = "1 defect" if len(findings) == 1 else f"{len(findings)} defects"
    return (
        f"{len(names)} verifiers of {len(packages)} packages, {cases:,} labelled verdicts, {defects}, each of them read"
    )


def _place(family: str) -> tuple[int, str]:
    names = list(FAMILY_TITLES)
    return (names.index(family) if family in names else len(names), family)


def _family_part(
    title: str,
    records: Sequence[Record],
    verifiers: Sequence[Verifier],
    earlier: Collection[tuple[str, str]],
) -> str:
    notes = {one.name: one.note for one in verifiers}
    rows = [_row(one) for one in sorted(records, key=_badness)]
    said = [f"`{one['verifier']}`: {notes[one['verifier']]}" for one in records if notes.get(one["verifier"])]
    old = [f"`{one['verifier']}`" for one in records if (one["verifier"], one["family"]) in earlier]
    if old:
        said.append(f"Measured on these cases before they were last changed: {', '.join(old)}.")
    return "\n".join(
        [
            f"## {title}",
            "",
            "| verifier | accepts wrong | of | rejects right | of | no verdict | accepts most | rejects most |",
            "|---|---|---|---|---|---|---|---|",
            *rows,
            *(["", *said] if said else []),
        ]
    )


def _badness(record: Record) -> tuple[float, str]:
    return ((record["fpr"][0] or 0) + (record["fnr"][0] or 0), record["verifier"])


def _row(record: Record) -> str:
    cells = [
        f"`{record['verifier']}`",
        percent(record["fpr"]),
        _of(record["wrong"], record["fpr"], record["left_out_wrong"]),
        percent(record["fnr"]),
        _of(record["right"], record["fnr"], record["left_out_right"]),
        _without_verdict(record),
        _forms(record["worst_fp"]),
        _forms(record["worst_fn"]),
    ]
    return f"| {' | '.join(cells)} |"


def _of(cases: int, rate: Sequence[float | None], left_out: int) -> str:
    return (f"{cases} ({rate[3]})" if cases else "0") + (f"; {left_out} not asked" if left_out else "")


def _without_verdict(record: Record) -> str:
    words = [("raised", record["raised"]), ("late", record["late"]), ("null", record["null"])]
    said = [f"{number} {word}" for word, number in words if number]
    escaped, tries = record.get("no_verdict") or (0, 0)  # records of before it was searched have none
    return ", ".join([*said, *([f"one response {escaped}/{tries}"] if escaped else [])])


def _forms(worst: Iterable[Sequence[object]]) -> str:
    return ", ".join(f"{form} {errors}/{cases}" for form, errors, cases in list(worst)[:3])


def _probe_part(records: Sequence[Record]) -> str:
    """A row for each family of probes: which verifiers gave wrong verdicts on at least a third of its cases."""
    found: dict[str, list[str]] = {}
    probed = Counter(record["verifier"] for record in records if record["probes"])
    for record in records:
        where = f" ({record['family']})" if probed[record["verifier"]] > 1 else ""
        for family, (wrong, _, cases) in record["probes"].items():
            if wrong and cases >= FEWEST_PROBES and 3 * wrong >= cases:
                found.setdefault(family, []).append(f"`{record['verifier']}`{where} {wrong}/{cases}")
    rows = [f"| `{family}` | {', '.join(sorted(names))} |" for family, names in sorted(found.items())]
    lead = (
        "For numbers, choices and mathematics, probes are made from the cases by rule "
        "([what each is](../explanation/audit.md#probes)). A row names the "
        "verifiers that gave a wrong\nverdict on a third or more of the probes that they were asked. As in the tables, "
        f"they were asked those in a form that they read, and at least {FEWEST_PROBES}.\n`leak_` and "
        "`several_answers` must be rejected, `benign_` must be accepted. For a verifier whose contract is the exact "
        "text,\na failed `benign_` family is its contract and no fault."
    )
    return "\n".join(["## Probes", "", lead, "", "| family | verifiers |", "|---|---|", *rows]) if rows else ""


def _findings_part(findings: Sequence[Finding]) -> str:
    parts = [
        "## Defects",
        "",
        (
            "Each was read: the label follows from the task, and the verdict contradicts what its own "
            "documents promise\nor what its name says. `scripts/field --defects` runs them again. *Returned* is what "
            "it returned here."
        ),
    ]
    number = Counter[str]()
    for one in findings:
        number[one.verifier] += 1
        parts += [
            "",
            f"### {one.verifier}: {one.title}",
            "",
            f"- reference: {code(one.answer)}" + (f" · question: {one.prompt}" if one.prompt else ""),
            f"- response: {code(one.response)}",
            f"- expected: {one.expected} · returned: {one.returned} · `{one.package}` {one.version}",
            f"- {one.why}",
        ]
    return "\n".join(parts) if findings else ""


def code(text: str) -> str:
    """A text as code on one line, with fences that it cannot close."""
    flat = text.replace("\n", "⏎")
    flat = flat if len(flat) <= SHOWN else flat[: SHOWN - 1] + "…"
    if not flat.strip():
        return "*(empty)*"
    return f"`` {flat} ``" if "`" in flat else f"`{flat}`"


def _packages_part(verifiers: Sequence[Verifier], records: Sequence[Record]) -> str:
    there = {one["verifier"] for one in records}
    rows = []
    packages: dict[str, Package] = {one.package.name: one.package for one in verifiers if one.name in there}
    for name, package in sorted(packages.items()):
        whats = ", ".join(f"`{one.what}`" for one in verifiers if one.package.name == name and one.name in there)
        rows.append(f"| `{name}` | {package.version} | {package.licence} | {whats} |")
    return "\n".join(
        ["## What was measured", "", "| package | version | licence | functions |", "|---|---|---|---|", *rows]
    )


def _missing_part(missing: Sequence[NotMeasured]) -> str:
    rows = [f"| {one.what} | {one.why} |" for one in missing]
    return "\n".join(["## Not measured", "", "| what | why |", "|---|---|", *rows]) if rows else ""
