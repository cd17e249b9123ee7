"""Rows of data files: each fault names its line, and no bytes of a stranger end in anything but a report."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence.cases import AuditCase
from schemas.rows import RowsError, made_row, parse_row, read_rows
from schemas.task import Task


def read(data, path="tasks.jsonl"):
    faults = []
    rows = list(read_rows(data, path, lambda number, sentence: faults.append((number, sentence))))
    return rows, faults


def test_rows_keep_the_numbers_of_their_lines():
    rows, faults = read(b'{"a": 1}\n\n  \n{"b": 2}\r\n')
    assert rows == [(1, {"a": 1}), (4, {"b": 2})]
    assert faults == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"[1]", "must be a JSON object"),
        (b'"text"', "must be a JSON object"),
        (b"{", "is not JSON"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b'{"a": -Infinity}', "-Infinity is not a JSON number"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
    ],
)
def test_a_faulty_line_is_reported_and_the_others_are_read(line, words):
    rows, faults = read(b'{"a": 1}\n' + line + b'\n{"b": 2}')
    assert [number for number, _ in rows] == [1, 3]
    assert [number for number, _ in faults] == [2]
    assert words in faults[0][1]


def test_a_line_separator_within_a_text_ends_no_line():
    rows, faults = read('{"a": "one\u2028two\u0085three"}\n{"b": 1}'.encode())
    assert [number for number, _ in rows] == [1, 2]
    assert not faults


@pytest.mark.parametrize(
    ("data", "words"), [(b'{"a": 1}\n{"b": "\xff"}', "line 2 is not UTF-8"), (b"\xef\xbb\xbf{}", "byte-order mark")]
)
def test_a_file_that_is_no_text_is_refused(data, words):
    with pytest.raises(RowsError, match=words):
        read(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_faults_or_refused(data):
    for path in ("tasks.jsonl", "tasks.parquet"):
        try:
            rows, _ = read(data, path)
        except RowsError:
            continue
        assert all(isinstance(row, dict) for _, row in rows)


@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=9), max_size=3), max_size=6
    )
)
def test_what_is_written_as_json_lines_is_read_back(rows):
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    found, faults = read(data.encode("utf-8", "surrogatepass")) if data.isprintable() else read(json.dumps({}).encode())
    if data.isprintable():
        assert [row for _, row in found] == rows
    assert not faults


@pytest.mark.parametrize(
    ("model", "row", "words"),
    [
        (Task, {"prompt": "?"}, "task without id"),
        (Task, {"id": "1", "question": "?"}, "did you mean 'prompt'?"),
        (Task, {"id": "1", "prompt": "?", "target": 1}, "did you mean 'answer'?"),
        (Task, {"id": "1", "prompt": "?", "tegs": []}, "did you mean 'tags'?"),
        (Task, {"id": "1", "prompt": "?", "zzz": []}, "known keys"),
        (Task, {"id": "1", "prompt": [1]}, "list of messages"),
        (Task, {"id": "", "prompt": "?"}, "id"),
        (AuditCase, {"id": "1", "task_id": "t", "completion": "x", "label": "correct"}, "did you mean 'response'?"),
        (AuditCase, {"id": "1", "task_id": "t", "response": "x", "label": "right"}, "label"),
        (AuditCase, {"id": "1", "response": "x", "label": "correct"}, "needs task or task_id"),
        (AuditCase, {"id": "1", "task_id": "t", "label": "correct"}, "needs response, messages, state or files"),
    ],
)
def test_a_faulty_row_says_what_would_be_right(model, row, words):
    faults = []
    assert parse_row(model, row, 7, lambda number, sentence: faults.append((number, sentence))) is None
    assert {number for number, _ in faults} == {7}
    assert any(words in sentence for _, sentence in faults), faults


def test_a_row_that_a_function_made_is_refused_with_its_number_and_its_first_faults() -> None:
    row = {"id": "x", "label": "correct", "task_id": "t", "response": "2"} | {f"key{n}": n for n in range(1000)}
    with pytest.raises(ValueError, match=r"^row 7: audit case with unknown key key0; known keys: ") as refused:
        made_row(AuditCase, row, 7)
    assert str(refused.value).count("unknown key") == 5
    assert made_row(AuditCase, {"id": "x", "label": "correct", "task_id": "t", "response": "2"}, 0).task_id == "t"


def test_what_a_function_made_and_is_no_object_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^row 0: "):
        made_row(AuditCase, ["no object"], 0)


def test_a_word_that_is_none_of_the_allowed_ones_is_quoted():
    faults = []
    row = {"id": "x", "task": {"id": "x", "prompt": "?"}, "response": "1", "label": "corect" + "t" * 999}
    assert parse_row(AuditCase, row, 3, lambda number, sentence: faults.append((number, sentence))) is None
    [(number, sentence)] = faults
    assert number == 3
    assert sentence.startswith("label: must be 'correct' or 'incorrect', not 'corectttt")
    assert len(sentence) < 100
