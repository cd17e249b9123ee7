"""A recipe may be a package: read from a real project folder through the real client."""

import pytest

from hub_client.client import Hub
from hub_client.commands.init import write_starter
from hub_client.settings import ClientSettings
from schemas.kinds import PackageKind
from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe import open_recipe


def make_project(kind, folder):
    """What `verihub init alice/mine --kind KIND` makes."""
    write_starter("alice/mine", PackageKind(kind), folder)
    return folder


@pytest.fixture
def hub(tmp_path):
    with Hub(settings=ClientSettings.load(cache_dir=tmp_path / "cache", offline=True)) as opened:
        yield opened


def test_a_recipe_package_is_read_and_pinned(hub, tmp_path):
    recipe = open_recipe(str(make_project("recipe", tmp_path / "mine")), {"surrogate.epsilon_high": 0.4}, hub)
    assert recipe.surrogate.epsilon_high == 0.4
    assert recipe.package.package == "alice/mine"
    assert recipe.package.digest.startswith("sha256:")


def test_a_package_of_another_kind_is_refused(hub, tmp_path):
    with pytest.raises(RecipeError, match="kind verifier, not a recipe"):
        open_recipe(str(make_project("verifier", tmp_path / "mine")), {}, hub)


def test_bundled_names_and_files_need_no_hub(tmp_path):
    assert open_recipe("gdpo", {}, None).package is None
    (tmp_path / "own.toml").write_text('advantage = "rloo"')
    assert open_recipe(str(tmp_path / "own.toml"), {}, None).advantage.name == "rloo"
