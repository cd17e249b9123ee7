"""The source alone, and, where OpenEnv is installed (scripts/test_adapters openenv), small environments of our own in its real classes."""

import importlib.util
from pathlib import Path

import pytest

from hub_client.errors import UsageError
from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources.openenv import OpenEnv
from tests.hub_client.imports.package_answers import told
from tests.making.library import plain_wheel

MODELS = """
from openenv.core.env_server.types import Action, Observation


class Guess(Action):
    \"\"\"A guess.\"\"\"

    number: int


class Seen(Observation):
    text: str = ""
"""
ENVIRONMENT = """
import random

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State

try:
    from ..models import Guess, Seen
except ImportError:
    from models import Guess, Seen


class Guessing(Environment):
    def reset(self, seed=None, episode_id=None, **kwargs):
        self.secret = random.Random(seed).randint(1, 99)
        self.luck = 0.0
        return Seen(text=f"Even: {self.secret % 2 == 0}. Hint {self.secret // 10}")

    def step(self, action, timeout_s=None, **kwargs):
        self.luck += random.random() / 1000
        won = action.number == self.secret
        return Seen(text="Yes" if won else "No", done=won, reward=1.0 if won else -0.5 + self.luck)

    @property
    def state(self):
        return State()
"""
APP = """
from openenv.core.env_server.http_server import create_app

from ..models import Guess, Seen
from .guessing import Guessing

app = create_app(Guessing, Guess, Seen, env_name="guess")


@app.get("/health")
def health():
    return {}
"""
YAML = "spec_version: 1\nname: guess\nruntime: fastapi\napp: server.app:app\n"


@pytest.fixture
def folder(tmp_path):
    """A folder in the shape of OpenEnv's own environments, with these texts changed."""

    def make(yaml: str = YAML, **changed: str) -> Path:
        files = {
            "__init__.py": "",
            "models.py": changed.get("models", MODELS),
            "server/__init__.py": "",
            "server/guessing.py": changed.get("environment", ENVIRONMENT),
            "server/app.py": changed.get("app", APP),
            "openenv.yaml": yaml,
            "pyproject.toml": '[project]\nname = "openenv-guess"\nversion = "0.1"\ndependencies = ["openenv>=0.2", "fastapi"]\n',
        }
        for path, text in files.items():
            (tmp_path / "guess" / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "guess" / path).write_text(text)
        return tmp_path / "guess"

    return make


@pytest.fixture
def locked(monkeypatch) -> list:
    asked: list = []
    monkeypatch.setattr(
        "hub_client.imports.packages.lock_dependencies", lambda names, _, without: asked.append((names, without)) or []
    )
    return asked


@pytest.fixture
def draft(cache, locked):
    return lambda place, **options: OpenEnv(Request(cache, str(place), licence="MIT", **options)).draft(str(place))


def test_the_folder_is_the_package_and_its_server_is_left_out(draft, folder, locked) -> None:
    first = draft(folder())
    assert "environment/guess/server/app.py" in first.files
    assert 'MODULE = "guess.server.app"' in first.code
    assert locked[0][0] == ["openenv>=0.2"]
    assert {"fastapi", "gradio", "huggingface-hub"} <= set(locked[0][1])


def test_a_wheel_is_searched_for_its_app(draft, tmp_path, locked) -> None:
    files = {"guess_env/__init__.py": "", "guess_env/serve.py": APP, "openenv/core/http_server.py": "create_app(x)"}
    place = tmp_path / "guess_env-1-py3-none-any.whl"
    place.write_bytes(plain_wheel("guess-env", "1", files))
    assert 'MODULE = "guess_env.serve"' in draft(place).code


def test_what_has_no_app_or_no_licence_is_said(draft, folder, cache, locked) -> None:
    place = folder(app="")
    with pytest.raises(ImportRefusedError, match="no module of it creates an app"):
        draft(place)
    with pytest.raises(UsageError, match="--licence"):
        OpenEnv(Request(cache, str(place))).draft("x")


def test_a_stated_range_holds_and_its_top_is_accepted(draft, folder) -> None:
    stated = f"{YAML}validation:\n  reward:\n    range: [0.0, 2.5]\n"
    seen = {"rewards": {"reward": [1.0, -0.5, 0.0]}, "tasks": 0}
    for yaml, span in ((stated, [0.0, 2.5]), (YAML, [-1.0, 1.0])):
        first = draft(folder(yaml))
        assert first.then
        whole: Draft = first.then(seen)
        assert (whole.session, whole.rewards["reward"]["range"], whole.rewards["reward"]["threshold"]) == (
            True,
            span,
            span[1],
        )


needs_openenv = pytest.mark.skipif(
    importlib.util.find_spec("openenv") is None, reason="an optional dependency: scripts/test_adapters openenv"
)


@pytest.fixture
def complete(draft, folder, tmp_path):
    """The draft after its code was asked, or the reason why it is refused."""

    def make(**changed: str) -> Draft:
        first = draft(folder(**changed))
        assert first.then
        return first.then(told(first, tmp_path, "it.describe('test', 0, 0)['info']")[0])

    return make


@needs_openenv
def test_an_episode_is_played_and_played_again(complete, tmp_path) -> None:
    play = "[(s := it.Session()).reset(it.generate('test', 0, 3), 0), s.step({'content': 'so: {\"number\": 0}'}), s.step({'content': 'no'}), s.state()]"
    begun, after, unread, state = told(complete(), tmp_path, play)[0]
    assert begun["messages"][0]["content"].startswith("A guess.\n\nEven: ")
    assert begun["tools"][0]["function"]["parameters"]["properties"]["number"] == {"title": "Number", "type": "integer"}
    assert (after["messages"][0]["content"], after["done"]) == ("No", False)
    assert unread["messages"][0]["content"].startswith("This is no action")
    assert state == {"moves": ['so: {"number": 0}', "no"]}


@needs_openenv
def test_a_win_is_accepted_and_a_state_that_claims_one_is_not(complete, tmp_path) -> None:
    task = "(t := it.generate('test', 0, 3))"
    win = "it.verify(t, {'moves': [{'number': __import__('random').Random(t['info']['seed']).randint(1, 99)}, {'number': 0}]})"
    claims = (
        "{'moves': 3}",
        "{'moves': [3], 'reward': 1.0}",
        "None",
        "{'moves': [{'secret': 1}]}",
        "{'moves': ['{}']}",
    )
    _, won, *others = told(complete(), tmp_path, task, win, *(f"it.verify(t, {state})" for state in claims))
    assert won == {"reward": 1.0, "total": 1.0, "steps": 1.0, "done": 1.0}, "what follows the end does not count"
    assert [each["reward"] for each in others] == [0.0] * len(claims)


@needs_openenv
@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (
            {"environment": ENVIRONMENT.replace("random.Random(seed)", "random.SystemRandom()")},
            "in another way each time",
        ),
        (
            {"environment": ENVIRONMENT.replace("random.random()", "random.SystemRandom().random()")},
            "other rewards each time",
        ),
        (
            {"environment": ENVIRONMENT.replace("import random\n", "import random\nimport gone_away\n")},
            "imports gone_away",
        ),
        ({"environment": ENVIRONMENT.replace("def step", "async def step")}, "asynchronous"),
        ({"app": APP.replace("Guessing, Guess, Seen", "None, Guess, Seen")}, "creates no app of an environment"),
    ],
)
def test_what_cannot_be_played_again_is_refused_by_name(complete, changed, why) -> None:
    changed = {key: text.replace("-0.5 + self.luck", "self.luck") for key, text in changed.items()}
    with pytest.raises(ImportRefusedError, match=why):
        complete(**changed)
