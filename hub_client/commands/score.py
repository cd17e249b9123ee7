"""``verihub score``: one verdict."""

import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.judge_model import JudgeModelOption, refuse_without_model
from hub_client.environments import Environment, Verifier
from hub_client.errors import NotFoundError, UsageError
from schemas.kinds import PackageKind
from schemas.verdict import ScoreRequest, Verdict

_NUMBER = re.compile(r"[0-9]{1,18}")


def score(  # noqa: PLR0917 -- a command's options, always given by name
    target: Annotated[
        str,
        typer.Argument(metavar="FOLDER|OWNER/NAME[@VERSION]", help="A project folder (./x) or a package of the hub."),
    ],
    task: Annotated[str, typer.Option(metavar="JSON|@FILE|ID", help="The task, or the id of one of the package's.")],
    response: Annotated[str | None, typer.Option(help="What the model said; - reads it from stdin.")] = None,
    messages: Annotated[
        str | None, typer.Option(metavar="JSON|@FILE", help="A conversation, in place of --response.")
    ] = None,
    state: Annotated[str | None, typer.Option(metavar="JSON|@FILE", help="The state in which a session ended.")] = None,
    file: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A file that the model wrote; may be repeated.")
    ] = None,
    judge_model: JudgeModelOption = None,
) -> None:
    """Judge one response and print the verdict: the reward vector, or why it could not be judged.

    \b
    Examples:
      verihub score lecture/gsm8k --task test-0 --response '#### 18'
      verihub score ./final-number --task '{"answer": 42}' --response -  < answer.txt
      verihub score ./maze --task low --state @state.json
    """
    with open_context(judge_model=judge_model) as context:
        verifier, row = load_with_task(context, target, task)
        refuse_without_model(context, verifier)
        request = ScoreRequest(
            id="0",
            task=row,
            response=read_text(response),
            messages=read_json(messages, "--messages", list),
            state=read_json(state, "--state", dict),
            files=_read_files(file) if file else None,
        )
        if request.response is None and request.messages is None and request.state is None and request.files is None:
            raise UsageError("nothing to judge: give --response, --messages, --state or --file")
        verdict = verifier.score_call(request)
        context.output.result(verdict, human=verdict_text(verdict, verifier), quiet=_quiet(verdict))


def load_with_task(context: CommandContext, target: str, task: str) -> tuple[Verifier, dict[str, Any]]:
    """The verifier of ``target``, and ``task`` as JSON, file or id of a stored task."""
    text = task.strip()
    if text.startswith(("{", "@")):
        row = read_json(text, "--task", dict)
        assert row is not None
        return context.hub.verifier(target), {"id": "given", **row}
    package = context.hub.load(target)
    if package.contents.manifest.kind is PackageKind.VERIFIER and not package.contents.manifest.tasks:
        whole = '--task \'{"prompt": "…", "answer": …}\''
        raise NotFoundError(
            f"{package.reference} is a verifier without tasks, so {text!r} names none: give the whole task: {whole}"
        )
    environment = context.hub.environment_of(package)
    found = environment.find_task(text) or _generated(environment, text)
    if found is None:
        raise NotFoundError(
            f"{environment.package.reference} has no task {text!r}: give an id that `verihub tasks {target}` lists, or "
            "the task as JSON"
        )
    return environment, found


def _generated(environment: Environment, task_id: str) -> dict[str, Any] | None:
    """A generated task by its id ``SPLIT-SEED-INDEX``."""
    split, _, rest = task_id.partition("-")
    seed, _, index = rest.partition("-")
    if split not in environment.manifest.generated_splits or not (_NUMBER.fullmatch(seed) and _NUMBER.fullmatch(index)):
        return None
    return next(iter(environment.tasks(split, seed=int(seed), start=int(index), limit=1)), None)


def _read_files(paths: list[Path]) -> dict[str, str]:
    """The files' text by name, without folders: two of one name would silently become one."""
    found: dict[str, str] = {}
    for path in paths:
        if path.name in found:
            raise UsageError(f"--file: two files are called {path.name}, and the verifier sees names without folders")
        found[path.name] = _read_file(path)
    return found


def _read_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--file: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--file: {path} is not UTF-8 text") from None


def read_text(value: str | None) -> str | None:
    """The text itself; ``-`` reads stdin."""
    return sys.stdin.read() if value == "-" else value


def read_json(value: str | None, option: str, kind: type) -> Any:
    """JSON of the wanted kind, from the argument or from ``@FILE``."""
    if value is None:
        return None
    try:
        text = Path(value[1:]).read_text(encoding="utf-8") if value.startswith("@") else value
        data = json.loads(text)
    except OSError as error:
        raise UsageError(f"{option}: {value[1:]} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{option} is not JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"{option} is JSON nested too deeply to be read") from None
    if not isinstance(data, kind):
        raise UsageError(f"{option} must be a JSON {'object' if kind is dict else 'array'}")
    return data


def verdict_text(verdict: Verdict, verifier: Verifier) -> str:
    """One line a reward, then the sum or the reason."""
    width = max((len(name) for name in verdict.rewards), default=0)
    lines = [
        f"  {name:<{width}}  {'not judged' if value is None else f'{value:g}'}"
        for name, value in verdict.rewards.items()
    ]
    accepted = {True: "accepted", False: "rejected", None: "not judged"}[verdict.accepts(verifier.rewards)]
    total = verdict.weighted_sum(verifier.rewards)
    lines.insert(0, accepted + ("" if total is None else f", sum {total:g}"))
    if verdict.error is not None:
        lines.append(f"{verdict.error.kind}: {verdict.error.message}".rstrip())
    lines += [f"asked {one.model} ({one.prompt}): {' '.join(one.answer.split())!r:.200}" for one in verdict.asked]
    return "\n".join(lines)


def _quiet(verdict: Verdict) -> str:
    return " ".join(f"{name}={'null' if value is None else f'{value:g}'}" for name, value in verdict.rewards.items())
