import importlib
import io
import json
import sys
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.kinds import PackageKind
from schemas.names import digest_of
from schemas.wheels.wheel import WheelError, read_wheel
from tests.making.wheel import MANIFEST, METADATA, make_wheel, wheel_files, with_record, zip_files


def refusal(data: bytes) -> str:
    with pytest.raises(WheelError) as caught:
        read_wheel(data)
    return str(caught.value)


def test_a_sound_wheel_tells_everything_about_itself() -> None:
    data = make_wheel()
    wheel = read_wheel(data)
    assert (wheel.digest, wheel.size_bytes) == (digest_of(data), len(data))
    assert (wheel.manifest.id, wheel.manifest.kind) == ("alice/small-sums", PackageKind.ENVIRONMENT)
    assert (wheel.metadata.name, wheel.metadata.version) == ("alice-small-sums", "1.0.0")
    assert (wheel.metadata.licence, wheel.metadata.requires_python) == ("Apache-2.0", ">=3.11")
    assert wheel.metadata.summary == "Sums of small numbers"
    assert wheel.readme == "# Small sums\n"
    assert [task.id for task in wheel.tasks("train")] == ["t1", "t2"]
    assert [case.id for case in wheel.cases()] == ["a1", "a2"]
    assert wheel.task_counts() == {"train": 2}
    assert wheel.read_data("tasks.jsonl").startswith(b'{"id"')
    assert {file.path for file in wheel.release_files} == set(wheel.files)
    assert wheel.lock == ()


def test_the_other_readers_see_the_same_files() -> None:
    """What we show on the Code tab is what pip would install."""
    data = make_wheel()
    with zipfile.ZipFile(io.BytesIO(data)) as lenient:
        assert {name: lenient.read(name) for name in lenient.namelist()} == read_wheel(data).files


@pytest.mark.parametrize(
    ("path", "content", "word"),
    [
        ("evil.pth", "import os", ".pth"),
        ("alice_small_sums/evil.pth", "import os", ".pth"),
        ("requests/__init__.py", "", "one import package"),
        ("setup.py", "", "one import package"),
        ("alice_small_sums-1.0.0.data/scripts/run", "#!python", ".data folder"),
        ("alice_small_sums/fast.so", "x", "native code"),
        ("alice_small_sums/fast.cpython-311-x86_64-linux-gnu.so", "x", "native code"),
        ("alice_small_sums/lib.so.1.2", "x", "native code"),
        ("alice_small_sums/fast.pyd", "x", "native code"),
        ("alice_small_sums/model.bin", b"\x7fELF\x02\x01", "native code"),
        ("alice_small_sums/__pycache__/x.cpython-311.pyc", b"\0", "compiled Python"),
        ("alice_small_sums-1.0.0.dist-info/entry_points.txt", "[console_scripts]", "entry points"),
        ("alice_small_sums-1.0.0.dist-info/RECORD.jws", "x", "does not belong"),
        ("other-1.0.dist-info/METADATA", "x", ".dist-info"),
    ],
)
def test_what_a_package_may_not_bring(path: str, content: str | bytes, word: str) -> None:
    assert word in refusal(make_wheel(extra={path: content}))


def test_record_must_list_exactly_the_files_with_their_hashes() -> None:
    sound = with_record(wheel_files())
    assert "not in RECORD" in refusal(zip_files({**sound, "alice_small_sums/added.py": b"1"}))
    assert "hash and size" in refusal(zip_files({**sound, "alice_small_sums/__init__.py": b"changed"}))
    removed = {path: content for path, content in sound.items() if not path.endswith("audit.jsonl")}
    assert "listed and not in the wheel" in refusal(zip_files(removed))


@given(st.sampled_from(sorted(wheel_files())), st.binary(min_size=1, max_size=20))
def test_any_change_after_the_build_is_noticed(path: str, addition: bytes) -> None:
    sound = with_record(wheel_files())
    with pytest.raises(WheelError):
        read_wheel(zip_files({**sound, path: sound[path] + addition}))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("License-Expression: Apache-2.0\n", ""), "licence is missing"),
        (("License-Expression: Apache-2.0\n", "License-Expression: My Own\n"), "SPDX"),
        (("License-Expression: Apache-2.0\n", "License: MIT\n"), "licence is missing"),
        (("Summary: Sums of small numbers\n", ""), "description ="),
        (("Requires-Python: >=3.11\n", "Requires-Python: soon\n"), "requires-python"),
        (("Requires-Python: >=3.11\n", "Requires-Dist: evil @ https://example.org/evil.whl\n"), "URL"),
        (("Requires-Python: >=3.11\n", "Requires-Dist: not a requirement!\n"), "dependencies under"),
        (("Name: {name}", "Name: alice-other-sums"), "needs alice-small-sums"),
        (("Version: {version}", "Version: 1.0.1"), "does not match METADATA"),
        (("Version: {version}", "Version: 1.0.0+local"), "local version"),
        (("Version: {version}", "Version: newest"), "newest"),
    ],
)
def test_metadata_must_be_complete_and_agree(change: tuple[str, str], word: str) -> None:
    assert word in refusal(make_wheel(metadata=METADATA.replace(*change)))


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("Tag: py3-none-any", "Tag: cp311-cp311-linux_x86_64", "only py3-none-any"),
        ("Tag: py3-none-any", "Tag: py3-none-any\nTag: py2-none-any", "only py3-none-any"),
        ("Root-Is-Purelib: true", "Root-Is-Purelib: false", "pure Python"),
    ],
)
def test_only_pure_python_wheels_are_accepted(old: str, new: str, word: str) -> None:
    files = wheel_files()
    path = "alice_small_sums-1.0.0.dist-info/WHEEL"
    files[path] = files[path].replace(old.encode(), new.encode())
    assert word in refusal(zip_files(with_record(files)))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("verifier =", "verifer ="), "did you mean 'verifier'?"),
        (('id = "alice/small-sums"', 'id = "alice/Small_Sums"'), "is not owner/name"),
        (('id = "alice/small-sums"', 'id = "alice/large-sums"'), "alice_large_sums"),
        (("format = 1", "format = 2"), "format"),
        (("alice_small_sums:verify", "alice_small_sums.checks:verify"), "names a module"),
        (("alice_small_sums:verify", "other:verify"), "own import package"),
        (('"tasks.jsonl"', '"rows.jsonl"'), "missing from the wheel"),
        (('"tasks.jsonl"', '"../tasks.jsonl"'), "no .."),
        (("[rewards.correct]", "[rewards.Correct]"), "rewards.Correct"),
    ],
)
def test_a_wrong_manifest_is_explained(change: tuple[str, str], word: str) -> None:
    assert word in refusal(make_wheel(manifest=MANIFEST.replace(*change)))


def test_a_wheel_without_a_manifest_says_where_it_belongs() -> None:
    files = {path: content for path, content in wheel_files().items() if not path.endswith("verihub.toml")}
    assert "beside its __init__.py" in refusal(zip_files(with_record(files)))


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"prompt": "no id"}', "tasks.jsonl:3: task without id"),
        ('{"id": "t1", "prompt": "again"}', "is used on line 1 already"),
        ('{"id": "x", "question": "?"}', "did you mean 'prompt'?"),
        ('{"id": "x", "prompt": 4}', "prompt must be text"),
        ('{"id": "x", "prompt": "p", "answer": NaN}', "NaN is not a JSON number"),
        ('{"id": "x", "prompt": "\\ud800"}', "surrogate"),
        ('{"id": "x", "prompt": "p", "split": "dev"}', "not served by this file"),
        ('{"id": ', "tasks.jsonl:3: is not JSON"),
        ("[1, 2]", "must be a JSON object"),
        ("[" * 100_000, "tasks.jsonl:3"),
    ],
)  # fmt: skip
def test_a_faulty_task_names_its_line(line: str, word: str) -> None:
    sound = wheel_files()["alice_small_sums/tasks.jsonl"].decode()
    assert word in refusal(make_wheel(package={"tasks.jsonl": sound + line + "\n"}))


@pytest.mark.parametrize(
    ("case", "word"),
    [
        ({"task_id": "t1", "response": "2", "label": "correct"}, "audit case without id"),
        ({"id": "a1", "task_id": "t1", "response": "2", "label": "correct"}, "used at audit.jsonl:1"),
        ({"id": "b", "task_id": "t9", "response": "2", "label": "correct"}, "does not hold"),
        ({"id": "b", "response": "2", "label": "correct"}, "needs task or task_id"),
        ({"id": "b", "task_id": "t1", "label": "correct"}, "needs response"),
        ({"id": "b", "task_id": "t1", "response": "2", "label": "right"}, "label"),
        (
            {"id": "b", "task_id": "t1", "response": "2", "label": "correct", "expect": {"corect": 1}},
            "no declared reward",
        ),
        (
            {"id": "b", "task_id": "t1", "response": "2", "label": "correct", "expect": {"correct": 7}},
            "outside its range",
        ),
    ],
)
def test_a_faulty_audit_case_names_its_line(case: dict[str, object], word: str) -> None:
    sound = wheel_files()["alice_small_sums/audit.jsonl"].decode()
    message = refusal(make_wheel(package={"audit.jsonl": sound + json.dumps(case) + "\n"}))
    assert word in message
    assert "audit.jsonl:3" in message


def test_all_faults_are_listed_at_once_and_their_number_is_bounded() -> None:
    with pytest.raises(WheelError) as caught:
        read_wheel(make_wheel(package={"tasks.jsonl": '{"prompt": "x"}\n' * 500, "audit.jsonl": "{}\n"}))
    assert 50 <= len(caught.value.problems) <= 51
    assert "more problems" in str(caught.value)


def test_encoding_faults_are_explained() -> None:
    assert "line 2 is not UTF-8" in refusal(make_wheel(package={"tasks.jsonl": b'{"id":"a","prompt":"x"}\n\xff'}))
    assert "byte-order mark" in refusal(make_wheel(package={"tasks.jsonl": b'\xef\xbb\xbf{"id":"a","prompt":"x"}'}))
    assert "not UTF-8" in refusal(make_wheel(package={"verihub.toml": b"\xff"}))


def test_rows_that_were_checked_before_are_not_read_again_and_a_faulty_one_still_never_passes() -> None:
    rows = '{"id": "t1", "prompt": "?"}\n{"id": "t1", "prompt": 7}\n'
    wheel = make_wheel(package={"tasks.jsonl": rows})
    with pytest.raises(WheelError, match=r"tasks\.jsonl:2"):
        read_wheel(wheel)
    tasks = read_wheel(wheel, rows_checked=True).tasks("train")
    assert next(tasks).id == "t1"
    with pytest.raises(WheelError, match=r"tasks\.jsonl:2"):
        next(tasks)


def test_one_file_may_serve_two_splits() -> None:
    manifest = MANIFEST.replace('{ train = "tasks.jsonl" }', '{ train = "tasks.jsonl", test = "tasks.jsonl" }')
    rows = '{"id":"a","prompt":"1","split":"train"}\n{"id":"b","prompt":"2","split":"test"}\n{"id":"c","prompt":"3"}\n'
    wheel = read_wheel(make_wheel(manifest=manifest, package={"tasks.jsonl": rows, "audit.jsonl": ""}))
    assert [(task.id, task.split) for task in wheel.tasks("train")] == [("a", "train"), ("c", "train")]
    assert [(task.id, task.split) for task in wheel.tasks("test")] == [("b", "test"), ("c", "test")]


def test_a_generated_split_is_counted_as_endless() -> None:
    manifest = MANIFEST.replace('{ train = "tasks.jsonl" }', '{ train = "alice_small_sums:generate" }')
    wheel = read_wheel(make_wheel(manifest=manifest))
    assert wheel.task_counts() == {"train": None}
    with pytest.raises(ValueError, match="sandbox"):
        wheel.tasks("train")


def test_dependencies_need_a_lock_that_satisfies_them() -> None:
    metadata = METADATA.replace(
        "Requires-Python: >=3.11\n", "Requires-Dist: six>=1.16\nRequires-Dist: nope; python_version < '3'\n"
    )
    lock = f"six==1.17.0 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\n"
    assert "not in requirements.lock" in refusal(make_wheel(metadata=metadata))
    wheel = read_wheel(make_wheel(metadata=metadata, package={"requirements.lock": lock}))
    assert [(item.name, item.version, len(item.digests)) for item in wheel.lock] == [("six", "1.17.0", 2)]
    old = lock.replace("1.17.0", "1.15.0")
    assert "asks for" in refusal(make_wheel(metadata=metadata, package={"requirements.lock": old}))


@pytest.mark.parametrize(
    "line",
    ["six==1.17.0", "six @ https://example.org/six.whl", "-r other.txt", "--index-url https://example.org", "six>=1"],
)
def test_a_lock_holds_pinned_hashes_and_nothing_else(line: str) -> None:
    assert "requirements.lock:1" in refusal(make_wheel(package={"requirements.lock": line + "\n"}))


def test_markers_are_read_as_in_a_box() -> None:
    metadata = METADATA.replace("Requires-Python: >=3.11\n", "Requires-Dist: colorama; sys_platform == 'win32'\n")
    assert read_wheel(make_wheel(metadata=metadata)).lock == ()
    metadata = METADATA.replace("Requires-Python: >=3.11\n", "Requires-Dist: tomli; python_version < '3.12'\n")
    assert "tomli" in refusal(make_wheel(metadata=metadata))


PARQUET = MANIFEST.replace('"tasks.jsonl"', '"tasks.parquet"')


def test_parquet_without_pyarrow_says_what_to_do(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert "pip install pyarrow" in refusal(make_wheel(manifest=PARQUET, package={"tasks.parquet": b"PAR1"}))


def test_parquet_rows_are_tasks_like_any_other() -> None:
    pytest.importorskip("pyarrow", reason="an optional dependency")
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    rows = [
        {"id": "t1", "prompt": "1+1?", "answer": 2, "info": None},
        {"id": "t2", "prompt": "?", "answer": None, "info": {"a": 1}},
    ]
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows), sink)
    wheel = read_wheel(make_wheel(manifest=PARQUET, package={"tasks.parquet": sink.getvalue()}))
    assert [(task.id, task.answer, task.info) for task in wheel.tasks("train")] == [
        ("t1", 2, {}),
        ("t2", None, {"a": 1}),
    ]
    broken = make_wheel(manifest=PARQUET, package={"tasks.parquet": sink.getvalue()[:-8]})
    assert "not a readable Parquet file" in refusal(broken)
