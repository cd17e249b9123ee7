"""What --model can be, told without opening a model."""

import pytest

from trainer_bridge.errors import UnknownModelError
from trainer_bridge.models.names import check_model_name


def test_known_names_and_folders_pass(tmp_path):
    check_model_name("tiny")
    check_model_name("smollm2")
    (tmp_path / "config.json").write_text("{}")
    check_model_name(str(tmp_path))


def test_a_mistyped_name_gets_the_nearest():
    with pytest.raises(UnknownModelError, match="did you mean 'smollm2'"):
        check_model_name("smolm2")


def test_a_folder_without_a_model_is_refused_without_a_guess(tmp_path):
    with pytest.raises(UnknownModelError, match=r"config\.json$"):
        check_model_name(str(tmp_path))
