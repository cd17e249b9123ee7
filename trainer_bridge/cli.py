"""``verihub train`` and ``verihub serve-model``: the commands' options; torch is imported only when they begin."""

from pathlib import Path
from typing import Annotated

import typer

# What a verifier's audit must show before training, and the held-out verifier

_MaxFpr = Annotated[
    float | None, typer.Option(help="Refuse a verifier whose FPR may exceed this (upper end of its interval).")
]
_MaxFnr = Annotated[float | None, typer.Option(help="The same for the FNR.")]
_Grade = Annotated[
    str | None, typer.Option(metavar="A|B|C|D", help="Refuse a verifier whose audit has a worse grade, or none.")
]
_Reports = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="A report of `verihub audit`, for a verifier that no hub has audited."),
]
_HeldOut = Annotated[
    str,
    typer.Option(
        metavar="TARGET", help="A second verifier, never trained on. It shows whether training hacks the first one."
    ),
]
_Suspects = Annotated[
    str, typer.Option(metavar="hub|FILE", help="`hub` or a file, for samples that only the held-out verifier rejects.")
]

# Harness, engine, model, and where results go

_Harness = Annotated[
    str, typer.Option(metavar="TARGET", help="Drives the model, as for `verihub eval`.  [default: ask]")
]
_Engine = Annotated[
    str | None,
    typer.Option(metavar="own|vllm", help="What generates the samples (a vLLM server: --set engine_url=…)."),
]
_MODELS = "smollm2, tiny, a folder in transformers' format, or OWNER/NAME on the Hugging Face hub."
_Model = Annotated[str, typer.Option(help=_MODELS)]
_Recipe = Annotated[str, typer.Option(help="A bundled recipe (docs/reference/recipes.md), a TOML file, or OWNER/NAME.")]
_Output = Annotated[Path | None, typer.Option(help="The folder for all results.  [default: verihub-runs/RECIPE-N]")]


def train(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    targets: Annotated[list[str], typer.Argument(metavar="TARGET", help="Environments: packages or project folders.")],
    model: _Model = "smollm2",
    recipe: _Recipe = "dapo",
    harness: _Harness = "",
    steps: Annotated[int | None, typer.Option(help="Training steps.  [default: 20]")] = None,
    prompts_per_step: Annotated[int | None, typer.Option(help="Tasks a step.  [default: 8]")] = None,
    num_generations: Annotated[int | None, typer.Option(help="How many samples each task gets.  [default: 8]")] = None,
    max_completion_length: Annotated[int | None, typer.Option(help="Tokens a sample.  [default: 24]")] = None,
    temperature: Annotated[float | None, typer.Option(help="The temperature of sampling.  [default: 0.7]")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="The learning rate of AdamW.  [default: 2e-5]")] = None,
    eval_tasks: Annotated[int | None, typer.Option(help="Tasks judged before and after.  [default: 64]")] = None,
    held_out_verifier: _HeldOut = "",
    max_fpr: _MaxFpr = None,
    max_fnr: _MaxFnr = None,
    require_grade: _Grade = None,
    audit_report: _Reports = None,
    report_suspects: _Suspects = "",
    engine: _Engine = None,
    max_staleness: Annotated[
        int | None, typer.Option(help="1: sample the next step while this one is learnt from.  [default: 0]")
    ] = None,
    weight: Annotated[list[float] | None, typer.Option(help="How often each target is drawn; one per target.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed repeats the same run.  [default: 0]")] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cuda …  [default: auto]")] = None,
    run_name: Annotated[str, typer.Option(help="The run's name on the hub.")] = "",
    output: _Output = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint in --output.")] = False,
    report: Annotated[bool, typer.Option("--hub/--no-hub", help="Report to the hub as a run.")] = True,
    more: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any other setting, or KIND.PARAMETER of the recipe."),
    ] = None,
) -> None:
    """Train a model on environments with GRPO, and measure it on held-out tasks before and after.

    The samples are judged in the sandbox while others are still being generated. Everything is written to --output,
    and reported to the hub while it trains.

    \b
    Examples:
      verihub train lecture/plain-style --model smollm2 --recipe dapo --steps 10
      verihub train lecture/gsm8k --max-fpr 0.05 --require-grade B --recipe corrected
      verihub train lecture/wordle --harness lecture/single-turn --set max_turns=6
      verihub train lecture/plain-style --resume --output verihub-runs/dapo-1
    """
    given = {name: value for name, value in locals().items() if name not in ("weight", "report", "more")}
    given |= {
        "targets": tuple(targets),
        "target_weights": tuple(weight) if weight else None,
        "audit_report": tuple(audit_report) if audit_report else None,
        "require_grade": require_grade.upper() if require_grade else None,
    }
    from trainer_bridge.training_command import run  # noqa: PLC0415 -- brings the client, which --help does not need

    run({name: value for name, value in given.items() if value is not None}, more or [], report=report)


def replay(folder: Path, steps: int) -> None:
    """Run the first steps of the run in ``folder`` again and compare; behind ``verihub run replay``."""
    from trainer_bridge.training_command import run_again  # noqa: PLC0415 -- brings the client

    run_again(folder, steps)


def serve_model(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    model: Annotated[str, typer.Argument(help=_MODELS)],
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen.")] = 8644,
    slots: Annotated[int, typer.Option(min=1, help="Answers that are generated at the same time.")] = 64,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="The most tokens of an answer, where a request sets no limit.")
    ] = 1024,
    api_key: Annotated[
        str, typer.Option(envvar="VERIHUB_MODEL_KEY", help="The API key that requests must send.  [default: no key]")
    ] = "",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda …")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto, float32 or bfloat16.")] = "auto",
) -> None:
    """Serve a model of this machine as an OpenAI-compatible endpoint: /v1/chat/completions, with log-probabilities.

    \b
    Examples:
      verihub serve-model verihub-runs/dapo-1/model
      verihub eval lecture/starter-bench --model smollm2 --endpoint http://127.0.0.1:8644/v1
    """
    from trainer_bridge.serving.command import serve  # noqa: PLC0415 -- torch takes seconds; --help should not

    serve(
        model,
        host=host,
        port=port,
        slots=slots,
        max_tokens=max_tokens,
        api_key=api_key,
        device=device,
        dtype=dtype,
    )
