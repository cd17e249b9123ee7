"""A recipe is found and its names are checked in a process that never imports torch."""

import subprocess
import sys

import pytest

from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe_text import bundled_recipes, find_local_recipe, read_recipe

_TRIES = """
import sys
from hub_client.commands.main import run
for more in (["--set", "learning_rat=1"], ["--set", "surrogate.epsilon_hihg=1"], ["--recipe", "dappo"],
             ["--model", "smolm2"], ["--temperature", "-1"], []):
    assert run(["train", "--url", "http://127.0.0.1:9", "alice/thing", "--output", "x", *more]) in (1, 2, 8), more
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""


def test_a_typo_is_told_before_torch_is_imported(tmp_path):
    done = subprocess.run([sys.executable, "-c", _TRIES], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for said in ("'learning_rate'", "'epsilon_high'", "'dapo'", "'smollm2'", "temperature", "127.0.0.1:9"):
        assert said in done.stderr


def test_every_bundled_recipe_is_read_without_its_components():
    for name in bundled_recipes():
        assert find_local_recipe(name).name == name


def test_overrides_are_part_of_what_is_checked():
    with pytest.raises(RecipeError, match="did you mean 'epsilon'"):
        read_recipe("", "mine", {"surrogate.epsilo": 1})
    text = read_recipe('surrogate = "clip"', "mine", {"surrogate.epsilon": 0.1})
    assert text.entries["surrogate"] == [("clip", {"epsilon": 0.1})]
