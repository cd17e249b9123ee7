"""The option that names a model for verifiers that ask one, and the sentence where it is missing."""

from typing import Annotated

import typer

from hub_client.commands.command_context import CommandContext
from hub_client.environments import Verifier
from hub_client.errors import UsageError
from schemas.judge_model import ANY_MODEL

JudgeModelOption = Annotated[
    str | None,
    typer.Option(
        "--judge-model", metavar="URL#MODEL|local:NAME", help="The model that is offered to verifiers that ask a model."
    ),
]


def refuse_without_model(context: CommandContext, verifier: Verifier) -> None:
    """Say before anything runs that nothing would be judged. Raises :class:`UsageError`.

    Where the hub runs the verifier, the hub says whether it offers a model.
    """
    needs = verifier.judge.contents.manifest.model
    if needs is None or context.settings.judge_model or context.hub.runner().place != "here":
        return
    wanted = "any model" if needs.name == ANY_MODEL else f"the model {needs.name}"
    raise UsageError(
        f"{verifier.judge.reference} asks a model, and none is offered: name {wanted} with --judge-model "
        "http://localhost:8000/v1#NAME or --judge-model local:smollm2"
    )
