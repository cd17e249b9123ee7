"""Two small environments of our own in the library's two interfaces, and what an environment may do that cannot come in."""

import json
import sys
import types
from importlib.machinery import PathFinder

import pytest

from hub_client.errors import NotFoundError, UsageError
from hub_client.imports.draft import ImportRefusedError, Needs
from hub_client.imports.import_draft import import_draft
from hub_client.imports.library import Library
from hub_client.imports.registry import Request
from hub_client.imports.source import code_of
from hub_client.imports.sources.verifiers import Verifiers
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.runner import FakeRunner
from tests.making.library import plain_wheel

CLASSIC = """
import verifiers as vf
from datasets import Dataset


def load_environment(count=60) -> vf.Environment:
    rows = Dataset.from_list([{"question": f"{n} + {n}?", "answer": str(2 * n), "info": '{"k": 1}'} for n in range(count)])
    parser = vf.XMLParser(["why", ("answer", "result")], answer_field="answer")

    def correct(parser, completion, answer, info, **kwargs) -> float:
        return float(parser.parse_answer(completion) == answer and info["k"] == 1)

    async def length(completion: vf.Messages, state: vf.State) -> int:
        return len(completion[-1].content) + 0 * len(state["prompt"])

    rubric = vf.Rubric(funcs=[correct, parser.get_format_reward_func()], weights=[1.0, 0.2], parser=parser)
    rubric.add_metric(length)
    return vf.SingleTurnEnv(dataset=rows, system_prompt="Write <result>", parser=parser, rubric=rubric)
"""
TASKSET = """
import verifiers.v1 as vf

__all__ = ["Reversed"]


class Data(vf.TaskData):
    answer: str


class Config(vf.TasksetConfig):
    count: int = 30


class Turned(vf.Task[Data]):
    @vf.stop
    async def once(self, trace: vf.Trace) -> bool:
        return trace.num_turns >= 1

    @vf.metric
    async def length(self, trace: vf.Trace) -> float:
        return len(trace.last_reply)

    @vf.reward(weight=2.0)
    async def same(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == self.data.answer)

    @vf.reward(weight=0.5)
    async def parts(self, task, trace) -> dict:
        return {"starts": float(trace.last_reply[:1] == task.answer[:1]), "as_long": trace.metrics["length"] == 5}


class Reversed(vf.Taskset[Turned, Config]):
    def load(self):
        for n in range(self.config.count):
            text = str(10000 + 37 * n)
            yield Turned(Data(idx=n, prompt=text, system_prompt="Turn it.", answer=text[::-1]), self.config.task)
"""


def test_the_rubrics_functions_are_rewards_with_its_weights_and_the_heaviest_decides(complete) -> None:
    draft, code = complete(CLASSIC)
    assert draft.rewards["correct"]["threshold"] == 1.0
    assert (draft.rewards["format_reward_func"]["weight"], draft.rewards["format_reward_func"]["threshold"]) == (0.2, 0)
    assert draft.rewards["length"]["role"] == "metric"
    assert draft.response == "<answer>{answer}</answer>", "found by trying, the bare answer is not accepted"
    task = code["generate"]("test", 0, 0)
    assert [message["role"] for message in task["prompt"]] == ["system", "user"]
    right = f"<answer>{task['answer']}</answer>"
    assert code["verify"](task, right) == pytest.approx(
        {"correct": 1.0, "format_reward_func": 0.4 / 2 + 0.2 + 0.2, "length": len(right)}
    )
    assert code["verify"](task, task["answer"])["correct"] == 0.0


def test_a_taskset_of_v1_comes_in_with_metrics_first_and_several_rewards_of_one_function(complete) -> None:
    draft, code = complete(TASKSET)
    assert {name: reward.get("weight") for name, reward in draft.rewards.items()} == {
        "length": None,
        "same": 2.0,
        "starts": 0.5,
        "as_long": 0.5,
    }
    assert draft.needs.dependencies == ["pydantic"], "which the box lacks otherwise"
    task = code["generate"]("train", 0, 3)
    assert task["prompt"][0] == {"role": "system", "content": "Turn it."}
    assert code["verify"](task, f" {task['answer']}\n") == {"length": 5.0, "same": 1.0, "starts": 1.0, "as_long": 1.0}
    assert code["verify"](task, "")["same"] == 0.0


def test_no_prompt_is_in_test_and_train_and_train_begins_again_in_another_order(complete) -> None:
    _, code = complete(CLASSIC)
    prompts = {
        split: [code["generate"](split, 0, index)["prompt"][1]["content"] for index in range(200)]
        for split in ("train", "test")
    }
    assert not set(prompts["train"]) & set(prompts["test"])
    length = len(set(prompts["train"]))
    assert length + len(set(prompts["test"])) == 60
    again = prompts["train"][length : 2 * length]
    assert sorted(again) == sorted(prompts["train"][:length])
    assert again != prompts["train"][:length]


def test_rows_of_a_hub_are_read_from_the_folder(complete) -> None:
    code = CLASSIC.replace(
        "Dataset.from_list([", "__import__('datasets').load_dataset('them/rows', split='train') or ([", 1
    )
    with pytest.raises(ImportRefusedError, match=r"them/rows from a hub.*rows/them/rows/train.jsonl"):
        complete(code)
    rows = "".join(json.dumps({"question": f"q{n}", "answer": f"a{n}", "info": {"k": 1}}) + "\n" for n in range(20))
    draft, _ = complete(code, rows={"rows/them/rows/train.jsonl": rows})
    assert "It has 20 tasks" in draft.notes[2]


GROUP = CLASSIC.replace("def correct(parser, completion,", "def correct(parser, completions,")
OWN_CLIENT = CLASSIC.replace(
    "rubric.add_metric(length)", "__import__('openai').AsyncOpenAI(api_key='x').chat.completions.create()"
)
OWN = CLASSIC.replace("return vf.SingleTurnEnv(", "class Mine(vf.SingleTurnEnv):\n        pass\n\n    return Mine(")
BARE = "import verifiers as vf\n\n\nasync def load():\n    pass\n"
CLIENT = CLASSIC.replace("rubric.add_metric(length)", "vf.OpenAIChatCompletionsClient()")
RUNTIME = TASKSET.replace("async def same(self, trace: vf.Trace)", "async def same(self, trace, runtime)")
SETUP = TASKSET.replace("    @vf.stop\n", "    async def setup(self, runtime):\n        pass\n\n    @vf.stop\n")
OPENED = TASKSET.replace("prompt=text,", "prompt=None,")
TOOLS = TASKSET.replace(
    "    @vf.stop\n", "    @classmethod\n    def toolsets(cls, config):\n        return [1]\n\n    @vf.stop\n"
)
PLAYED = TASKSET.replace('["Reversed"]', '["Reversed", "Mine"]') + "\n\nclass Mine(vf.SingleAgentEnv):\n    pass\n"
TRACE = TASKSET.replace("len(trace.last_reply)", "trace.num_output_tokens")
NEGATIVE = CLASSIC.replace("[1.0, 0.2]", "[-1.0, -0.2]")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (GROUP, "correct compares all answers to a task"),
        (OWN_CLIENT, "it asks a model by a client of its own"),
        (OWN, "load_environment gives Mine, not a SingleTurnEnv"),
        (BARE, "no load_environment"),
        (CLIENT, "OpenAIChatCompletionsClient of verifiers: the importer does not carry it"),
        (RUNTIME, "Turned.same runs something in a runtime"),
        (SETUP, "Turned.setup prepares a runtime"),
        (OPENED, "Turned has no prompt"),
        (TOOLS, "Turned gives the model tools"),
        (PLAYED, "Mine runs its episodes in a way of its own"),
        (TRACE, "trace.num_output_tokens"),
        (f"import verifiers.v1.tasksets.games\n{CLASSIC}", r"it imports verifiers\.v1\.tasksets\.games: the importer"),
        (NEGATIVE, "none of its rewards has a positive weight"),
        (CLASSIC.replace("count=60", "count=0"), "it has no tasks"),
    ],
)
def test_what_cannot_come_in_is_refused_by_name(complete, code, reason) -> None:
    with pytest.raises(ImportRefusedError, match=reason):
        complete(code)


_LOADED = "import verifiers as vf\n\n\ndef load_environment():\n    return "
_SUBCLASS = "\n\n__all__ = ['Mine']\n\n\nclass Mine({}):\n    pass\n"


@pytest.mark.parametrize(
    ("code", "command"),
    [
        (_LOADED + "vf.TextArenaEnv(game='Wordle-v0', num_eval_examples=5)", "textarena:Wordle-v0"),
        (_LOADED + "type('Mine', (vf.TextArenaEnv,), {})('Hangman-v0')", "textarena:Hangman-v0"),
        (_LOADED + "vf.ReasoningGymEnv(gym='arc_1d')", "reasoning-gym:arc_1d"),
        (_LOADED + "vf.ReasoningGymEnv(['arc_1d', 'gcd'])", "reasoning-gym:NAME"),
        (_LOADED + "vf.ReasoningGymEnv(gym='x`; rm -rf /')", "reasoning-gym:NAME"),
        (_LOADED + "vf.OpenEnvEnv('/home/me/echo')", "openenv:FOLDER"),
        (_LOADED + "vf.HarborEnv('/home/me/tasks')", "harbor:FOLDER"),
        (f"from verifiers.envs.integrations.textarena_env import TextArenaEnv\n{CLASSIC}", "textarena:GAME"),
        (f"from verifiers.envs.integrations.reasoninggym_env import ReasoningGymEnv\n{CLASSIC}", "reasoning-gym:NAME"),
        (f"from verifiers.v1.tasksets.textarena import TextArenaTaskset\n{TASKSET}", "textarena:GAME"),
        (f"from verifiers.v1.tasksets.openenv import OpenEnvTaskset\n{TASKSET}", "openenv:FOLDER"),
        (f"from verifiers.v1.tasksets.nemo_gym import NeMoGymTaskset\n{TASKSET}", "nemo-gym:SERVER --rows ROWS"),
        (f"from verifiers.v1.tasksets.harbor import HarborTaskset\n{TASKSET}", "harbor:FOLDER"),
        ("import verifiers.v1 as vf" + _SUBCLASS.format("vf.HarborTaskset"), "harbor:FOLDER"),
        ("from verifiers.v1.tasksets import OpenEnvTaskset" + _SUBCLASS.format("OpenEnvTaskset"), "openenv:FOLDER"),
    ],
)
def test_a_bridge_to_a_library_is_refused_with_the_command_that_takes_the_library(complete, code, command) -> None:
    with pytest.raises(ImportRefusedError) as refused:
        complete(code)
    assert f"`verihub import {command}` takes that without it" in str(refused.value)


def test_a_bridge_that_is_named_and_not_used_refuses_nothing(complete) -> None:
    draft, _ = complete(CLASSIC.replace("import verifiers as vf", "import verifiers as vf\nOther = vf.TextArenaEnv"))
    assert "correct" in draft.rewards


def test_a_reward_function_that_raises_is_no_0(complete) -> None:
    draft, code = complete(
        CLASSIC.replace("return float(parser", "int(completion[-1]['content'][8:9] or 1)\n        return float(parser")
    )
    task = code["generate"]("test", 0, 0)
    with pytest.raises(ValueError, match="invalid literal"):
        code["verify"](task, "I do not know")
    assert "gives no verdict" in draft.notes[0]


@pytest.mark.parametrize(
    "changed",
    [
        {"rewards": {}},
        {"rewards": {"Correct!": [1, 0, 1]}},
        {"rewards": {"correct": [float("nan"), 0, 1]}},
        {"rewards": {"correct": [1.0]}},
        {"form": "`{answer}` [here](x)"},
        {"form": "always right"},
        {"tasks": "many\n# of them"},
    ],
)
def test_what_a_strangers_code_tells_of_itself_is_not_taken_on_trust(cache, folder, changed) -> None:
    place = str(folder(CLASSIC))
    told = {"rewards": {"correct": [1, 0, 1]}, "form": "{answer}", "tasks": 3}
    then = Verifiers(Request(cache, place)).draft(place).then
    assert then
    assert then(told).response == "{answer}"
    with pytest.raises(ImportRefusedError, match="what its code reported cannot be read"):
        then({**told, **changed})


def test_a_file_of_the_folder_hides_nothing_of_pythons_own(complete) -> None:
    draft, _ = complete(CLASSIC, rows={"difflib.py": "raise SystemExit", "fractions.py": "raise SystemExit"})
    assert "environment/difflib.py" in draft.files
    for name in ("difflib", "fractions"):
        found = PathFinder.find_spec(name)
        assert found
        assert "environment" not in str(found.origin)


def test_functions_of_one_name_or_of_none_are_told_apart(complete) -> None:
    same = CLASSIC.replace("funcs=[correct,", "funcs=[correct, lambda größe='': 0.5, lambda: 0.25,").replace(
        "weights=[1.0, 0.2]", "weights=[1.0, 0.1, 0.1, 0.2]"
    )
    draft, code = complete(same)
    assert list(draft.rewards) == ["correct", "lambda", "lambda_2", "format_reward_func", "length"]
    found = code["verify"](code["generate"]("test", 0, 0), "")
    assert (found["lambda"], found["lambda_2"]) == (0.5, 0.25)


def test_a_folder_is_copied_without_what_is_hidden_and_no_link_leads_out_of_it(folder, cache, tmp_path) -> None:
    place = folder(CLASSIC, rows={".env": "KEY=1", "tests/test_x.py": "", "rows/a/b/train.jsonl": "{}\n"})
    (tmp_path / "secret").write_text("KEY=2")
    (place / "data.txt").symlink_to(tmp_path / "secret")
    draft = Verifiers(Request(cache, str(place))).draft(str(place))
    names = {path.removeprefix("environment/") for path in draft.files if path.startswith("environment/")}
    assert names == {"pyproject.toml", f"{place.name.replace('-', '_')}.py", "rows/a/b/train.jsonl"}
    before = draft.provenance.version
    (place / "rows/a/b/train.jsonl").write_text("{ }\n")
    assert Verifiers(Request(cache, str(place))).draft(str(place)).provenance.version != before, "--update sees it"


def test_what_is_no_environment_or_has_no_licence_is_said(folder, cache, tmp_path) -> None:
    with pytest.raises(UsageError, match="name a package or a folder"):
        Verifiers(Request(cache)).items()
    with pytest.raises(NotFoundError, match="is no folder"):
        Verifiers(Request(cache, "gone/away")).items()
    place = folder(CLASSIC)
    (place / "pyproject.toml").write_text('[project]\nname = "other"\n')
    with pytest.raises(UsageError, match="--licence"):
        Verifiers(Request(cache, str(place))).draft("x")
    with pytest.raises(NotFoundError, match="has no module other"):
        Verifiers(Request(cache, str(place), licence="MIT")).draft("x")


def test_a_package_of_the_index_is_a_dependency_without_the_libraries(cache, monkeypatch) -> None:
    kept = {}
    monkeypatch.setattr(
        Library,
        "needs_without",
        lambda self, left_out, also: kept.update(left_out=left_out, also=also) or Needs([f"{self.name}==1"]),
    )
    monkeypatch.setattr(Library, "__init__", lambda self, name, *_: self.__dict__.update(name=name, version="1"))
    monkeypatch.setattr(Library, "files", {"small_sums.py": CLASSIC.encode(), "x.dist-info/METADATA": b"Name: x\n"})
    draft = Verifiers(Request(cache, "small-sums", licence="MIT")).draft("small-sums")
    assert draft.needs.dependencies == ["small-sums==1"]
    assert kept == {"left_out": ["verifiers", "datasets", "openai"], "also": []}
    assert not any(path.startswith("environment/") for path in draft.files), "nothing of it is copied"
    with pytest.raises(ImportRefusedError, match="has no module other"):
        Verifiers(Request(cache, "other", licence="MIT")).draft("other")


def test_the_first_draft_is_asked_in_a_box_before_anything_is_written(cache, folder, hub, tmp_path) -> None:
    place = str(folder(CLASSIC))
    told = {"refused": "it plays several turns"}
    row = {"id": "description", "prompt": "description", "answer": None, "info": told}
    hub._runner = FakeRunner(lambda _: Verdict.unjudged(["score"], ErrorKind.HOST, ""), [row])
    with pytest.raises(ImportRefusedError, match="it plays several turns"):
        import_draft(hub, Verifiers(Request(cache, place)).draft(place), "alice/small", tmp_path / "small")
    assert not (tmp_path / "small").exists()


_PARSED = [
    ("7", None, None, 0.2, "", 0.0, "7", "", "7"),
    ("<think>a</think> 7", None, None, 0.2, "7", 1.0, "7", "", "<think>a</think> 7"),
    ("<think>a</think>", None, None, 0.2, "", 0.0, "", "", "<think>a</think>"),
    ("</think>7</think>8", None, None, 0.2, "8", 0.0, "8", "", "</think>7</think>8"),
    ("<answer> 7 </answer>", "7", "7", 0.6, "", 0.0, "<answer> 7 </answer>", "", "<answer> 7 </answer>"),
    (
        "<why>x</why>\n<answer>7</answer>",
        "7",
        "7",
        1.0,
        "",
        0.0,
        "<why>x</why>\n<answer>7</answer>",
        "",
        "<why>x</why>\n<answer>7</answer>",
    ),
    (
        "<why>x</why><code>1</code><answer>7</answer>",
        "7",
        "7",
        1.0,
        "",
        0.0,
        "<why>x</why><code>1</code><answer>7</answer>",
        "",
        "<why>x</why><code>1</code><answer>7</answer>",
    ),
    (
        "<answer>1</answer><answer>7</answer>",
        "1",
        "7",
        0.6,
        "",
        0.0,
        "<answer>1</answer><answer>7</answer>",
        "",
        "<answer>1</answer><answer>7</answer>",
    ),
    ("<answer>7", None, None, 0.2, "", 0.0, "<answer>7", "", "<answer>7"),
    (
        "\\boxed{1} \\boxed{\\frac{1}{2}}",
        None,
        None,
        0.2,
        "",
        0.0,
        "\\boxed{1} \\boxed{\\frac{1}{2}}",
        "\\frac{1}{2}",
        "\\boxed{1} \\boxed{\\frac{1}{2}}",
    ),
    ("\\boxed{7", None, None, 0.2, "", 0.0, "\\boxed{7", "", "\\boxed{7"),
    ("a #### 7 #### 8", None, None, 0.2, "", 0.0, "a #### 7 #### 8", "", "7"),
]
"""Text, then what the library itself makes of it (measured with the last version that had these parsers)."""


@pytest.mark.parametrize("measured", _PARSED, ids=lambda entry: entry[0])
def test_parsers_say_what_those_of_the_library_say(monkeypatch, measured) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "verifiers"]:
        monkeypatch.delitem(sys.modules, name)  # each is there again afterwards
    stand_in = types.ModuleType("verifiers")
    monkeypatch.setitem(sys.modules, "verifiers", stand_in)
    exec(code_of("verifiers_classic"), vars(stand_in))
    for name in [name for name in sys.modules if name.startswith("verifiers.")]:
        monkeypatch.delitem(sys.modules, name)
    text = measured[0]
    said = [{"role": "assistant", "content": text}]
    fields = stand_in.XMLParser(["why", ("code", "answer")], answer_field="answer")
    think, maybe = stand_in.ThinkParser(stand_in.extract_boxed_answer), stand_in.MaybeThinkParser()
    found = (
        *(fields.parse_answer(said), fields.parse_answer(text), round(fields.get_format_reward_func()(said), 2)),
        *(think.parse_answer(said), think.get_format_reward_func()(said), maybe.parse_answer(said)),
        *(stand_in.extract_boxed_answer(text, strict=True), stand_in.extract_hash_answer(text)),
    )
    assert found == measured[1:]


def test_rows_are_shaped_without_the_library_that_holds_data_sets(complete) -> None:
    _, code = complete(CLASSIC)
    code["generate"]("train", 0, 0)
    rows = sys.modules["datasets"].Dataset.from_dict({"n": [3, 1, 2], "text": ["c", "a", "b"]})
    assert rows.sort("n")["text"] == ["a", "b", "c"]
    assert rows.map(
        lambda row, index: {"n": row["n"] * index}, with_indices=True, remove_columns=["text"]
    ).to_list() == [
        {"n": 0},
        {"n": 1},
        {"n": 4},
    ]
    assert len(rows.filter(lambda row: row["n"] > 1)) == 2
    parts = rows.train_test_split(test_size=1, seed=3)
    assert sorted(parts["train"]["n"] + parts["test"]["n"]) == [1, 2, 3]
    assert rows.rename_column("n", "m").select([0])[0] == {"m": 3, "text": "c"}
    with pytest.raises(code["vf"].NotCarriedError, match=r"split train of \.\./\.\./secret from a hub"):
        sys.modules["datasets"].load_dataset("../../secret", split="train")


def test_a_wheel_is_read_as_a_folder_and_says_itself_what_it_needs(cache, tmp_path, monkeypatch, run) -> None:
    locked = []
    monkeypatch.setattr(
        "hub_client.imports.packages.lock_dependencies", lambda names, *_, **_options: locked.extend(names) or []
    )
    needs = ("verifiers>=0.1", "requests", "torch; extra == 'gpu'", "tomli; python_version < '3.0'")
    code = (
        CLASSIC.replace("vf.Rubric(", "vf.MathRubric(")
        .replace("count=60", "count=60, times=2")
        .replace("2 * n", "times * n")
    )
    place = tmp_path / "small_sums-1.5-py3-none-any.whl"
    place.write_bytes(plain_wheel("small-sums", "1.5", {"small_sums.py": code}, needs))
    request = Request(cache, str(place), arguments={"times": 3})
    draft = Verifiers(request).draft(str(place))
    assert locked == ["requests", "math-verify"]
    assert (draft.provenance.licence, draft.provenance.arguments) == ("Apache-2.0", {"times": 3})
    assert draft.provenance.version.startswith("1.5+sha256.")
    assert [path for path in draft.files if path.startswith("environment/")] == ["environment/small_sums.py"]
    names = run(draft)
    assert names["_rows"]("train")[0][1] in {str(3 * n) for n in range(60)}


@pytest.mark.parametrize("path", ["../out.py", "/etc/out.py"])
def test_a_wheel_with_files_outside_of_itself_or_none_is_refused(cache, tmp_path, path) -> None:
    place = tmp_path / "x-1-py3-none-any.whl"
    place.write_bytes(plain_wheel("x", "1", {path: ""}))
    with pytest.raises(UsageError, match="outside of the project"):
        Verifiers(Request(cache, str(place))).items()
    place.write_bytes(b"no wheel")
    with pytest.raises(UsageError, match="cannot be read as a wheel"):
        Verifiers(Request(cache, str(place))).items()
