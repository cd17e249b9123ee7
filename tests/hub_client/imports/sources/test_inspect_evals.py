"""The source alone, and, where Inspect is installed (scripts/test_adapters inspect), small evaluations of our own under its real solvers and scorers."""

import importlib.util

import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.project import read_recorded, write_project
from hub_client.imports.registry import Request
from hub_client.imports.sources import inspect_evals as source
from hub_client.imports.sources.inspect_evals import InspectEvals
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

SUMS = '''
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample, hf_dataset
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, choice, match, mean, model_graded_qa, scorer
from inspect_ai.solver import generate, multiple_choice, prompt_template, solver, system_message, use_tools
from inspect_ai.tool import tool
from inspect_ai.util import sandbox


def _samples():
    return MemoryDataset([Sample(input=f"{n} + {n}?", target=str(2 * n), id=n) for n in range(9)])


@task
def sums(hint: str = "none"):
    """Sums of two numbers.

    More.
    """
    return Task(dataset=_samples(), solver=[system_message(f"Add. Hint: {hint}"), prompt_template("So: {prompt}"), generate()], scorer=match(numeric=True))


@task
def rows():
    dataset = hf_dataset(path="us/sums", split="test", sample_fields=lambda row: Sample(input=row["q"], target=row["a"]))
    return Task(dataset=dataset, solver=generate(), scorer=match())


@task
def chosen():
    dataset = MemoryDataset([Sample(input="Even?", choices=["1", "2"], target="B"), Sample(input="Odd?", choices=["1", "2"], target="A")])
    return Task(dataset=dataset, solver=multiple_choice(), scorer=choice())


@scorer(metrics={"a": [mean()], "b": [mean()]})
def two():
    async def score(state, target):
        return Score(value={"a": "C" if state.output.completion == target.text else "I", "b": float(len(state.output.completion))})

    return score


@task
def several():
    return Task(dataset=_samples(), solver=generate(), scorer=two())


@task
def judged():
    return Task(dataset=_samples(), solver=generate(), scorer=model_graded_qa())


@scorer(metrics=[accuracy()])
def careless():
    async def score(state, target):
        try:
            await get_model().generate("Is it right?")
        except Exception:
            pass
        return Score(value="C")

    return score


@task
def rubric():
    samples = [Sample(input=f"{n}?", target=str(n), id=n, metadata={"rubric": f"says {n}"}) for n in range(9)]
    scored = model_graded_qa(template="{question} by {rubric}: {answer}", instructions="x", grade_pattern="(C|I)", model="other/model")
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=scored)


@scorer(metrics=[accuracy()])
def personal():
    async def score(state, target):
        await get_model().generate(f"Task {state.sample_id}: is {state.output.completion} right?")
        return Score(value="C")

    return score


@task
def own_words():
    return Task(dataset=_samples(), solver=generate(), scorer=personal())


@solver
def asks():
    async def solve(state, generate):
        await get_model().generate("Help me")
        return await generate(state)

    return solve


@task
def asking_solver():
    return Task(dataset=_samples(), solver=asks(), scorer=match())


@task
def hidden_judge():
    return Task(dataset=_samples(), solver=generate(), scorer=careless())


@task
def twice():
    return Task(dataset=_samples(), solver=[generate(), generate()], scorer=match())


@scorer(metrics=[accuracy()])
def ran():
    async def score(state, target):
        await sandbox().exec(["rm", "-rf", "/"])
        return Score(value="C")

    return score


@task
def machine():
    return Task(dataset=_samples(), solver=generate(), scorer=ran())


@task
def unreachable():
    return Task(dataset=_samples(), solver=generate(), scorer=nothing())


@scorer(metrics=[accuracy()])
def nothing():
    async def score(state, target):
        return Score(value="I")

    return score
'''
FILES = {
    "inspect_evals/__init__.py": "",
    "inspect_evals/sums.py": SUMS,
    "inspect_evals/data.py": "def task(x):\n    return x\n",
}


@pytest.fixture
def draft(cache, monkeypatch):
    data = making.plain_wheel("inspect-evals", "1.0", FILES)
    monkeypatch.setattr(
        libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "inspect-evals", "1.0", data)
    )
    monkeypatch.setattr(source, "lock_dependencies", lambda *_, **_options: [])

    def make(item: str, **options) -> Draft:
        return InspectEvals(Request(cache, **options)).draft(item)

    return make


def test_decorated_functions_are_offered_with_their_first_line(cache, draft) -> None:
    with pytest.raises(NotFoundError, match="no gone"):
        draft("gone")
    items = {item.name: item for item in InspectEvals(Request(cache)).items()}
    assert set(items) == {
        *("sums", "rows", "chosen", "several", "judged", "rubric", "own_words", "asking_solver", "hidden_judge"),
        *("twice", "machine", "unreachable"),
    }
    assert items["sums"].line == "Sums of two numbers."


def test_arguments_and_rows_are_kept_for_an_update(draft, tmp_path) -> None:
    (tmp_path / "brought" / "us" / "sums").mkdir(parents=True)
    (tmp_path / "brought" / "us" / "sums" / "test.jsonl").write_text('{"q": "1?", "a": "1"}\n')
    first = draft("sums", arguments={"hint": "two\nlines", "number": 3}, rows=tmp_path / "brought")
    write_project(tmp_path / "project", "alice/sums", first)
    recorded = read_recorded(tmp_path / "project")
    assert recorded.arguments == {"hint": "two\nlines", "number": 3}
    assert recorded.rows
    assert (recorded.rows / "us" / "sums" / "test.jsonl").is_file()
    assert "train = " not in (tmp_path / "project" / "src" / "alice_sums" / "verihub.toml").read_text()


@pytest.fixture
def complete(draft, tmp_path):
    """A task's draft after its code was asked, or the reason why it is refused."""

    def make(item: str, **options) -> Draft:
        first = draft(item, **options)
        assert first.then
        return first.then(told(first, tmp_path, "it.describe('test', 0, 0)['info']", library=FILES)[0])

    return make


needs_inspect = pytest.mark.skipif(
    importlib.util.find_spec("inspect_ai") is None, reason="an optional dependency: scripts/test_adapters inspect"
)


@needs_inspect
def test_the_evaluations_solver_asks_and_its_scorer_judges(complete, tmp_path) -> None:
    draft = complete("sums", arguments={"hint": "carry"})
    assert (draft.evaluation, list(draft.rewards), draft.response) == (9, ["match"], "{answer}")
    task, right, wrong = told(
        draft,
        tmp_path,
        "it.generate('test', 0, 0)",
        "it.verify(it.generate('test', 0, 0), 'It is ' + it.generate('test', 0, 0)['answer'])",
        "it.verify(it.generate('test', 0, 0), 'no')",
        library=FILES,
    )
    assert task["prompt"][0] == {"role": "system", "content": "Add. Hint: carry"}
    assert task["prompt"][1]["content"].startswith("So: ")
    assert (right, wrong) == ({"match": 1.0}, {"match": 0.0})


@needs_inspect
def test_rows_that_came_along_are_what_would_be_fetched(complete, tmp_path) -> None:
    with pytest.raises(ImportRefusedError, match=r"put its rows into rows/us/sums/test\.jsonl of a folder"):
        complete("rows")
    (tmp_path / "brought" / "us" / "sums").mkdir(parents=True)
    (tmp_path / "brought" / "us" / "sums" / "test.jsonl").write_text(
        '{"q": "a\u2028b?", "a": "1"}\n{"q": "c?", "a": "2"}\n'
    )
    assert complete("rows", rows=tmp_path / "brought").evaluation == 2


@needs_inspect
def test_choices_and_several_values_are_understood(complete) -> None:
    assert complete("chosen").response == "ANSWER: {answer}"
    several = complete("several")
    assert (several.rewards["a"]["weight"], several.rewards["b"]["role"]) == (1.0, "metric")


def asked(question: str, response: str, said: str) -> str:
    """An expression: what the verifier asks about task ``question``, and its vector when the model says that."""
    task = (
        f"next(t for t in (it.generate('test', 0, n) for n in range(9)) if t['prompt'][-1]['content'] == {question!r})"
    )
    return f"answered(it.verify({task}, {response!r}), {said!r})"


@needs_inspect
def test_a_scorer_that_asks_a_model_asks_the_one_of_the_hub_by_pinned_prompts(complete, tmp_path) -> None:
    draft = complete("judged")
    prompt = draft.model["prompts"]["judge_1"]["user"]
    assert all(place in prompt for place in ("{question}", "{answer}", "{response}"))
    assert list(draft.rewards) == ["model_graded_qa"]
    right, wrong, unclear = told(
        draft,
        tmp_path,
        asked("2 + 2?", "four", "So\nGRADE: C"),
        asked("2 + 2?", "five", "GRADE: I"),
        asked("2 + 2?", "five", "I cannot say"),
        library=FILES,
    )
    assert right == [
        {"complete": "judge_1", "values": {"answer": "4", "question": "2 + 2?", "response": "four"}},
        {"model_graded_qa": 1.0},
    ]
    assert wrong[1] == {"model_graded_qa": 0.0}
    assert unclear[1] == {"model_graded_qa": None}, "an answer that cannot be read is no verdict"


@needs_inspect
def test_texts_of_the_task_have_places_of_their_own_in_the_judges_prompt(complete, tmp_path) -> None:
    draft = complete("rubric")
    assert draft.model["prompts"]["judge_1"]["user"] == "{question} by {info_rubric}: {response}"
    [found] = told(draft, tmp_path, asked("3?", "{question}", "C"), library=FILES)
    assert found[0]["values"] == {"info_rubric": "says 3", "question": "3?", "response": "{question}"}
    assert list(found[1].values()) == [1.0]


@needs_inspect
@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("hidden_judge", "a model in a way that cannot be pinned.*no place"),  # its scorer catches errors and says C
        ("own_words", "its judge's prompt differs from task to task"),
        ("asking_solver", "its solver asks a model of its own"),
        ("twice", "several times"),
        ("machine", "runs rm -rf / in a machine"),
        ("unreachable", "gave 0 to all targets"),
    ],
)
def test_what_a_box_cannot_do_is_refused_by_name(complete, item, why) -> None:
    with pytest.raises(ImportRefusedError, match=why):
        complete(item)
