"""What --model can be, told without opening a model."""

import pytest

from trainer_bridge.errors import UnknownModelError
from trainer_bridge.models.names import check_model_name, is_on_a_hub, split_revision


def test_known_names_and_folders_pass(tmp_path):
    check_model_name("tiny")
    check_model_name("smollm2")
    (tmp_path / "config.json").write_text("{}")
    check_model_name(str(tmp_path))


def test_a_mistyped_name_gets_the_nearest():
    with pytest.raises(UnknownModelError, match="did you mean 'smollm2'"):
        check_model_name("smolm2")


def test_a_folder_without_a_model_is_refused_without_a_guess(tmp_path):
    with pytest.raises(UnknownModelError, match=r"transformers' config\.json\. A model that a server offers"):
        check_model_name(str(tmp_path))


@pytest.mark.parametrize("name", ["Qwen/Qwen2.5-0.5B-Instruct", "a/b@main", "a/b@0123abc"])
def test_a_name_on_a_hub_passes_without_asking_it(name):
    check_model_name(name)
    assert is_on_a_hub(name)


@pytest.mark.parametrize(
    "name", ["a", "./a/b", "../a/b", "/a/b", "a/b/c", "a/b@", "a//b", "-a/b", "a/b?c", "a/..", "ä/b"]
)
def test_what_is_written_otherwise_is_no_name_on_a_hub(name):
    assert not is_on_a_hub(name)


def test_a_folder_here_is_never_looked_for_on_a_hub(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "model").mkdir(parents=True)
    assert not is_on_a_hub("runs/model")
    with pytest.raises(UnknownModelError, match=r"runs/model is neither"):
        check_model_name("runs/model")


def test_a_revision_stands_behind_the_name():
    assert split_revision("a/b@c.d") == ("a/b", "c.d")
    assert split_revision("a/b") == ("a/b", "")
