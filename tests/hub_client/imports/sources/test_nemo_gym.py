"""The source alone, and, where NeMo Gym is installed (scripts/test_adapters nemo-gym), two servers of its wheel."""

import importlib.util

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError, Needs
from hub_client.imports.library import Library
from hub_client.imports.registry import Request
from hub_client.imports.sources import nemo_gym as source
from hub_client.imports.sources.nemo_gym import NemoGym
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

FILES = {
    "nemo_gym/__init__.py": "",
    "resources_servers/mcqa/app.py": "",
    "resources_servers/mcqa/configs/mcqa.yaml": "mcqa:\n  resources_servers:\n    mcqa:\n      description: 'Choices.'\n",
    "resources_servers/mcqa/requirements.txt": "-e nemo-gym[dev] @ ../../\nmath-verify>=0.8 # compares\nhttps://x.org/a.whl\n",
    "resources_servers/abstention/app.py": "",
    "resources_servers/xlam_fc/app.py": "",
    "resources_servers/mcqa/more/app.py": "",
}


@pytest.fixture
def locked(monkeypatch) -> list:
    """What was to be locked: the packages, and for which Python."""
    asked: list = []
    data = making.plain_wheel("nemo-gym", "1.0", FILES, ("ray", "pydantic"))
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "nemo-gym", "1.0", data))
    monkeypatch.setattr(Library, "needs_only", lambda *_: Needs(["nemo-gym==1.0"], ["ray"]))
    monkeypatch.setattr(
        source, "lock_dependencies", lambda names, _, python, without: asked.append((names, python)) or []
    )
    return asked


@pytest.fixture
def draft(cache, locked):
    return lambda item, **options: NemoGym(Request(cache, **options)).draft(item)


def test_a_server_is_a_folder_with_an_app_and_its_own_list_is_locked_with_it(cache, draft, locked) -> None:
    items = {item.name: item.line for item in NemoGym(Request(cache)).items()}
    assert items == {
        "abstention": "The resources server abstention",
        "mcqa": "Choices",
        "xlam_fc": "The resources server xlam_fc",
    }
    locked.clear()
    first = draft("mcqa")
    assert locked == [(["nemo-gym==1.0", "pyyaml", "math-verify>=0.8"], "3.13")], "the library takes no older Python"
    assert first.requires_python == ">=3.12"


def test_rows_of_ones_own_need_a_split_to_test_on(draft, tmp_path) -> None:
    (tmp_path / "train.jsonl").write_text("{}\n")
    with pytest.raises(ImportRefusedError, match=r"no test\.jsonl"):
        draft("mcqa", rows=tmp_path)
    (tmp_path / "validation.jsonl").write_text("{}\n")
    first = draft("mcqa", rows=tmp_path)
    assert first.then
    whole = first.then({"rewards": {"reward": [1.0, 0.0, 1.0]}, "form": None, "tasks": 7})
    assert whole.evaluation == 0, "it has a train split"
    assert '{"test": "rows/validation.jsonl", "train": "rows/train.jsonl"}' in whole.code.replace("'", '"')


def test_the_readme_says_how_much_was_recorded_and_that_examples_are_few(draft) -> None:
    first = draft("mcqa")
    assert first.then
    whole = first.then({"rewards": {"reward": [1.0, 0.0, 1.0]}, "form": None, "tasks": 5, "same": [4, 5]})
    assert "4 of 5 rollouts that the library recorded get the recorded reward again." in whole.notes
    assert "the 5 example rows" in whole.notes[-1]
    assert whole.evaluation == 5


@pytest.mark.skipif(
    importlib.util.find_spec("nemo_gym") is None, reason="an optional dependency: scripts/test_adapters nemo-gym"
)
def test_the_servers_own_verify_judges_without_a_server(draft, tmp_path) -> None:
    first = draft("mcqa")
    assert first.then
    whole = first.then(told(first, tmp_path, "it.describe('test', 0, 0)['info']")[0])
    assert (whole.evaluation, whole.response) == (5, "\\boxed{{answer}}")
    right, wrong = told(
        whole,
        tmp_path,
        "it.verify(it.generate('test', 0, 0), '\\\\boxed{%s}' % it.generate('test', 0, 0)['answer'])",
        "it.verify(it.generate('test', 0, 0), 'A or B')",
    )
    assert (right, wrong) == ({"reward": 1.0}, {"reward": 0.0})


@pytest.mark.skipif(
    importlib.util.find_spec("nemo_gym") is None, reason="an optional dependency: scripts/test_adapters nemo-gym"
)
@pytest.mark.parametrize(
    ("server", "why"), [("abstention", "asks another server"), ("xlam_fc", "calls the server's tools")]
)
def test_what_a_box_cannot_do_is_refused_by_name(draft, tmp_path, server, why) -> None:
    first = draft(server)
    assert first.then
    info = told(first, tmp_path, "it.describe('test', 0, 0)['info']")[0]
    with pytest.raises(ImportRefusedError, match=why):
        first.then(info)
