"""Importers of other packages that do not work; the one in the documentation is imported in ../commands."""

import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub_client.errors import CheckFailedError, UsageError
from hub_client.imports.draft import Importer
from hub_client.imports.installed import installed_importers
from hub_client.imports.registry import Request, open_importer, sources
from tests.making.importers import install, site_in


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with site_in(tmp_path / "site", monkeypatch) as folder:
        yield folder


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nothing_of_that_name", r"ModuleNotFoundError: .*nothing_of_that_name.* \(__init__.py, line 1\)"),
        ("raise SystemError('at import')", "SystemError: at import"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("Mine = 3", "TypeError: 'int' object is not callable"),
        ("", "AttributeError: .*Mine"),
        ("class Mine:\n def __init__(self): pass", "TypeError: .*__init__"),
        (
            "class Mine:\n name = 'other'\n def __init__(self, request): pass",
            "installed as broken and its name is other",
        ),
    ],
)
def test_one_that_cannot_be_opened_is_told_as_its_own_fault(site: Path, cache, code: str, why: str) -> None:
    install(site, "some-package", "broken = broken_one:Mine", {"broken_one/__init__.py": code})
    _not_imported("broken_one")
    assert "some-package 0.1" in sources()["broken"].line, "it is listed without running its code"
    with pytest.raises(CheckFailedError, match=f"broken_one:Mine.*{why}"):
        open_importer("broken", Request(cache))


def test_what_its_methods_raise_names_it_and_the_line(site: Path, cache) -> None:
    code = """
        class Mine:
            def __init__(self, request):
                pass

            def items(self):
                return [1 // 0]

            def draft(self, item):
                from hub_client.errors import UsageError

                raise OSError("the disk is full") if item == "full" else UsageError("said well")
    """
    install(site, "some-package", "failing = failing_one:Mine", {"failing_one/__init__.py": textwrap.dedent(code)})
    importer = open_importer("failing", Request(cache))
    with pytest.raises(CheckFailedError, match=r"failing_one:Mine\) failed: ZeroDivisionError.*__init__.py, line 7"):
        importer.items()
    with pytest.raises(UsageError, match="said well"):
        importer.draft("x")
    with pytest.raises(OSError, match="full"):
        importer.draft("full")


def test_a_source_of_ours_is_not_replaced_and_of_two_others_the_first_counts(site: Path, cache) -> None:
    install(site, "a-package", "rows = a_one:Mine\ntwice = a_one:Mine", {"a_one/__init__.py": "raise ValueError"})
    before = sources()["rows"]
    install(site, "b-package", "twice = b_one:Mine", {"b_one/__init__.py": "raise ValueError"})
    assert sources()["rows"] == before
    assert type(open_importer("rows", Request(cache, "nowhere.jsonl"))).__module__ == "hub_client.imports.sources.rows"
    assert sources()["twice"].place in {"a_one:Mine", "b_one:Mine"}


def test_it_takes_no_option_that_it_would_pass_over(site: Path, cache, tmp_path: Path) -> None:
    install(site, "a-package", "plain = plain_one:Mine", {"plain_one/__init__.py": "raise ValueError"})
    for option, request in (
        ("--arg", Request(cache, arguments={"count": 3})),
        ("--rows", Request(cache, rows=tmp_path)),
    ):
        with pytest.raises(UsageError, match=f"plain takes no {option}"):
            open_importer("plain", request)


@pytest.mark.parametrize("name", ["my:puzzles", "two words", "My_Puzzles", "red\x1b[31m"])
def test_one_whose_name_no_release_may_name_says_so(site: Path, cache, name: str) -> None:
    install(site, "a-package", f"{name} = plain_one:Mine", {"plain_one/__init__.py": "raise ValueError"})
    assert "Cannot be used: a name is small letters" in sources()[name].line
    with pytest.raises(CheckFailedError, match="Cannot be used"):
        open_importer(name, Request(cache))


def test_one_of_a_broken_installation_is_listed(site: Path, cache) -> None:
    install(site, "a-package", "plain = plain_one:Mine", {})
    next(site.glob("*.dist-info/METADATA")).unlink()
    _forget()
    assert sources()["plain"].line == "An importer (from an installed package)."


GIVING = """
from hub_client.imports.draft import *

P = Provenance("giving:x", "1", "MIT")
ROW = {{"id": "a", "prompt": "b", "answer": "c"}}


def good(**more):
    return Draft(**({{"provenance": P, "summary": "s", "code": "", "rewards": {{}}, "generates": True}} | more))


class Mine:
    def __init__(self, request):
        pass

    def items(self):
        return {items}

    def draft(self, item):
        return {draft}
"""


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("None", "None for its items"),
        ("['sums']", "a value of type str for an item and not Item"),
        ("[Item('a'), None]", "None for an item and not Item"),
        ("[Item(3)]", "an item with a wrong name"),
        ("[Item('')]", "an item without a name"),
    ],
)
def test_items_that_are_none_are_its_fault(site: Path, cache, given: str, why: str) -> None:
    with pytest.raises(CheckFailedError, match=rf"the importer giving \(giving_one:Mine\) gave {why}"):
        giving(site, cache, items=given).items()


def test_items_may_come_one_after_another(site: Path, cache) -> None:
    assert [item.name for item in giving(site, cache, items="(Item(name) for name in 'ab')").items()] == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("None", "None for a draft and not Draft"),
        ("good(provenance=None)", "a draft with a wrong provenance"),
        ("good(code=b'x')", "a draft with a wrong code"),
        ("good(rewards=['correct'])", "a draft with a wrong rewards"),
        ("good(memory_mb='much')", "a draft with a wrong memory_mb"),
        ("good(tags='abc')", "a draft with a wrong tags"),
        ("good(needs=Needs(lock=['numpy']))", "a draft's needs with a wrong lock.0"),
        ("good(provenance=Provenance('giving:x', 1, 'MIT'))", "a draft's provenance with a wrong version"),
        ("good(provenance=Provenance('giving', '1', 'MIT'))", "a draft whose provenance has the source 'giving'"),
        ("good(provenance=Provenance('giving:x', '1', 'MIT', arguments={'n': 1}))", "a draft with arguments"),
        ("good(rewards={'correct': {'description': None}})", "a draft that cannot be written to files"),
        ("good(summary='\\ud800')", "a draft that cannot be written to files"),
        ("good(cases=[{'state': {1, 2}}])", "a draft that cannot be written to files"),
        ("good(generates=False, splits={'test': [ROW | {'answer': float('nan')}]})", "a draft that cannot be written"),
    ],
)
def test_a_draft_of_wrong_types_is_its_fault(site: Path, cache, given: str, why: str) -> None:
    with pytest.raises(CheckFailedError, match=rf"the importer giving \(giving_one:Mine\) gave {why}"):
        giving(site, cache, draft=given).draft("x")


def test_what_follows_a_first_draft_is_looked_at_too(site: Path, cache) -> None:
    then = giving(site, cache, draft="good(then=lambda told: told['draft'])").draft("x").then
    assert then is not None
    with pytest.raises(CheckFailedError, match="gave None for a draft"):
        then({"draft": None})
    with pytest.raises(CheckFailedError, match=r"giving_one:Mine.*KeyError"):
        then({})


@pytest.mark.parametrize(
    "leaving", ["exec('raise SystemExit(0)')", "exec('import asyncio; raise asyncio.CancelledError')"]
)
def test_an_importer_that_exits_does_not_end_the_command_as_if_all_were_well(site: Path, cache, leaving: str) -> None:
    with pytest.raises(CheckFailedError, match=r"giving_one:Mine.*(SystemExit|CancelledError)"):
        giving(site, cache, draft=leaving).draft("x")
    with pytest.raises(KeyboardInterrupt):
        giving(site, cache, draft="exec('raise KeyboardInterrupt')").draft("x")


def giving(site: Path, cache, *, items: str = "[]", draft: str = "good()") -> Importer:
    """The importer that gives that."""
    _not_imported("giving_one")
    shutil.rmtree(site / "giving_one", ignore_errors=True)  # two texts of one length within a second have one .pyc
    install(
        site,
        "a-package",
        "giving = giving_one:Mine",
        {"giving_one/__init__.py": GIVING.format(items=items, draft=draft)},
    )
    return open_importer("giving", Request(cache))


def _forget() -> None:
    sources.cache_clear()
    installed_importers.cache_clear()


def _not_imported(module: str) -> None:
    """Each case has a module of that name; the one before may be kept."""
    sys.modules.pop(module, None)
