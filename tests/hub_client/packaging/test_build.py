"""Nothing of a stranger's project runs when it is read, and nothing from outside it gets into the wheel."""

import os

import pytest

from hub_client.errors import CheckFailedError
from hub_client.packaging.pack import pack
from hub_client.packaging.trusted_build import without_secrets
from hub_client.releases.cache import Cache
from tests.making.project import make_project

MARK = "import os, pathlib\npathlib.Path({path!r}).write_text(repr(dict(os.environ)))\n"
BACKEND = MARK + "from hatchling.build import *\n"
HOOK = (
    MARK + "from hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
    "from hatchling.metadata.plugin.interface import MetadataHookInterface\n"
    "class Mine(BuildHookInterface):\n    PLUGIN_NAME = 'custom'\n"
)


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "it-ran"


def edit(folder, old, new):
    path = folder / "pyproject.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def own_backend(folder, mark):
    (folder / "evil.py").write_text(BACKEND.format(path=str(mark)))
    edit(folder, 'build-backend = "hatchling.build"', 'build-backend = "evil"\nbackend-path = ["."]')


def shadowed_backend(folder, mark):
    (folder / "hatchling").mkdir()
    (folder / "hatchling" / "__init__.py").write_text(MARK.format(path=str(mark)))
    (folder / "hatchling" / "build.py").write_text("")
    edit(folder, 'build-backend = "hatchling.build"', 'build-backend = "hatchling.build"\nbackend-path = ["."]')


def build_hook(folder, mark):
    (folder / "hatch_build.py").write_text(HOOK.format(path=str(mark)))
    edit(folder, "[tool.hatch.build.targets", "[tool.hatch.build.hooks.custom]\n\n[tool.hatch.build.targets")


def wheel_hook(folder, mark):
    (folder / "hatch_build.py").write_text(HOOK.format(path=str(mark)))
    edit(folder, "packages =", "hooks.custom = {}\npackages =")


def metadata_hook(folder, mark):
    (folder / "hatch_build.py").write_text(HOOK.format(path=str(mark)))
    edit(folder, "[tool.hatch.build.targets", "[tool.hatch.metadata.hooks.custom]\n\n[tool.hatch.build.targets")


def version_from_code(folder, mark):
    (folder / "version.py").write_text(MARK.format(path=str(mark)) + "__version__ = '0.1.0'\n")
    edit(folder, 'version = "0.1.0"', 'dynamic = ["version"]')
    edit(
        folder,
        "[tool.hatch.build.targets",
        '[tool.hatch.version]\nsource = "code"\npath = "version.py"\n\n[tool.hatch.build.targets',
    )


WAYS = [own_backend, shadowed_backend, build_hook, wheel_hook, metadata_hook, version_from_code]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_code_of_the_project_runs_and_the_refusal_says_the_way_out(tmp_path, cache, mark, way) -> None:
    folder = make_project(tmp_path / "x")
    way(folder, mark)
    with pytest.raises(CheckFailedError, match="--trust-build"):
        pack(folder, cache)
    assert not mark.exists()


def test_what_is_no_secret_reaches_a_trusted_build() -> None:
    found = without_secrets({"PATH": "/bin", "VERIHUB_URL": "x", "AWS_SECRET_ACCESS_KEY": "x", "Db_Password": "x"})
    assert found == {"PATH": "/bin"}


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("packages =", 'force-include = { "/etc/hostname" = "alice_my_check/hostname" }\npackages =', "force-include"),
        ("packages =", 'exclude = ["audit.jsonl"]\npackages =', "exclude"),
        ('packages = ["src/alice_my_check"]', 'packages = ["src/other"]', "packages"),
        ('readme = "README.md"', 'readme = "../outside.md"', "lies in the project"),
        (
            'readme = "README.md"',
            'readme = { file = "../outside.md", content-type = "text/plain" }',
            "lies in the project",
        ),
        ('license = "Apache-2.0"', 'license = { file = "../outside.md" }', "SPDX"),
        ('license = "Apache-2.0"', 'license = "Apache-2.0"\nlicense-files = ["../outside.md"]', "licence file"),
        ("dependencies = []", 'dependencies = ["a-{env:USER}-b"]', "placeholder"),
        ("dependencies = []", 'scripts = { evil = "alice_my_check:verify" }', "project.scripts"),
        ("[build-system]", "[[tool.x]]\n[build-system]", None),
    ],
)
def test_nothing_from_outside_the_package_gets_into_the_wheel(tmp_path, cache, old, new, word) -> None:
    (tmp_path / "outside.md").write_text("not yours")
    folder = make_project(tmp_path / "x")
    edit(folder, old, new)
    if word is None:
        assert pack(folder, cache).contents.manifest.id == "alice/my-check"
        return
    with pytest.raises(CheckFailedError, match=word):
        pack(folder, cache)


@pytest.mark.parametrize(
    "text", ["tool = 3", "project = 3", "build-system = []", "tool.hatch = 3", "tool.hatch.build = []"]
)
def test_tables_of_the_wrong_type_are_refused_or_left_aside(tmp_path, cache, text) -> None:
    folder = make_project(tmp_path / "x")
    project = (
        '[project]\nname="alice-my-check"\nversion="0.1.0"\ndescription="d"\nlicense="MIT"\nrequires-python=">=3.11"\n'
    )
    (folder / "pyproject.toml").write_text(text + "\n" + ("" if text.startswith("project") else project))
    if text.startswith("tool.hatch"):
        assert pack(folder, cache).contents.metadata.version == "0.1.0"
    else:
        with pytest.raises(CheckFailedError, match="must be tables"):
            pack(folder, cache)


def test_licence_files_and_the_readme_travel(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "x")
    (folder / "LICENSE").write_text("do as you like")
    contents = pack(folder, cache).contents
    assert contents.files["alice_my_check-0.1.0.dist-info/licenses/LICENSE"] == b"do as you like"
    assert contents.readme.startswith("# alice/my-check")


def test_a_licence_file_that_is_named_and_missing_is_told(tmp_path, cache) -> None:
    """It was left out without a word, and the package went out without its licence's text."""
    folder = make_project(tmp_path / "x")
    (folder / "LICENSE-MIT").write_text("do as you like")
    (folder / "LICENSES").mkdir()
    edit(folder, 'license = "Apache-2.0"', 'license = "MIT"\nlicense-files = ["LICENSE-*", "LICENSES", "/no/such"]')
    with pytest.raises(CheckFailedError, match="license-files names LICENSES, /no/such, and no such file is in"):
        pack(folder, cache)
    edit(folder, ', "LICENSES", "/no/such"', "")
    assert any(path.endswith("licenses/LICENSE-MIT") for path in pack(folder, cache).contents.files)


def test_the_projects_changelog_travels_and_the_packages_own_goes_before_it(tmp_path, cache) -> None:
    project = make_project(tmp_path / "x")
    (project / "CHANGELOG.md").write_text("## 1.0.0\n\n- first\n")
    packed = pack(project, cache).contents
    (path,) = [one for one in packed.files if one.endswith("CHANGELOG.md")]
    assert path == f"{packed.manifest.import_name}/CHANGELOG.md"
    (project / "src" / path).write_text("## 1.0.0\n\n- the package's own\n")
    assert "own" in pack(project, cache).contents.files[path].decode()
    (project / "CHANGELOG.md").unlink()
    (project / "CHANGELOG.md").symlink_to("/etc/hostname")
    with pytest.raises(CheckFailedError, match="must not be a link"):
        pack(project, cache)


def test_a_version_is_written_in_its_canonical_form(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "x", version="1.0RC1")
    assert pack(folder, cache).file_name == "alice_my_check-1.0rc1-py3-none-any.whl"


@pytest.mark.parametrize("name", ["pyproject.toml", "README.md", "LICENSE", "src/alice_my_check/verihub.toml"])
@pytest.mark.parametrize("kind", ["pipe", "huge"])
def test_a_pipe_or_a_huge_file_stops_nothing(tmp_path, cache, name, kind) -> None:
    folder = make_project(tmp_path / "x")
    (folder / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        with (folder / name).open("wb") as file:
            file.truncate(2**40)
    if (name, kind) == ("LICENSE", "pipe"):
        assert pack(folder, cache), "what is no file is no licence file"
        return
    with pytest.raises(CheckFailedError, match="at most 1 MiB"):
        pack(folder, cache)
