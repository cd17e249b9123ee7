"""What pages name in backticks is there: names of the code, what a module holds, addresses of the API, commands."""

import re
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from schemas.manifest import SandboxNeeds
from tests.docs.pages import DOCS, ROOT

WRITTEN_FROM_CODE = {"commands.md", "settings.md", "http_routes.md", "python_api.md", "files.md", "metrics.md"}
OF_OTHER_LIBRARIES = {"imports.md", "import.md", "field.md"}  # most of what they name is in other libraries
PAGES = [
    page
    for page in [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    if page.name not in WRITTEN_FROM_CODE
]
PACKAGES = ("schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge")
_EVERYWHERE = (*PACKAGES, "migrations", "collection", "scripts", "tests")
_NO_CODE = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|#[^\n]*')
_WORD = re.compile(r"[A-Za-z_]\w*")

FOREIGN = {
    "0007-generic-top-level-names.md": {"owner_name"},
    "0008-kubernetes-agent-sandbox.md": {
        "RuntimeClass", "SandboxClaim", "SandboxTemplate", "SandboxWarmPool", "allowPrivilegeEscalation", "emptyDir",
        "hostUsers", "networkPolicy", "runAsUser", "runtimeClassName", "shutdownPolicy", "shutdownTime", "sizeLimit",
        "stdinOnce",
    },
    "0015-source-is-coloured-by-our-own-lexer.md": {"get_lexer_by_name", "get_tokens"},
    "0023-processes-are-watched-by-us.md": {"join_all"},
    "CONTRIBUTING.md": {"coverage_parts"},
    "audit.md": {"owner_name"},
    "bring_a_verifiers_environment.md": {"is_completed"},
    "frameworks.md": {"gdpo_reward_keys"},
    "many_machines.md": {"RAY_AUTH_TOKEN_PATH"},
    "package_format.md": {"owner_name"},
    "recipes.md": {"normalize_advantages", "reward_clip_range"},
    "run_a_hub.md": {"pg_wal"},
    "tools.md": {"bob_calculator__add"},
}  # fmt: skip
"""Names of other libraries, and of what an example makes up, by page."""


def _text(page: Path) -> str:
    """The page without its blocks of code, which are run or only shown."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


@cache
def _words(path: Path) -> frozenset[str]:
    """The words of a module's code; what only a docstring or a comment says is not there."""
    return frozenset(_WORD.findall(_NO_CODE.sub("", path.read_text())))


@cache
def _known() -> frozenset[str]:
    """Every name that the code, its templates, recipes, settings or metrics have, and the parts of settings' names."""
    found: set[str] = set()
    for folder in _EVERYWHERE:
        for path in (ROOT / folder).rglob("*.py"):
            found |= {path.stem} | _words(path)
    for path in [*(ROOT / "hub_server/site").rglob("*.html"), *(ROOT / "collection").rglob("*.toml")]:
        found |= set(_WORD.findall(path.read_text()))
    for path in (ROOT / "pyproject.toml", DOCS / "reference/metrics.md"):
        found |= set(_WORD.findall(path.read_text()))
    for name in re.findall(r"`(VERIHUB_\w+)`", (DOCS / "reference/settings.md").read_text()):
        parts = name.replace("__", "_").split("_")
        found |= {"_".join(parts[one:end]) for one, end in combinations(range(len(parts) + 1), 2)}
    for path in [*(ROOT / "trainer_bridge/recipes").glob("*.toml"), *(ROOT / "scripts").iterdir()]:
        found.add(path.stem)
    return frozenset(found)


def _names(code: str) -> list[str]:
    """The parts of what stands in backticks that cannot be plain English: snake_case, camelCase, calls."""
    return [
        word
        for word in _WORD.findall(code)
        if "_" in word.strip("_") or re.search("[a-z][A-Z]", word) or (f"{word}(" in code and word.islower())
    ]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in OF_OTHER_LIBRARIES], ids=lambda page: page.name
)
def test_every_name_on_a_page_is_in_the_code(page: Path) -> None:
    named = {
        name.strip("_").replace("__", "_") if name.isupper() else name.strip("_")
        for code in re.findall(r"`([^`\n]+)`", _text(page))
        if not re.search(r"[…{]|-k |__\w+__", code)  # an end or a pattern of names
        for name in _names(code)
        if len(name) > 1
    }
    gone = {name for name in named if name not in _known() and f"_{name}" not in _known()}
    assert gone - FOREIGN.get(page.name, set()) == set(), "not in the code: renamed, or another library's (FOREIGN)"


_PLACE = rf"`((?:{'|'.join(PACKAGES)})/[\w/]+\.py)`"
_IN_A_MODULE = (rf"`(\w+)`(?: and `(\w+)`)? in {_PLACE}", rf"{_PLACE} \(`(\w+)`(?:, `(\w+)`)?(?:, `(\w+)`)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_says_is_in_a_module_is_there(page: Path) -> None:
    for pattern in _IN_A_MODULE:
        for groups in re.findall(pattern, _text(page)):
            [module] = [one for one in groups if one.endswith(".py")]
            for name in set(groups) - {module, ""}:
                assert name in _words(ROOT / module), f"{name} is not in {module}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_dotted_name_leads_to_something(page: Path) -> None:
    for dotted in re.findall(rf"`((?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?:\(\))?`", _text(page)):
        if dotted.endswith(".py") or (
            dotted.startswith("sandbox.") and dotted.split(".")[1] in SandboxNeeds.model_fields
        ):
            continue  # a file of a reader's own; a table of verihub.toml
        steps = dotted.split(".")
        depth = next((at for at in range(len(steps), 0, -1) if _module(steps[:at]).exists()), 0)
        assert depth, dotted
        rest = steps[depth:]
        assert not rest or rest[0] in _words(_module(steps[:depth])), f"{dotted}: no {rest[0]}"


def _module(steps: list[str]) -> Path:
    path = ROOT.joinpath(*steps)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _routes() -> frozenset[str]:
    """Paths of the API, each ``{name}`` as ``*``."""
    page = (DOCS / "reference/http_routes.md").read_text()
    return frozenset(re.sub(r"\{\w+\}", "*", path) for path in re.findall(r"`[A-Z]+ (/\S+)`", page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_address_of_the_api_is_one(page: Path) -> None:
    for method, path in re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/api/[^`?\s]*)", _text(page)):
        asked = re.sub(r"\{\w+\}|\b[A-Z]+\b|<\w+>", "*", path)
        assert "…" in path or any(_is_one(route, asked) for route in _routes()), f"{method} {path}"


def _is_one(route: str, asked: str) -> bool:
    ours, theirs = route.split("/"), asked.split("/")
    return len(ours) == len(theirs) and all("*" in (a, b) or a == b for a, b in zip(ours, theirs, strict=True))


@cache
def _commands() -> dict[str, str]:
    page = (DOCS / "reference" / "commands.md").read_text()
    return {part.split("\n")[0]: part for part in page.split("### verihub ")[1:]}


_SHORT = {"org", "help"}  # for `organization`, and for `--help`
_OF_ALL = {"--format", "--offline", "--url", "--trust-build", "--quiet", "--version", "--help"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_within_a_sentence_exists_with_its_options(page: Path) -> None:
    commands = _commands()
    groups = {name.split()[0] for name in commands} | _SHORT
    for line in re.findall(r"`verihub ([a-z][^`\n]*)`", _text(page)):
        words = line.replace(",", "").split()
        name = next((name for name in (" ".join(words[:2]), words[0]) if name in commands), None)
        assert name is not None or words[0] in groups, f"verihub {line}"
        text = commands[name] if name else "".join(commands[one] for one in commands if one.startswith(words[0]))
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", line):
            assert option in _OF_ALL or re.search(rf"{option}\b", text), f"verihub {line}: {option}"
