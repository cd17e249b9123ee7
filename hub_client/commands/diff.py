"""``verihub diff``: what changed between two releases, or between a release and a folder."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from hub_client.commands.command_context import open_context
from hub_client.releases.resolve import LoadedPackage
from hub_client.terminal.rates import summary_text
from schemas.manifest import RewardDeclaration
from schemas.text_lines import text_lines
from schemas.wording import counted

_MOST_LINES = 4000
"""The most lines of a file that is compared line by line. Longer ones take long, and nobody reads the result."""


@dataclass(frozen=True)
class ChangedFile:
    """One file that differs; ``hunks`` are lines of a unified diff. Where there are none, ``note`` says why."""

    path: str
    what: Literal["added", "removed", "changed"]
    hunks: tuple[str, ...] = ()
    note: str = ""


def diff(
    older: Annotated[str, typer.Argument(metavar="OLDER", help="OWNER/NAME@VERSION, or a folder.")],
    newer: Annotated[str, typer.Argument(metavar="NEWER", help="OWNER/NAME@VERSION, or a folder.")],
    names_only: Annotated[bool, typer.Option("--names-only", help="Which files, without their lines.")] = False,
) -> None:
    """Show what changed between two releases: rewards, splits, grade, and files line by line.

    \b
    Examples:
      verihub diff alice/final-number@0.1.0 alice/final-number
      verihub diff alice/final-number ./final-number --names-only
    """
    with open_context() as context:
        before, after = context.hub.load(older), context.hub.load(newer)
        files = list(changed_files(_named(before), _named(after)))
        declared = list(changed_declarations(before, after))
        data: dict[str, Any] = {
            "older": before.reference,
            "newer": after.reference,
            "declared": declared,
            "grades": [_grade(before), _grade(after)],
            "files": [
                {"path": one.path, "what": one.what} | ({} if names_only else {"lines": one.hunks}) for one in files
            ],
        }
        human = _text(before, after, declared, files, names_only=names_only)
        context.output.result(data, human=human, quiet="\n".join(one.path for one in files))


def changed_files(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[ChangedFile]:
    """Files whose bytes differ, by path. The wheel's own records restate the others and are left out."""
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new or path.endswith((".dist-info/RECORD", ".dist-info/WHEEL")):
            continue
        what: Literal["added", "removed", "changed"] = (
            "added" if old is None else "removed" if new is None else "changed"
        )
        hunks, note = _compare(old or b"", new or b"")
        yield ChangedFile(path, what, hunks, note)


def _compare(old: bytes, new: bytes) -> tuple[tuple[str, ...], str]:
    """Hunks, or none and why."""
    try:
        before, after = text_lines(old.decode()), text_lines(new.decode())
    except UnicodeDecodeError:
        return (), "not text"
    if max(len(before), len(after)) > _MOST_LINES:
        return (), "too long to be compared line by line"
    if before == after:
        return (), "only the ends of its lines differ" if before else "empty"
    return tuple(difflib.unified_diff(before, after, lineterm=""))[2:], ""  # without the names of the files


def changed_declarations(before: LoadedPackage, after: LoadedPackage) -> Iterator[str]:
    """Differences between the manifests in rewards, splits and everything else, a line each."""
    old, new = before.contents.manifest, after.contents.manifest
    for name in dict.fromkeys([*old.rewards, *new.rewards]):
        was, now = old.rewards.get(name), new.rewards.get(name)
        if was != now:
            yield f"reward {name}: {_reward(was)} -> {_reward(now)}"
    for split in dict.fromkeys([*old.tasks, *new.tasks]):
        counts = [_count(package, split) for package in (before, after)]
        if counts[0] != counts[1]:
            yield f"split {split}: {counts[0]} -> {counts[1]}"
    others = old.model_dump(mode="json", by_alias=True), new.model_dump(mode="json", by_alias=True)
    for key in sorted({*others[0], *others[1]} - {"rewards", "tasks"}):
        if others[0].get(key) != others[1].get(key):
            yield f"{key}: {others[0].get(key)} -> {others[1].get(key)}"


def _reward(declared: RewardDeclaration | None) -> str:
    if declared is None:
        return "none"
    low, high = declared.range
    return f"[{low:g}, {high:g}] {declared.role} x {declared.weight:g}"


def _count(package: LoadedPackage, split: str) -> str:
    manifest = package.contents.manifest
    if split not in manifest.tasks:
        return "none"
    return (
        "generated"
        if split in manifest.generated_splits
        else counted(sum(1 for _ in package.contents.tasks(split)), "task")
    )


def _named(package: LoadedPackage) -> dict[str, bytes]:
    """Files by the path that both releases call them: the metadata folder carries the version in its name."""
    return {
        path.replace(f"-{package.version}.dist-info/", ".dist-info/"): content
        for path, content in package.contents.files.items()
    }


def _grade(package: LoadedPackage) -> str | None:
    return package.release.audit.grade if package.release is not None and package.release.audit is not None else None


def _text(
    before: LoadedPackage, after: LoadedPackage, declared: list[str], files: list[ChangedFile], *, names_only: bool
) -> str:
    lines = [f"{before.reference} -> {after.reference}"]
    lines += [
        f"  {package.version} measured: {summary_text(package.release.audit)}"
        for package in (before, after)
        if package.release is not None and package.contents.manifest.rewards
    ]
    lines += [f"  {line}" for line in declared]
    marks = {"added": "+", "removed": "-", "changed": "~"}
    for one in files:
        lines.append(f"{marks[one.what]} {one.path}")
        if not names_only:
            lines += one.hunks or [f"  ({one.note})"]
    return "\n".join([*lines, counted(len(files), "file differs", "files differ")])
