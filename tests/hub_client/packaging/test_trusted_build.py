"""A project's own build backend: what it sees, and what it may do wrong."""

import os

import pytest

from hub_client.errors import CheckFailedError
from hub_client.packaging.trusted_build import build_with_backend, without_secrets
from tests.making.wheel import make_wheel

SECRETS = [
    "VERIHUB_TOKEN", "VERIHUB_URL", "HF_TOKEN", "TOKEN", "OPENAI_API_KEY", "openai_api_key", "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "GITHUB_PAT", "GOOGLE_APPLICATION_CREDENTIALS", "SSH_AUTH_SOCK", "APIKEY",
    "DB_PASSWORD_FILE",
]  # fmt: skip
ORDINARY = ["PATH", "HOME", "LANG", "COMPAT", "KEYBOARD", "AUTHOR", "XDG_CACHE_HOME", "CC", "SOURCE_DATE_EPOCH"]


def backend(folder, body):
    """A project whose backend lies in its own folder; ``body`` is what building a wheel does."""
    lines = "\n    ".join(body.splitlines())
    (folder / "own.py").write_text(f"import os, sys\ndef build_wheel(target, settings, metadata):\n    {lines}\n")
    return {"build-system": {"build-backend": "own", "backend-path": ["."], "requires": ["own>=1"]}}


@pytest.fixture
def target(tmp_path):
    place = tmp_path / "target"
    place.mkdir()
    return place


@pytest.mark.parametrize("name", SECRETS)
def test_what_may_be_a_secret_is_kept_from_the_backend(name):
    assert without_secrets({name: "hunter2"}) == {}


@pytest.mark.parametrize("name", ORDINARY)
def test_what_a_build_needs_is_left(name):
    assert without_secrets({name: "x"}) == {name: "x"}


def test_the_backend_builds_into_the_target_and_sees_no_token(tmp_path, target, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hunter2")
    (tmp_path / "wheel").write_bytes(make_wheel())
    table = backend(
        tmp_path, "os.rename('wheel', target + '/x-1-py3-none-any.whl')\nassert 'HF_TOKEN' not in os.environ"
    )
    files = build_with_backend(tmp_path, table, target)
    assert files["alice_small_sums/tasks.jsonl"].startswith(b'{"id": "t1"')
    assert os.environ["HF_TOKEN"] == "hunter2"


def test_a_backend_that_is_not_there_is_named_with_what_installs_it(tmp_path, target):
    table = {"build-system": {"build-backend": "no_such_backend.api", "requires": ["no-such>=2"]}}
    with pytest.raises(
        CheckFailedError, match=r"no_such_backend\.api, which is not installed.*pip install 'no-such>=2'"
    ):
        build_with_backend(tmp_path, table, target)


def test_a_backend_that_fails_is_quoted_from_its_end(tmp_path, target):
    table = backend(tmp_path, "print('x\\n' * 99, file=sys.stderr)\nraise SystemExit('no compiler here')")
    with pytest.raises(CheckFailedError) as caught:
        build_with_backend(tmp_path, table, target)
    lines = str(caught.value).splitlines()
    assert (lines[0], lines[-1]) == (f"own could not build {tmp_path}:", "no compiler here")
    assert len(lines) <= 7


def test_a_backend_that_fails_without_a_word_gives_its_status(tmp_path, target):
    with pytest.raises(CheckFailedError, match="exit status 5"):
        build_with_backend(tmp_path, backend(tmp_path, "os._exit(5)"), target)


@pytest.mark.parametrize("count", [0, 2])
def test_a_backend_makes_one_wheel(tmp_path, target, count):
    table = backend(tmp_path, f"for n in range({count}): open(f'{{target}}/{{n}}.whl', 'w').close()")
    with pytest.raises(CheckFailedError, match=f"made {count} wheels"):
        build_with_backend(tmp_path, table, target)


def test_a_wheel_that_is_no_archive_is_said(tmp_path, target):
    with pytest.raises(CheckFailedError, match="own made a wheel that cannot be read"):
        build_with_backend(tmp_path, backend(tmp_path, "open(target + '/x.whl', 'w').write('no')"), target)


def test_a_backend_that_writes_no_utf_8_is_quoted_all_the_same(tmp_path, target):
    table = backend(tmp_path, "os.write(1, b'\\xff')\nos.write(2, b'f\\xfcr Fehler')\nos._exit(1)")
    with pytest.raises(CheckFailedError, match="r Fehler"):
        build_with_backend(tmp_path, table, target)


@pytest.mark.parametrize(
    ("name", "value"), [("backend-path", 3), ("backend-path", [3]), ("requires", 3), ("requires", [3])]
)
def test_a_build_system_of_wrong_types_is_the_projects_fault(tmp_path, target, name, value):
    table = {"build-system": {"build-backend": "no_such_backend", name: value}}
    with pytest.raises(CheckFailedError, match=rf"pyproject\.toml: \[build-system\] {name} must be a list of texts"):
        build_with_backend(tmp_path, table, target)


def test_a_backend_that_is_no_text_is_the_projects_fault(tmp_path, target):
    with pytest.raises(CheckFailedError, match="build-backend must be a text"):
        build_with_backend(tmp_path, {"build-system": {"build-backend": 3}}, target)
