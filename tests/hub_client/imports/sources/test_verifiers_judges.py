"""Rubrics in which a model judges become verifiers that ask the model which the hub offers, by prompts that are pinned."""

import json

import pytest

from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.import_draft import import_draft
from hub_client.imports.registry import Request
from hub_client.imports.sources.verifiers import Verifiers
from hub_client.packaging.pack import pack
from schemas.verdict import Verdict
from tests.fakes.runner import FakeRunner

JUDGED = """
import os

import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion


def load_environment() -> vf.Environment:
    vf.ensure_keys(["OPENAI_API_KEY"])
    rows = Dataset.from_list([{"question": f"{n} {{response}}?", "answer": str(2 * n)} for n in range(60)])
    client = AsyncOpenAI(api_key=os.getenv("OPENAI_API_KEY"), base_url="https://models.example.org/v1")
    parser = vf.XMLParser(["answer"])
    rubric = vf.JudgeRubric(judge_client=client, judge_model="big-one", parser=parser)

    async def right(judge, prompt, completion, answer, state, **kwargs) -> float:
        said = await judge(prompt, completion, answer, state)
        return 1.0 if "yes" in said.lower() else 0.0

    async def polite(completion, **kwargs) -> float:
        return float("please" in completion[-1]["content"])

    rubric.add_reward_func(right, weight=1.0)
    rubric.add_reward_func(polite, weight=0.1)
    return vf.SingleTurnEnv(dataset=rows, parser=parser, rubric=rubric)
"""


@pytest.fixture
def complete(folder, run, cache):
    """The draft of an environment, and its code in this process."""

    def make(code: str):
        place = str(folder(code))
        first = Verifiers(Request(cache, place)).draft(place)
        draft = first.then(run(first)["describe"]("train", 0, 0)["info"])
        return draft, run(draft)

    return make


def answered(calls, said: list[str]):
    """What a verifier's generator returns when the model says these words; (name, values) of what it asked."""
    asked, answer = [], None
    while True:
        try:
            call = calls.send(answer)
        except StopIteration as end:
            return end.value, asked
        asked.append((call["complete"], call["values"]))
        answer = {"role": "assistant", "content": said[len(asked) - 1]}


def test_the_judges_prompt_is_pinned_and_its_values_are_handed_in(complete) -> None:
    draft, code = complete(JUDGED)
    prompt = draft.model["prompts"]["judge_1"]["user"]
    assert all(place in prompt for place in ("{question}", "{answer}", "{response}"))
    assert "calls" not in draft.model, "one call is the default"
    assert {name: reward["weight"] for name, reward in draft.rewards.items()} == {"right": 1.0, "polite": 0.1}
    assert draft.response == "<answer>{answer}</answer>", "with it the judge sees the answer"
    task = code["generate"]("test", 0, 0)
    found, asked = answered(code["verify"](task, "please <answer>7</answer>"), ["Yes."])
    assert found == {"right": 1.0, "polite": 1.0}
    question = task["prompt"][-1]["content"]
    assert asked == [("judge_1", {"question": question, "answer": task["answer"], "response": "7"})]
    assert "{response}" in question, "the place of another value, within a value, is text"
    assert answered(code["verify"](task, "7"), ["no"])[0] == {"right": 0.0, "polite": 0.0}
    assert "whichever one the environment names" in " ".join(draft.notes)


TWICE = JUDGED.replace(
    '        return 1.0 if "yes" in said.lower() else 0.0\n',
    "        again = await judge(prompt, [{'role': 'assistant', 'content': f'<answer>{said}</answer>'}], answer, state)\n"
    '        return 1.0 if "yes" in again.lower() else 0.0\n',
)


def test_a_question_that_follows_an_answer_is_asked_after_it(complete) -> None:
    draft, code = complete(TWICE)
    assert draft.model["calls"] == 2
    task = code["generate"]("test", 0, 0)
    found, asked = answered(code["verify"](task, "<answer>7</answer>"), ["perhaps", "yes"])
    assert found["right"] == 1.0
    assert [values["response"] for _, values in asked] == ["7", "perhaps"]


def test_equal_questions_of_two_functions_are_one(complete) -> None:
    draft, code = complete(JUDGED.replace("rubric.add_reward_func(polite", "rubric.add_reward_func(right"))
    assert list(draft.rewards) == ["right", "right_2"]
    found, asked = answered(code["verify"](code["generate"]("test", 0, 0), "7"), ["yes"])
    assert (found, len(asked)) == ({"right": 1.0, "right_2": 1.0}, 1)


def test_a_function_that_swallows_errors_gets_no_verdict_for_a_question_that_is_open(complete) -> None:
    """An unanswered question ends the verdict on the host: the generator is never told of it."""
    code = complete(JUDGED.replace("said = await judge(prompt, completion, answer, state)", SWALLOWING))[1]
    assert next(code["verify"](code["generate"]("test", 0, 0), "7"))["complete"] == "judge_1"


SWALLOWING = """try:
            said = await judge(prompt, completion, answer, state)
            if not said:
                raise ValueError
        except ValueError:
            return 1.0"""


REMEMBERING = """key = str(completion)
        if key not in SAID:
            SAID[key] = await judge(prompt, completion, answer, state)
        said = SAID[key]"""


def test_a_function_that_keeps_the_models_answers_keeps_no_answer_that_never_came(complete) -> None:
    remembering = JUDGED.replace("said = await judge(prompt, completion, answer, state)", REMEMBERING)
    code = complete(remembering.replace("def load_environment", "SAID = {}\n\n\ndef load_environment"))[1]
    found, asked = answered(code["verify"](code["generate"]("test", 0, 0), "<answer>7</answer>"), ["yes"])
    assert (found["right"], len(asked)) == (1.0, 1)


def test_an_answer_that_was_cut_off_is_no_verdict(complete) -> None:
    """What the model was about to say is not known, and the environment would take it for a no."""
    code = complete(JUDGED)[1]
    calls = code["verify"](code["generate"]("test", 0, 0), "<answer>7</answer>")
    next(calls)
    with pytest.raises(Exception, match="cut off at max_tokens: 'Let me think'"):
        calls.send({"role": "assistant", "content": "Let me think", "finish_reason": "length"})


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ('judge_model="big-one", judge_prompt="Is {reply} right?"', "its judge's prompt cannot be filled in"),
        (
            'judge_model="big-one", judge_prompt="Is it right?"',
            "it asks a model in a way that cannot be pinned.*no place",
        ),
    ],
)
def test_prompts_that_cannot_be_pinned_are_refused(complete, changed, reason) -> None:
    with pytest.raises(ImportRefusedError, match=reason):
        complete(JUDGED.replace('judge_model="big-one"', changed))


def test_without_a_model_the_import_is_refused_with_the_option_that_names_one(complete, hub, tmp_path) -> None:
    draft, _ = complete(JUDGED)
    hub._runner = FakeRunner(lambda _: Verdict(rewards={"right": 1.0, "polite": 0.0}), [])
    with pytest.raises(ImportRefusedError, match=r"asks a model to judge, and none is offered.*--judge-model"):
        import_draft(hub, draft, "alice/small", tmp_path / "small")
    assert not (tmp_path / "small").exists()


@pytest.mark.parametrize(("offered", "name"), [("local:smollm2", "smollm2"), ("http://127.0.0.1:9/v1#qwen", "qwen")])
def test_the_model_of_the_import_is_the_one_that_the_verifier_is_made_for(
    complete, hub, tmp_path, offered, name
) -> None:
    draft, code = complete(JUDGED)
    hub.settings = hub.settings.model_copy(update={"judge_model": offered})
    tasks = [json.loads(json.dumps(code["generate"]("test", 0, index))) for index in range(12)]
    hub._runner = FakeRunner(lambda _: Verdict(rewards={"right": 1.0, "polite": 0.0}), tasks)
    import_draft(hub, draft, "alice/small", tmp_path / "small")
    packed = pack(tmp_path / "small", hub.cache)
    needs = packed.contents.manifest.model
    assert (needs.name, needs.calls, list(needs.prompts)) == (name, 1, ["judge_1"])
    assert "made for the model that judged at the import" in packed.contents.readme
