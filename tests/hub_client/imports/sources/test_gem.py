import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.registry import Request
from hub_client.imports.sources.gem import Gem
from tests.making import library as making

FILES = {
    "gem/__init__.py": "raise ImportError('reasoning-gym and more')\n",
    "gem/core.py": "class Env:\n    pass\n",
    "gem/envs/__init__.py": (
        "register('game:Guess-v0-easy', 'gem.envs.game_env.guess:GuessEnv', top=9)\n"
        "register('game:Push-v0-hard', 'gem.envs.game_env.push:PushEnv')\n"
        "register('game:Words-v0-easy', 'gem.envs.game_env.words:WordsEnv')\n"
        "register('math:GSM8K', 'gem.envs.math_env:MathEnv', dataset_name='x')\n"
    ),
    "gem/envs/game_env/__init__.py": "",
    "gem/envs/game_env/guess.py": "from gem.core import Env\n",
    "gem/envs/game_env/words.py": "from nltk.corpus import words\n",
    "gem/envs/game_env/push/__init__.py": "from .push import PushEnv\n",
    "gem/envs/game_env/push/push.py": "from gem.core import Env\n",
}


@pytest.fixture
def gem(cache, monkeypatch) -> Gem:
    data = making.plain_wheel("gem-llm", "1.0", FILES)
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "gem-llm", "1.0", data))
    monkeypatch.setattr(libraries, "lock_what_can_be_built", lambda *_: ([], {}))
    return Gem(Request(cache))


def test_games_are_offered_and_the_rest_says_why_not(gem) -> None:
    refused = {item.name: item.refused for item in gem.items()}
    assert [name for name, why in refused.items() if not why] == ["game:Guess-v0-easy", "game:Push-v0-hard"]
    assert "NLTK" in refused["game:Words-v0-easy"]
    assert "rows:FILE" in refused["math:GSM8K"]
    with pytest.raises(NotFoundError, match="game:Push-v0-hard"):
        gem.draft("game:Push-v0-easier")


def test_a_game_in_a_folder_of_its_own_is_found_in_the_module_that_has_the_class(gem) -> None:
    draft = gem.draft("game:Push-v0-hard")
    assert 'MODULE = "gem.envs.game_env.push.push"' in draft.code
    assert (draft.session, draft.generates, draft.summary) == (True, True, "Push, a game of GEM (hard)")
    assert "'top': 9" in gem.draft("game:Guess-v0-easy").code
