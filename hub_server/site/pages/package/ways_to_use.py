"""How a reader uses a package: programs and commands that run as they stand, with the version pinned. Pure."""

from dataclasses import dataclass
from typing import Literal

from schemas.kinds import PackageKind
from schemas.package import Release, ReleaseState
from schemas.suite import SuiteFamily

_ENDPOINT = "--model NAME --endpoint http://localhost:8000/v1"

_SCORE = """\
from hub_client import Hub

with Hub() as hub:
    env = hub.environment("{target}")
    tasks = list(env.tasks("{split}", limit=8))
    table = env.score([(task, "a response") for task in tasks])
print(table.names, table.values)   # NaN: could not be judged
"""

_SESSION = """\
import asyncio

from hub_client import Hub


async def play(hub: Hub) -> None:
    env = hub.environment("{target}")
    task = next(iter(env.tasks("{split}", limit=1)))
    async with env.session(task, seed=0) as session:
        print(await session.reset())
        print(await session.step({{"role": "assistant", "content": "a message"}}))


with Hub() as hub:
    asyncio.run(play(hub))
"""

_JUDGE = """\
from hub_client import Hub

task = {{"id": "mine", "prompt": "What is 5 + 7?", "answer": "12"}}
with Hub() as hub:
    verifier = hub.verifier("{target}")
    table = verifier.score([(task, "12"), (task, "13")])
print(table.names, table.values)   # NaN: could not be judged
"""

_JUDGE_STATE = """\
from hub_client import Hub
from schemas.verdict import ScoreRequest

letters = {{"letters": [{{"id": 1, "posted": True}}]}}
request = ScoreRequest(
    id="mine",
    task={{"id": "mine", "prompt": "Mark the letter as posted.", "answer": letters}},
    state={{"tables": letters}},
)
with Hub() as hub:
    print(hub.verifier("{target}").score_call(request))   # None: could not be judged
"""

_SUM = """--task '{"prompt": "What is 5 + 7?", "answer": "12"}' --response 12"""
_STATE = (
    """--task '{"prompt": "Mark the letter as posted.", "answer": {"letters": [{"id": 1, "posted": true}]}}' """
    """--state '{"tables": {"letters": [{"id": 1, "posted": true}]}}'"""
)

_TRL = """\
from datasets import Dataset
from hub_client import Hub
from hub_client.adapters.trl import dataset_rows, reward_functions, reward_weights
from trl import GRPOConfig, GRPOTrainer

env = Hub().environment("{target}")
GRPOTrainer(
    model="MODEL",
    reward_funcs=reward_functions(env),
    train_dataset=Dataset.from_list(dataset_rows(env, "{split}", limit=2000)),
    args=GRPOConfig(reward_weights=reward_weights(env)),   # without a GPU also: use_cpu=True, bf16=False
).train()
"""

_TRL_SESSION = """\
from datasets import Dataset
from hub_client import Hub
from hub_client.adapters.trl import reward_weights
from hub_client.adapters.trl_sessions import environment_factory, reward_functions, session_rows
from trl import GRPOConfig, GRPOTrainer

env = Hub().environment("{target}")
GRPOTrainer(
    model="MODEL",
    environment_factory=environment_factory(env),
    reward_funcs=reward_functions(env),
    train_dataset=Dataset.from_list(session_rows(env, "{split}", limit=2000)),
    args=GRPOConfig(reward_weights=reward_weights(env)),   # without a GPU also: use_cpu=True, bf16=False
).train()
"""

_VERL = """\
from datasets import Dataset
from hub_client import Hub
from hub_client.adapters.verl import dataset_rows

with Hub() as hub:
    env = hub.environment("{target}")
    Dataset.from_list(dataset_rows(env, "{split}", limit=2000)).to_parquet("train.parquet")
"""

_FIRST_TRY = (
    "verihub train {target} --model smollm2 --recipe grpo --steps 2 --prompts-per-step 2 --num-generations 4 "
    "--eval-tasks 8"
)
"""One to two minutes of CPU time: it shows that everything works. 10 steps of 64 samples are no first command there."""

_INSPECT = "inspect eval hub_client/environment -T target={target} -T split={split} -T limit=50 --model MODEL"


@dataclass(frozen=True)
class Way:
    """One way to use a package. ``guide`` is the document that says more."""

    title: str
    code: str
    guide: str
    language: Literal["shell", "python", "toml"] = "shell"
    """Of ``code``; a shell's is one command."""


def ways_to_use(release: Release) -> list[Way]:
    """The ways that fit the release's kind; none where it may not run, or where there is nothing to call."""
    if release.state is ReleaseState.QUARANTINED:
        return []
    target = f"{release.manifest.id}@{release.version}"
    match release.manifest.kind:
        case PackageKind.ENVIRONMENT:
            return _of_environment(release, target)
        case PackageKind.VERIFIER:
            return _of_verifier(release, target)
        case PackageKind.HARNESS:
            return [Way("Evaluate", f"verihub eval ENVIRONMENT --harness {target} {_ENDPOINT}", "how_to/evaluate")]
        case PackageKind.BENCHMARK:
            return [Way("Evaluate", f"verihub eval {target} {_ENDPOINT}", "how_to/evaluate")]
        case PackageKind.TOOL:
            return [Way("Give it to a model", f"verihub mcp {target}", "how_to/tools")]
        case PackageKind.RECIPE:
            command = f"verihub train ENVIRONMENT --recipe {target} --model smollm2 --steps 10"
            return [Way("Train with it", command, "how_to/train")]
        case PackageKind.SUITE:
            line, command = f"[judges.{release.manifest.family}]", f"verihub audit FOLDER --suite {target}"
            return [
                Way("Be measured on it: in your verihub.toml", line, "explanation/audit", language="toml"),
                Way("See how a verifier stands on it", command, "how_to/write_a_suite"),
            ]


def _of_environment(release: Release, target: str) -> list[Way]:
    splits = list(release.task_counts)
    if not splits:
        return []
    train = "train" if "train" in splits else splits[0]
    test = "test" if "test" in splits else splits[0]
    evaluate = Way("Evaluate", f"verihub eval {target} --split {test} {_ENDPOINT}", "how_to/evaluate")
    other = "" if train == "train" else f" --set train_split={train}"
    turns = " --set max_turns=3" if release.manifest.session is not None else ""
    first = Way(
        "Try to train here: minutes on a CPU", f"{_FIRST_TRY.format(target=target)}{turns}{other}", "how_to/train"
    )
    here = Way("Train here", f"verihub train {target} --model smollm2 --recipe dapo --steps 10{other}", "how_to/train")
    folder = f"{release.manifest.import_name}_v1"  # as the package in it: verifiers finds it by that name
    others = [
        Way("Train with verifiers or prime-rl", f"verihub export {target} {folder}", "how_to/verifiers"),
        Way("Serve it to OpenEnv", f"verihub openenv {target} --port 8000", "how_to/openenv"),
        Way("Evaluate with Inspect", _INSPECT.format(target=target, split=test), "how_to/inspect"),
    ]
    if release.manifest.session is not None:  # verl's adapter takes no sessions
        play = Way("Python", _SESSION.format(target=target, split=train), "reference/python", language="python")
        trl = Way("Train with TRL", _TRL_SESSION.format(target=target, split=train), "how_to/trl", language="python")
        return [play, evaluate, first, here, trl, *others]
    return [
        Way("Python", _SCORE.format(target=target, split=train), "reference/python", language="python"),
        evaluate,
        first,
        here,
        Way("Train with TRL", _TRL.format(target=target, split=train), "how_to/trl", language="python"),
        Way("Train with verl: its rows", _VERL.format(target=target, split=train), "how_to/verl", language="python"),
        *others,
    ]


def _of_verifier(release: Release, target: str) -> list[Way]:
    """Lines that its rewards can be judged by: of a state where it judges only those."""
    if list(release.manifest.judges) == [SuiteFamily.STATE]:
        code, title, judged = _JUDGE_STATE, "Judge one state", _STATE
    else:
        code, title, judged = _JUDGE, "Judge one response", _SUM
    return [
        Way("Python", code.format(target=target), "reference/python", language="python"),
        Way(title, f"verihub score {target} {judged}", "reference/commands"),
    ]
