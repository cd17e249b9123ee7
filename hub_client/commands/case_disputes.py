"""``verihub cases report``, ``second``, ``dispute``, ``withdraw`` and ``settle``: what people say about labels."""

from collections.abc import Callable
from typing import Annotated, Literal

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.errors import UsageError
from hub_client.transport.requests import audits
from hub_client.transport.requests.call import ApiCall
from schemas.evidence.counter_examples import CaseState, CounterExample
from schemas.wording import counted

Package = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The package whose verifier the cases are about.")]
Cases = Annotated[list[str], typer.Argument(metavar="CASE", help="Ids, as `verihub cases list` gives them.")]
Why = Annotated[str, typer.Option("--reason", help="Why, for whoever reads the case's history.")]


def second(reference: Package, cases: Cases) -> None:
    """Say that labels are right. A case counts once its owner, a moderator, or two accounts of standing say so.

    \b
    Examples:
      verihub cases second lecture/gsm8k 01jd…
    """
    _each(reference, cases, audits.second_case)


def report(
    reference: Annotated[str, typer.Argument(metavar="OWNER/SUITE", help="The suite.")],
    case: Annotated[str, typer.Argument(metavar="CASE", help="The case's id, as the suite's page gives it.")],
    reason: Annotated[str, typer.Option("--reason", help="Why its label is wrong.")] = "",
) -> None:
    """Report that a case of a suite has the wrong label. Other owners' reports wait to be seconded.

    Once the suite's owner, a moderator, or two accounts of standing say so, the case counts in no rate any more.

    \b
    Examples:
      verihub cases report suites/mathematics hardverify-12-correct --reason '1/3 is not 0.33'
    """
    if not reason.strip():
        raise UsageError("say why the label is wrong: --reason")
    _each(reference, [case], lambda package, one: audits.report_label(package, one, reason))


def dispute(
    reference: Package,
    cases: Annotated[list[str] | None, typer.Argument(metavar="CASE", help="Ids of cases.")] = None,
    reason: Why = "",
    not_counted: Annotated[
        bool, typer.Option("--all-not-counted", help="As the owner: every case that nobody has seconded yet.")
    ] = False,
) -> None:
    """Say that labels are wrong. A disputed case stays in the rates, marked, until the dispute ends.

    A moderator ends it, or two accounts of standing more on one side than on the other, or fourteen days.

    \b
    Examples:
      verihub cases dispute lecture/gsm8k 01jd… --reason 'the answer is 17'
      verihub cases dispute me/mine --all-not-counted --reason 'all of them round down'
    """
    if not reason.strip():
        raise UsageError("say why the labels are wrong: --reason")
    if not_counted == bool(cases):
        raise UsageError("name cases, or give --all-not-counted")
    if not not_counted:
        _each(reference, cases or [], lambda package, case: audits.dispute_case(package, case, reason))
        return
    with open_context() as context:
        found = context.hub.send(audits.dispute_cases(parse_reference(reference).package, reason)).items
        human = "\n".join(map(_line, found)) or "no case waits to be seconded"
        context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


def withdraw(reference: Package, cases: Cases, reason: Why = "") -> None:
    """Take back cases that you submitted. Their release is measured again without them.

    \b
    Examples:
      verihub cases withdraw lecture/gsm8k 01jd… --reason 'I had misread the task'
    """
    _each(reference, cases, lambda package, case: audits.settle_case(package, case, "withdrawn", reason))


def settle(
    reference: Package,
    cases: Cases,
    ruling: Annotated[
        Literal["upheld", "relabelled", "withdrawn"],
        typer.Option(help="Keep the label, reverse it, or withdraw the case."),
    ],
    reason: Why = "",
) -> None:
    """End disputes, as a moderator who does not own the package.

    \b
    Examples:
      verihub cases settle lecture/gsm8k 01jd… --ruling upheld --reason 'both say 17'
    """
    _each(reference, cases, lambda package, case: audits.settle_case(package, case, ruling, reason))


def _each(reference: str, cases: list[str], call: Callable[[str, str], ApiCall[CounterExample]]) -> None:
    """Send the same request for each case. The first refusal ends the command; requests before it stay in effect."""
    with open_context() as context:
        package = parse_reference(reference).package
        found: list[CounterExample] = []
        try:
            found.extend(context.hub.send(call(package, case)) for case in cases)
        finally:
            if found:
                human = "\n".join(map(_line, found))
                context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


def _line(found: CounterExample) -> str:
    """``01jd… against lecture/gsm8k 2.0.0: reproduced, label correct, does not count yet, seconded by 1 account``."""
    said = f"{found.id} against {found.package} {found.against}: {found.state}, label {found.case.label}"
    said += f", {counting_words(found)}"
    return f"{said}: {found.dispute_reason}" if found.state is CaseState.DISPUTED and found.dispute_reason else said


def counting_words(found: CounterExample) -> str:
    """Whether a case counts in the rates, and by whose word."""
    if found.state is CaseState.REFUTED:
        return "counts for nothing"
    if found.counted_by:
        if found.waits:
            return f"waits: seconded by {found.counted_by} alone, and too many others are"
        if found.repeats:
            other = "a case of the package" if found.repeats == "package" else found.repeats
            return f"repeats {other}, which counts in its place"
        return f"counts by {found.counted_by}"
    seconded = f", seconded by {counted(len(found.seconded_by), 'account')}" if found.seconded_by else ""
    return f"does not count yet{seconded}"
