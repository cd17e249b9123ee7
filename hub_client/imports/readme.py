"""The report of an import, and the README that is made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hub_client.imports.defects import DEFECTS
from hub_client.imports.draft import Draft
from schemas.wording import counted

TRAIN_TASKS = 100
"""How many training tasks are compared with those of test."""
_SHOWN = 400


@dataclass(frozen=True)
class ImportReport:
    """What was found when the package was tried. Pairs are (judged as labelled, of so many)."""

    package: str
    source: str
    version: str
    right: tuple[int, int]
    wrong: tuple[int, int]
    unjudged: dict[str, int] = field(default_factory=dict)
    """Why a verdict was null -> how often. Such cases are left out of the project's."""
    repeated: int = 0
    """How many test prompts occur among the first training tasks."""
    tests: int = 0
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Part of the source -> why it is not in the package."""
    defects: int = 0
    """Cases in ``defects.jsonl``: the verifier contradicts their label."""
    own_cases: int = 0
    """After an update: cases that the user had added, and that judge the same tasks still."""
    lost_cases: int = 0
    """Those that do not, or whose id a case of the new version has; they are among the kept files."""
    kept: tuple[str, ...] = ()
    """After an update: where the files lie that the user had changed."""

    @property
    def line(self) -> str:
        """What was measured, in a sentence."""
        of_right = f"{self.right[0]} of {self.right[1]} right answers accepted"
        said = of_right if self.right[1] else "no right answer is known"
        said += f", {self.wrong[0]} of {self.wrong[1]} wrong ones rejected"
        said += f", {counted(sum(self.unjudged.values()), 'answer')} not judged" if self.unjudged else ""
        return said + (f"; {counted(len(self.left_out), 'part')} of the source left out" if self.left_out else "")


def readme_of(draft: Draft, report: ImportReport, tasks: Sequence[Mapping[str, Any]]) -> str:
    """The README of an imported package, whose first paragraph says that it is imported, as is."""
    origin = draft.provenance
    home = f" ({origin.home})" if origin.home else ""
    where = f"`{origin.source}`, version {origin.version}{home}, licence {origin.licence}"
    parts = [
        f"# {report.package}",
        f"**Imported, as is**, from {where}. What its tasks and its verifier get wrong, this package gets wrong too.",
        draft.summary,
        _quoted(tasks[0]["prompt"]),
        *draft.notes,
        "## Found at the import",
        _findings(draft, report),
        *_left_out(report),
        "`verihub import --update .` writes the project again when its source has a newer version.",
    ]
    return "\n\n".join(parts) + "\n"


def _quoted(prompt: str | Sequence[Mapping[str, Any]]) -> str:
    whole = prompt if isinstance(prompt, str) else "\n\n".join(str(message.get("content")) for message in prompt)
    shown = whole if len(whole) <= _SHOWN else whole[:_SHOWN] + " …"
    return "```text\n" + shown.replace("```", "'''") + "\n```"


def _findings(draft: Draft, report: ImportReport) -> str:
    lines = [
        f"- {report.line}. The cases are in `audit.jsonl`"
        + ("." if draft.cases else ": tasks' own answers; wrong are other tasks' answers, none, and \"not sure\".")
    ]
    lines += [
        f"- {counted(number, 'answer')} could not be judged and are left out of the cases: `{why.replace('`', '')}`"
        for why, number in sorted(report.unjudged.items())
    ]
    if report.defects:
        lines.append(
            f"- {counted(report.defects, 'case')} that the verifier judges wrongly: `{DEFECTS}` has them with label, "
            f"origin and licence. `verihub cases submit {report.package} {DEFECTS}` makes them counter-examples, which "
            "a hub runs against every later release."
        )
    if draft.model:
        lines.append(f"- The model `{draft.model['name']}` judged these cases. With another model there is no verdict.")
    if draft.generates:
        lines.append(
            f"- Training tasks are generated without end; {report.repeated} of the {report.tests} test prompts are "
            f"among the first {TRAIN_TASKS}."
        )
    return "\n".join(lines)


def _left_out(report: ImportReport) -> list[str]:
    if not report.left_out:
        return []
    lines = [f"- `{name.replace('`', '')}`: {why}" for name, why in report.left_out.items()]
    return ["## Left out", "\n".join(lines)]
