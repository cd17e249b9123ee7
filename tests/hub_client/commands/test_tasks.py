import json

import pytest

from hub_client.commands import tasks
from hub_client.errors import CheckFailedError
from schemas.kinds import PackageKind
from tests.making.project import make_project

TASKS = [
    {"id": "t1", "prompt": "Add 1 and 1.", "answer": "2", "tags": ["easy"]},
    {"id": "t2", "prompt": [{"role": "user", "content": "Füge 1 hinzu."}], "answer": ["3", "4"], "info": {"n": 1}},
    {"id": "t3", "prompt": "Something else.", "answer": None},
]


@pytest.fixture
def project(tmp_path) -> str:
    text = "".join(json.dumps(task) + "\n" for task in TASKS)
    return str(make_project(tmp_path / "x", kind=PackageKind.ENVIRONMENT, files={"tasks.jsonl": text}))


def rows(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def ids(said) -> list[str]:
    assert said.code == 0, said.err
    return [row["id"] for row in rows(said.out)]


def test_tasks_are_lines_with_their_answers(verihub, project) -> None:
    said = verihub("tasks", project)
    assert ids(said) == ["t1", "t2", "t3"]
    assert rows(said.out)[1]["answer"] == ["3", "4"]
    assert ids(verihub("tasks", project, "--start", "1", "--limit", "1")) == ["t2"]


@pytest.mark.parametrize(("text", "found"), [("FÜGE", ["t2"]), ("easy", ["t1"]), ("t3", ["t3"]), ("nothing", [])])
def test_tasks_are_found_by_prompt_tag_and_id_without_case(verihub, project, text: str, found: list[str]) -> None:
    assert ids(verihub("tasks", project, "--find", text)) == found


def test_the_limit_counts_what_was_found(verihub, project) -> None:
    assert ids(verihub("tasks", project, "--find", "1", "--limit", "2")) == ["t1", "t2"]


def test_lines_are_written_into_a_file(verihub, project, tmp_path) -> None:
    file = tmp_path / "out.jsonl"
    said = verihub("tasks", project, "--output", str(file), "--format", "json")
    assert said.json == {"file": str(file), "count": 3}
    assert [row["id"] for row in rows(file.read_text())] == ["t1", "t2", "t3"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_file_that_cannot_be_written_whole_is_left_as_it_was(verihub, project, tmp_path, monkeypatch, name) -> None:
    """A generator that fails in the middle left the first rows, in place of what had been there."""
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow.parquet", reason="an optional dependency: pip install 'verihub[parquet]'")
    kept = tasks._holds

    def fails_at_the_second(row, text):
        if row["id"] == "t2":
            raise CheckFailedError("its generator fails")
        return kept(row, text)

    monkeypatch.setattr(tasks, "_holds", fails_at_the_second)
    file = tmp_path / "out" / name
    file.parent.mkdir()
    assert verihub("tasks", project, "--output", str(file)).code == 6
    assert list(file.parent.iterdir()) == []
    file.write_text("before")
    assert verihub("tasks", project, "--output", str(file)).code == 6
    assert [(path.name, path.read_text()) for path in file.parent.iterdir()] == [(name, "before")]


def test_in_parquet_what_is_no_text_is_json(verihub, project, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("hub_client.commands.tasks._GROUP", 1)
    parquet = pytest.importorskip("pyarrow.parquet", reason="an optional dependency: pip install 'verihub[parquet]'")
    file = tmp_path / "out.parquet"
    assert verihub("tasks", project, "--output", str(file)).code == 0
    table = parquet.read_table(file).to_pylist()
    assert (table[1]["answer"], table[0]["answer"], table[2]["answer"]) == ('["3", "4"]', "2", None)
    groups = parquet.ParquetFile(file).metadata.num_row_groups
    assert groups == len(table), "rows are written as they come, and a group without answers has the same columns"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [(["--split", "tain"], 4, "train"), (["--output", "x.csv"], 2, ".parquet"), (["--limit", "0"], 2, "limit")],
)
def test_a_mistake_is_answered_with_what_there_is(verihub, project, words, code: int, said: str) -> None:
    answer = verihub("tasks", project, *words)
    assert (answer.code, said in answer.err) == (code, True), answer.err


def test_what_a_terminal_would_act_on_is_written_out_and_read_back_as_it_was(verihub, tmp_path) -> None:
    """A prompt is a stranger's text: an eight-bit control sequence, and text that runs backwards."""
    prompt = "a\x9b2Jb\u202ec\u2028d\x7fe\x1b[1m"
    line = json.dumps({"id": "t1", "prompt": prompt, "answer": "2"}) + "\n"
    folder = make_project(tmp_path / "x", kind=PackageKind.ENVIRONMENT, files={"tasks.jsonl": line})
    said = verihub("tasks", str(folder))
    assert [row["prompt"] for row in rows(said.out)] == [prompt]
    assert not set(said.out) & set("\x9b\u202e\u2028\x7f\x1b")
    file = tmp_path / "out.jsonl"
    verihub("tasks", str(folder), "--output", str(file))
    assert [row["prompt"] for row in rows(file.read_text())] == [prompt]
