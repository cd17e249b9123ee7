"""The option ``--judge-model``, and the error if a verifier needs a judge model and none is given."""

from typing import Annotated

import typer

from hub_client.commands.command_context import CommandContext
from hub_client.environments import Verifier
from hub_client.errors import UsageError
from schemas.judge_model import ANY_MODEL

JudgeModelOption = Annotated[
    str | None,
    typer.Option("--judge-model", metavar="URL#MODEL|local:NAME", help="The judge model, for verifiers that need one."),
]


def refuse_without_model(context: CommandContext, verifier: Verifier) -> None:
    """Raise :class:`UsageError` before anything runs if the verifier needs a judge model and none is given.

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
