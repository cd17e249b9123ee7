import json

import pytest

from hub_client.errors import CheckFailedError, NotFoundError
from hub_client.imports import given_rows
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.given_rows import read_given_rows

OPTIONAL = "an optional dependency: pip install 'verihub[parquet]'"


def test_files_come_along_below_rows_without_hidden_ones_and_links(tmp_path) -> None:
    (tmp_path / "us" / "sums").mkdir(parents=True)
    (tmp_path / "us" / "sums" / "test.jsonl").write_text('{"a": 1}\n')
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("secret")
    (tmp_path / "us" / "link.jsonl").symlink_to("/etc/hostname")
    assert read_given_rows(tmp_path) == {"rows/us/sums/test.jsonl": b'{"a": 1}\n'}
    assert read_given_rows(None) == {}


def test_a_copy_of_a_data_sets_repository_is_understood(tmp_path) -> None:
    arrow = pytest.importorskip("pyarrow", reason=OPTIONAL)
    parquet = pytest.importorskip("pyarrow.parquet", reason=OPTIONAL)
    (tmp_path / "us" / "sums" / "data").mkdir(parents=True)
    for number in range(2):
        place = tmp_path / "us" / "sums" / "data" / f"test-0000{number}-of-00002.parquet"
        parquet.write_table(arrow.table({"question": [f"{number}\u2028?"]}), place)
    found = read_given_rows(tmp_path)
    lines = found["rows/us/sums/test.jsonl"].decode().split("\n")
    assert [json.loads(line)["question"] for line in lines if line] == ["0\u2028?", "1\u2028?"]


def test_pictures_are_refused_and_a_broken_file_is_named(tmp_path) -> None:
    arrow = pytest.importorskip("pyarrow", reason=OPTIONAL)
    parquet = pytest.importorskip("pyarrow.parquet", reason=OPTIONAL)
    parquet.write_table(arrow.table({"image": [b"\x89PNG"]}), tmp_path / "test.parquet")
    with pytest.raises(CheckFailedError, match="pictures"):
        read_given_rows(tmp_path)
    (tmp_path / "test.parquet").write_bytes(b"no parquet")
    with pytest.raises(CheckFailedError, match=r"test\.parquet"):
        read_given_rows(tmp_path)


def test_a_folder_that_is_none_or_too_large_is_refused(tmp_path, monkeypatch) -> None:
    with pytest.raises(NotFoundError, match="is no folder"):
        read_given_rows(tmp_path / "gone")
    monkeypatch.setattr(given_rows, "LARGEST", 3)
    (tmp_path / "test.jsonl").write_text("1234")
    with pytest.raises(ImportRefusedError, match="over 0 MB"):
        read_given_rows(tmp_path)
