"""``scripts/import_stock FOLDER``: imports what there is, checks and measures each package, and writes a table.

FOLDER/stock.jsonl has a line for each item. What it says of an item stands, so that a run which was ended goes on where
it was; what failed is tried again, and what the importer refused then and offers now. ``--again`` measures everything
again, and imports only what does not lie in FOLDER.
``--table`` prints the table of those lines and does nothing else.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from hub_client.client import Hub
from hub_client.commands.import_packages import package_name
from hub_client.errors import HubClientError
from hub_client.execution.smoke_test import smoke_test
from hub_client.imports.draft import Importer, ImportRefusedError, Item
from hub_client.imports.import_draft import import_draft
from hub_client.imports.registry import SOURCES as SOURCES_OF_IMPORTS
from hub_client.imports.registry import Request, open_importer
from hub_client.packaging.source_check import source_faults
from hub_client.settings import ClientSettings
from schemas.collections import MOST_ENTRIES
from schemas.verdict import ScoreRequest

SOURCES = [
    "reasoning-gym",
    "reasoning-core",
    "mathematics-dataset",
    "mathgenerator",
    "agentworld",
    "arc",
    "chuk-puzzles",
    "boardgamebench",
    "jupyddl",
    "molmass",
    "pysat",
    "textarena",
    "gem",
    "bfcl",
    "openspiel",
    "kaggle",
    "gymnasium",
    "minigrid",
    "agentdojo",
]
"""Sources that need no file."""
_LEFT_OUT = re.compile(r"^- (\d+) answers? could not be judged", re.MULTILINE)
_TEXT = (
    "Imported as is. A package without a note accepts all of its source's right answers that were tried, and rejects "
    "all wrong ones."
)
_TOO_SLOW = "took longer than"
_JUDGED_WITHIN = 600.0
_REPEATED = re.compile(r"(\d+) of the (\d+) test prompts are")


def main(words: Sequence[str] | None = None) -> int:
    """Go through the sources; 1 where something failed that no reason of the source's explains, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--owner", default="stock")
    parser.add_argument("--source", action="append", choices=SOURCES)
    parser.add_argument("--only", action="append")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args(words)
    try:
        if not asked.table:
            bring_in(asked.folder, asked.owner, asked.source or SOURCES, only=asked.only, again=asked.again)
    except KeyboardInterrupt:
        print(f"Stopped. What is done stands in {asked.folder}: the same command goes on from there.", file=sys.stderr)
        return 130
    rows = read_record(asked.folder)
    print("\n".join(table(rows)))
    return int(any(row.get("failed") for row in rows))


def bring_in(folder: Path, owner: str, sources: list[str], *, only: list[str] | None, again: bool) -> None:
    """Import and measure the items of ``sources``, one line of the record after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {} if again else {(row["source"], row["item"]): row for row in read_record(folder)}
    with Hub(settings=ClientSettings.load()) as hub, (folder / "stock.jsonl").open("a", encoding="utf-8") as lines:
        for source in sources:
            importer = open_importer(source, Request(hub.cache))
            for item in importer.items():
                before = known.get((source, item.name))
                if (only and item.name not in only) or (before and is_settled(before, item, folder)):
                    continue
                print(f"{source}:{item.name} …", file=sys.stderr, flush=True)
                row = {"source": source, "item": item.name, **found(hub, importer, source, item, owner, folder)}
                lines.write(json.dumps(row) + "\n")
                lines.flush()
                print(*row.values(), flush=True)


def is_settled(row: dict[str, Any], item: Item, folder: Path) -> bool:
    """Whether what the record says of it stands: measured and still there, refused when tried, or not offered yet."""
    if "refused" in row:
        return bool(item.refused or row.get("tried"))
    return "right" in row and (folder / package_name(row["source"], row["item"])).is_dir()


def found(hub: Hub, importer: Importer, source: str, item: Item, owner: str, folder: Path) -> dict[str, Any]:
    """What became of one item: ``refused`` or ``failed`` with a reason, else what was measured."""
    name = package_name(source, item.name)
    target = folder / name
    if item.refused:
        return {"refused": item.refused.removeprefix("dependencies cannot be locked: ")}
    try:
        if not target.exists():
            import_draft(hub, importer.draft(item.name), f"{owner}/{name}", target)
        return measured(hub, target)
    except ImportRefusedError as error:
        if _TOO_SLOW in str(error):  # on a busy machine; not the source's fault
            return {"failed": str(error)}
        return {"refused": str(error).removeprefix("dependencies cannot be locked: "), "tried": True}
    except HubClientError as error:
        return {"failed": str(error)[:500]}


def measured(hub: Hub, folder: Path) -> dict[str, Any]:
    """The package's own cases, judged again, and what ``verihub check`` would find besides."""
    environment = hub.environment(folder)
    package = environment.package
    faults = [*source_faults(package.contents), *smoke_test(package, hub.runner()).faults]
    if faults:
        return {"failed": "; ".join(faults)[:500]}
    tasks = {task["id"]: task for task in environment.task_list("test")}
    cases = package.contents.cases()
    requests = [
        ScoreRequest(
            id=case.id,
            task=tasks[case.task_id or ""],
            response=case.response,
            messages=case.messages,
            state=case.state,
        )
        for case in cases
    ]
    try:
        verdicts = environment.score_requests(requests, within_seconds=_JUDGED_WITHIN)
    except TimeoutError:
        return {"failed": f"judging its {len(requests)} cases took longer than {_JUDGED_WITHIN:g} s"}
    said = [
        (case.label.value, verdict.accepts(environment.rewards)) for case, verdict in zip(cases, verdicts, strict=True)
    ]
    readme = package.contents.readme
    repeated = _REPEATED.search(readme)
    return {
        "right": [said.count(("correct", True)), sum(label == "correct" for label, _ in said)],
        "wrong": [said.count(("incorrect", False)), sum(label == "incorrect" for label, _ in said)],
        "unjudged": sum(map(int, _LEFT_OUT.findall(readme))) + sum(accepted is None for _, accepted in said),
        "repeated": [int(text) for text in repeated.groups()] if repeated else None,
    }


def selection(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows worth showing: what was measured on wrong answers, and of a game's levels one."""
    levels: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        _, wrong = row.get("wrong", (0, 0))
        if wrong:
            game, _, level = row["item"].partition("-v0")
            key = (row["source"], game)
            if key not in levels or not level:
                levels[key] = row
    return list(levels.values())


def collections_of(rows: list[dict[str, Any]], owner: str) -> dict[str, str]:
    """Source -> a file for ``verihub collection publish``: its packages, and beside each what was measured."""
    of_source: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        of_source.setdefault(row["source"], []).append(row)
    return {
        source: tomlkit.dumps({
            "id": f"{owner}/{source}",
            "title": f"Imported from {source}",
            "text": f"{SOURCES_OF_IMPORTS[source].line} {_TEXT}",
            "entries": [
                {"package": f"{owner}/{package_name(source, row['item'])}", "note": _note(row)}
                for row in sorted(of_source[source], key=lambda row: str(row["item"]))
            ][:MOST_ENTRIES],
        })
        for source in of_source
    }  # fmt: skip


def _note(row: dict[str, Any]) -> str:
    """What a reader should know; empty where all cases are judged rightly, or a hundred rows would say one thing."""
    right, wrong = row["right"], row["wrong"]
    if right[1] and right[0] == right[1] and wrong[0] == wrong[1]:
        return ""
    accepted = f"{right[0]} of {right[1]} right answers accepted" if right[1] else "no right answer is known"
    return f"{accepted}, {wrong[0]} of {wrong[1]} wrong ones rejected"


def read_record(folder: Path) -> list[dict[str, Any]]:
    """The last line of each item in ``folder/stock.jsonl``; none where there is no such file."""
    record = folder / "stock.jsonl"
    lines = map(json.loads, record.read_text(encoding="utf-8").splitlines()) if record.is_file() else ()
    return list({(row["source"], row["item"]): row for row in lines}.values())


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Tables in Markdown: everything that was measured, then by source and reason everything that was not."""
    yield "| package | right accepted | wrong rejected | not judged | test prompts in train |"
    yield "|---|---|---|---|---|"
    for row in rows:
        if "right" in row:
            pairs = [f"{good} of {all_}" if all_ else "–" for good, all_ in (row["right"], row["wrong"])]
            repeated = f"{row['repeated'][0]} of {row['repeated'][1]}" if row["repeated"] else "–"
            cells = [f"`{row['source']}:{row['item']}`", *pairs, str(row["unjudged"] or ""), repeated]
            yield f"| {' | '.join(cells)} |"
    yield ""
    yield "| not imported | why |"
    yield "|---|---|"
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if "right" not in row:
            why = row.get("refused") or f"failed: {row['failed']}"
            reasons.setdefault((row["source"], " ".join(why.split()).replace("|", "/")), []).append(f"`{row['item']}`")
    for (source, why), items in reasons.items():
        yield f"| `{source}`: {', '.join(items)} | {why} |"


if __name__ == "__main__":
    sys.exit(main())
