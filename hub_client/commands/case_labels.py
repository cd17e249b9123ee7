"""``verihub cases label``: answer what people are asked about responses."""

from collections.abc import Iterator
from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.errors import UsageError
from hub_client.transport.requests import labels
from schemas.evidence.labels import Answer, LabelQuestion, LabelRequest
from schemas.wording import counted

_SAID = {Answer.CORRECT: "right", Answer.INCORRECT: "wrong", Answer.UNSURE: "cannot tell"}


def label(
    question: Annotated[
        str | None, typer.Argument(metavar="[QUESTION]", help="Its id. Without one: the question that helps most.")
    ] = None,
    answer: Annotated[
        Answer | None, typer.Option(help="Whether the response is right. Without it the question is shown.")
    ] = None,
    note: Annotated[str, typer.Option(help="Why, for whoever reads it.")] = "",
    run: Annotated[str | None, typer.Option(metavar="ID", help="The question about its rollout.")] = None,
    rollout: Annotated[int | None, typer.Option(help="The rollout's number, as the run's page gives it.")] = None,
    package: Annotated[str | None, typer.Option(metavar="OWNER/NAME", help="Only questions about it.")] = None,
) -> None:
    """Say whether a response is right, where verifiers disagree on it.

    The hub chooses what is asked, so that nobody gathers friends around responses that suit them. Where a verdict on
    any other response is wrong, submit it: `verihub cases add`.

    \b
    Examples:
      verihub cases label
      verihub cases label --run ID --rollout 7
      verihub cases label QUESTION --answer incorrect --note 'it hedges'
    """
    if (run is None) != (rollout is None):
        raise UsageError("--run and --rollout belong together")
    ways = [name for name, value in (("QUESTION", question), ("--run", run), ("--package", package)) if value]
    if len(ways) > 1:
        raise UsageError(f"give one of {' and '.join(ways)}")
    if answer is not None and question is None and run is None:
        raise UsageError("say which question --answer answers: QUESTION, or --run and --rollout")
    with open_context() as context:
        found, left = _find(context, question, run, rollout, package)
        if found is None:
            context.output.result({"item": None, "left": left}, human="no question waits for you", quiet="")
            return
        if answer is not None:
            found = context.hub.send(labels.answer_question(found.id, LabelRequest(answer=answer, note=note)))
        human = "\n".join(_asked(found) if answer is None else _answered(found))
        context.output.result(found, human=human, quiet=found.id)


def _find(
    context: CommandContext, question: str | None, run: str | None, rollout: int | None, package: str | None
) -> tuple[LabelQuestion | None, int]:
    if question is not None:
        return context.hub.send(labels.get_question(question)), 1
    if run is not None and rollout is not None:
        return context.hub.send(labels.get_question_of_rollout(run, rollout)), 1
    found = context.hub.send(labels.next_question(parse_reference(package).package if package else None))
    return found.item, found.left


def _asked(found: LabelQuestion) -> Iterator[str]:
    yield f"{found.id} about {found.package} {found.version}: {found.state}"
    prompt = found.task.get("prompt", found.task)
    yield from ("task:", *_quoted(prompt if isinstance(prompt, str) else str(found.task)))
    yield from ("response:", *_quoted(found.response if found.response is not None else str(found.messages)))
    for verdict in found.verdicts:
        said = "did not judge it" if verdict.accepted is None else ("accepts" if verdict.accepted else "rejects")
        yield f"  {verdict.by} {said}"
    yield f"  {counted(found.label_count, 'person', 'people')} answered"
    yield from _said_by(found)
    if found.state == "open":
        again = f"; you said {_SAID[found.my_answer]}, and a new answer replaces it" if found.my_answer else ""
        yield f"answer it: verihub cases label {found.id} --answer correct|incorrect|unsure{again}"


def _quoted(text: str) -> Iterator[str]:
    """Each line behind a mark, so that no response looks like words of this command."""
    return (f"  | {line}" for line in text.splitlines() or [""])


def _answered(found: LabelQuestion) -> Iterator[str]:
    if found.state == "settled" and found.agreed_label is not None:
        yield f"settled: people agree that the response is {_SAID[Answer(found.agreed_label)]}"
        if found.case_id:
            yield f"  it became a case: verihub cases show {found.package} {found.case_id}"
    else:
        yield "kept; it is settled once one answer has two votes more than the other"
    yield from _said_by(found)


def _said_by(found: LabelQuestion) -> Iterator[str]:
    for given in found.labels or ():
        if given.counts:
            why = " ".join(given.note.split())
            yield f"  {given.labelled_by} said {_SAID[given.answer]}{f': {why}' if why else ''}"
