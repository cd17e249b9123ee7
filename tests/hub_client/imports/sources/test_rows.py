import importlib.util
import json

import pytest

from hub_client.errors import CheckFailedError, HubClientError, NotFoundError, UsageError
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.import_draft import import_draft
from hub_client.imports.registry import Request
from hub_client.imports.sources.rows import Rows

QA = [{"question": f"{n} + 1?", "answer": str(n + 1)} for n in range(60)]


@pytest.fixture
def rows(tmp_path, cache):
    def make(rows, name="data.jsonl", **options) -> Rows:
        path = tmp_path / "set" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return Rows(Request(cache, str(path), licence=options.get("licence", "MIT")))

    return make


@pytest.fixture
def verify(rows):
    """The verifier that comes with rows, as a function."""

    def load(source: Rows):
        spec = importlib.util.spec_from_loader("imported_rows", loader=None)
        module = importlib.util.module_from_spec(spec)
        exec(source.draft("x").code, module.__dict__)
        return module.verify

    return load


def test_one_file_is_split_by_its_prompts_so_that_nothing_is_in_both(rows) -> None:
    draft = rows([*QA, QA[0]]).draft("data.jsonl")
    prompts = {split: {task["prompt"] for task in tasks} for split, tasks in draft.splits.items()}
    assert len(prompts["train"] | prompts["test"]) == sum(map(len, draft.splits.values())) == 60
    assert 0 < len(prompts["test"]) < 20
    assert draft.provenance.version.startswith("sha256-")


def test_files_are_called_after_their_splits_and_a_row_may_say_its_own(rows, tmp_path, cache) -> None:
    rows(QA[:5], "train.jsonl")
    rows([*QA[5:8], {**QA[9], "split": "train"}], "test-00000.jsonl")
    draft = Rows(Request(cache, str(tmp_path / "set"), licence="MIT")).draft("set")
    assert {split: len(tasks) for split, tasks in draft.splits.items()} == {"test": 3, "train": 6}


@pytest.mark.parametrize(
    "said", ["../../../evil", "/evil", "a/b", "audit", "AUDIT", "", " ", "x" * 41, 7, ["train"], {"a": 1}]
)
def test_a_row_names_a_split_by_a_word_or_is_refused(rows, said) -> None:
    made = rows([*QA[:5], {**QA[9], "split": said}], "train.jsonl")
    if said == "":
        assert set(made.draft("x").splits) == {"train"}
        return
    with pytest.raises(CheckFailedError, match="for its split"):
        made.draft("x")


def test_a_rows_word_for_a_split_is_read_as_a_files_is(rows) -> None:
    named = [{**row, "split": word} for row, word in zip(QA, ("dev", "Valid", "TEST", "hard"), strict=False)]
    assert set(rows(named).draft("x").splits) == {"validation", "test", "hard"}


def test_the_data_sets_card_says_the_licence_else_somebody_must(rows, tmp_path) -> None:
    with pytest.raises(UsageError, match="--licence"):
        rows(QA, licence="").draft("x")
    (tmp_path / "set" / "README.md").write_text("---\nlanguage: en\nlicense: cc-by-sa-4.0\n---\n# Card\n")
    assert rows(QA, licence="").draft("x").provenance.licence == "CC-BY-SA-4.0"
    assert rows(QA, licence="CC0-1.0").draft("x").provenance.licence == "CC0-1.0"


@pytest.mark.parametrize(
    ("made", "error", "words"),
    [
        ([{"id": 1}], ImportRefusedError, r"columns \(id\)"),
        ([{"question": "Why?", "answer": "long " * 40}], ImportRefusedError, "no comparison can judge"),
        ([{"question": "", "answer": ""}], ImportRefusedError, "no row of"),
        ([], ImportRefusedError, "has no rows"),
        (["text"], CheckFailedError, "line 1"),
    ],
)
def test_rows_that_cannot_be_judged_are_refused_with_the_reason(rows, made, error, words: str) -> None:
    with pytest.raises(error, match=words):
        rows(made).draft("x")


@pytest.mark.parametrize(
    ("broken", "words"), [(b"{}\n[]\n", r"test\.jsonl: line 2"), (b"{}\n\xff\n", r"test\.jsonl: line 2 is not UTF-8")]
)
def test_of_several_files_the_broken_one_is_named(rows, tmp_path, cache, broken: bytes, words: str) -> None:
    rows(QA, "train.jsonl")
    (tmp_path / "set" / "test.jsonl").write_bytes(broken)
    with pytest.raises(CheckFailedError, match=words):
        Rows(Request(cache, str(tmp_path / "set"), licence="MIT")).draft("set")


@pytest.mark.parametrize(
    "row",
    [
        {"question": "q", "choices": {"text": ["a", "b"], "label": None}, "answerKey": "A"},
        {"question": "q", "choices": {"text": None, "label": ["A"]}, "answerKey": "A"},
        {"question": "q", "choices": {"text": ["a", "b"], "label": 5}, "answerKey": {"a": 1}},
        {"question": "q", "choices": 7, "answer": "A"},
        {"prompt": "p", "test": 5},
        {"prompt": "p", "tests": {"a": 1}},
        {"chosen": 1, "rejected": [[]]},
        {"messages": [7], "answer": "1"},
    ],
)
def test_a_row_of_other_types_than_its_columns_promise_is_passed_over(rows, row) -> None:
    with pytest.raises(ImportRefusedError, match="no row of"):
        rows([row]).draft("x")


def test_a_card_that_is_no_text_says_no_licence(rows, tmp_path) -> None:
    made = rows(QA, licence="")
    (tmp_path / "set" / "README.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="--licence"):
        made.draft("x")


def test_a_path_that_is_not_there_is_said(cache, tmp_path) -> None:
    with pytest.raises(NotFoundError, match=r"no \.jsonl"):
        Rows(Request(cache, str(tmp_path / "none.jsonl"))).items()
    with pytest.raises(HubClientError, match="rows:data"):
        Rows(Request(cache)).items()


@pytest.mark.parametrize(
    ("answer", "response", "right"),
    [
        ("1024", "So it is <answer>1,024</answer>", 1),
        ("1024", "<answer>1024.0</answer>", 1),
        ("0.5", "<answer>1/2</answer>", 1),
        ("1024", "1024", 1),
        ("1024", "<answer>1024</answer> no: <answer>1025</answer>", 0),
        ("1024", "It is not 1024", 0),
        ("1024", "<answer></answer>", 0),
        ("5", "<answer>1/0</answer>", 0),
        ("5", "<answer>" + "5" * 5000 + "</answer>", 0),
        ("Paris", "<answer> paris. </answer>", 1),
        ("C++", "<answer>C</answer>", 0),
        ("-", "<answer>+</answer>", 0),
        ("x < y", "<answer>x > y</answer>", 0),
        ("?", "<answer>!</answer>", 0),
    ],
)
def test_the_comparison_knows_numbers_and_spelling_and_no_more(
    rows, verify, answer: str, response: str, right: int
) -> None:
    assert verify(rows(QA))({"answer": answer}, response) == {"correct": float(right)}


def test_rows_become_a_project_whose_own_answers_are_right(rows, hub, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "true")
    hub.settings = hub.settings.model_copy(update={"backend": "local"})
    code = [
        {"text": "Add one.", "test_list": ["assert f(1) == 2"], "code": "def f(x):\n    return x + 1", "split": "test"}
    ]
    found = import_draft(hub, rows(code).draft("data.jsonl"), "alice/programs", tmp_path / "programs")
    assert (found.right, found.wrong, found.unjudged) == ((1, 1), (3, 3), {})
