"""A verifier of the field as a package of a hub: what is written is what a hub takes, and it judges as the study did."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from hub_client.packaging.pack import pack
from hub_client.releases.cache import Cache
from schemas.wheels.wheel import read_wheel
from scripts.field_study import __main__, wrapped
from scripts.field_study.subjects import Package, Verifier, chosen, load_subjects
from tests.making.wheel import METADATA, make_wheel

EXACT = 'def same(task, response):\n    from adapters.extract import last_boxed\n    return task["answer"] == last_boxed(response)\n'


@pytest.fixture
def subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verifier:
    """One whose package is a wheel in a folder, for pip without a network. Its adapter reads the last box."""
    index, adapters = tmp_path / "index", tmp_path / "adapters"
    for folder in (index, adapters):
        folder.mkdir()
    (index / "alice_small_sums-1.0.0-py3-none-any.whl").write_bytes(make_wheel(version="1.0.0", metadata=METADATA))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    (adapters / "toy.py").write_text(f'"""A toy."""\n\n\n{EXACT}')
    (adapters / "extract.py").write_text((wrapped.ADAPTERS / "extract.py").read_text(encoding="utf-8"))
    monkeypatch.setattr(wrapped, "ADAPTERS", adapters)
    package = Package("alice-small-sums", "1.0.0", "MIT")
    return Verifier("alice/small_sums", package, "same()", "toy:same", ("mathematics",), wants=r"\\boxed")


def test_a_hub_takes_the_package_and_it_judges(subject: Verifier, tmp_path: Path, monkeypatch) -> None:
    project = wrapped.write(subject, tmp_path / "made", [])
    contents = read_wheel(pack(project, Cache(tmp_path / "cache")).data)
    assert contents.manifest.id == "field/alice-small-sums"
    assert list(contents.manifest.judges) == ["mathematics"]
    assert [(one.name, one.version) for one in contents.lock] == [("alice-small-sums", "1.0.0")]
    monkeypatch.syspath_prepend(str(project / "src"))
    verify = importlib.import_module("field_alice_small_sums").verify
    try:
        assert verify({"answer": "4"}, "so \\boxed{4}") == {"score": 1.0}
        assert verify({"answer": "4"}, "so \\boxed{5}") == {"score": 0.0}
        assert verify({"answer": "4"}, "so 4") == {"score": None}
    finally:
        for name in [name for name in sys.modules if name.startswith("field_alice_small_sums")]:
            del sys.modules[name]


def test_its_cases_are_those_that_it_was_asked_and_its_readme_says_what_it_is(
    subject: Verifier, tmp_path: Path
) -> None:
    project = wrapped.write(subject, tmp_path / "made", [])
    rows = [json.loads(row) for row in next(project.rglob("audit.jsonl")).read_text(encoding="utf-8").splitlines()]
    assert {row["label"] for row in rows} == {"correct", "incorrect"}
    assert all("\\boxed" in row["response"] and row["source"] and row["licence"] for row in rows)
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert "alice-small-sums" in readme
    assert "Licence of alice-small-sums: MIT." in readme
    assert "Nothing was measured yet." in readme
    assert 'license = "Apache-2.0 AND MIT"' in (project / "pyproject.toml").read_text(encoding="utf-8")


def test_the_readme_has_the_measured_rates(tmp_path: Path) -> None:
    (verifier,) = chosen(load_subjects(), ["jiwer/wer"])
    readme = (wrapped.write(verifier, tmp_path, []) / "README.md").read_text(encoding="utf-8")
    (row,) = [row for row in wrapped.records.read() if row["verifier"] == "jiwer/wer"]
    assert f"| {wrapped.percent(row['fpr'])} | {row['wrong']} |" in readme
    assert "The threshold 0.5 is ours." in readme


def test_a_large_family_keeps_both_labels_evenly(tmp_path: Path) -> None:
    (verifier,) = chosen(load_subjects(), ["premsql/SQLiteExecutor"])
    place = next(wrapped.write(verifier, tmp_path, []).rglob("audit.jsonl"))
    rows = [json.loads(row) for row in place.read_text(encoding="utf-8").splitlines()]
    labels = [row["label"] for row in rows]
    assert labels.count("correct") == labels.count("incorrect") == wrapped.MOST_CASES // 2


def test_what_a_bare_package_does_not_need_is_left_out_of_the_lock() -> None:
    package = Package("big", "1", "MIT", needs=("sympy==1.14.0", "math-verify[antlr4_13_2]==0.9.0"), bare=True)
    requires = ["torch>=2", "SymPy", "math_verify (>=0.8)", "vllm; extra == 'gpu'"]
    assert wrapped.left_out(package, requires) == ["torch"]
    assert wrapped.left_out(Package("small", "1", "MIT"), requires) == []
    assert wrapped.left_out(Package("small", "1", "MIT", without=("vllm",)), requires) == ["vllm"]


def test_every_verifier_s_project_is_written(tmp_path: Path) -> None:
    for verifier in load_subjects():
        project = wrapped.write(verifier, tmp_path, ["torch"])
        rows = [json.loads(row) for row in next(project.rglob("audit.jsonl")).read_text(encoding="utf-8").splitlines()]
        assert {row["label"] for row in rows} == {"correct", "incorrect"}
        assert len({row["id"] for row in rows}) == len(rows)
        for path in project.rglob("*.py"):
            compile(path.read_text(encoding="utf-8"), str(path), "exec")
            assert "from adapters" not in path.read_text(encoding="utf-8")


def test_a_project_that_is_there_is_left_as_it_is(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["field", "package", "jiwer/wer", "--to", str(tmp_path)])
    assert __main__.main() == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "jiwer-wer")
    assert __main__.main() == 2
