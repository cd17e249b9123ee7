"""Which cases a suite brings into an audit on this machine, in the verifier's own form."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hub_client.audits.suite_cases import of_all_suites, suite_cases
from hub_client.client import Hub
from hub_client.errors import UsageError
from hub_client.settings import ClientSettings
from schemas.evidence.cases import Origin
from schemas.kinds import PackageKind
from tests.making.project import make_project


@pytest.fixture
def hub(own_folders: Path) -> Iterator[Hub]:
    with Hub(settings=ClientSettings.load(url="http://hub.invalid", backend="local")) as hub:
        yield hub


def verifier_with(folder: Path, table: str) -> Path:
    project = make_project(folder, "alice/last")
    path = next(project.glob("src/*/verihub.toml"))
    path.write_text(path.read_text().partition("[judges")[0] + f"\n{table}\n")
    return project


def test_they_come_in_the_verifiers_form_and_count_as_independent(hub: Hub, tmp_path: Path) -> None:
    suite = make_project(tmp_path / "suite", "bob/numbers", PackageKind.SUITE)
    table = '[judges.short-number]\nanswer = "info.gold"\nresponse = "<answer>{response}</answer>"'
    verifier = hub.verifier(verifier_with(tmp_path / "last", table))
    stored = hub.load(suite).contents.cases()
    found = suite_cases(hub, verifier, str(suite))
    assert [case.id for case in found] == [f"bob/numbers:{case.id}" for case in stored]
    assert {case.origin for case in found} == {Origin.SUITE}
    assert found[0].response == f"<answer>{stored[0].response}</answer>"
    assert found[0].task is not None
    assert stored[0].task is not None
    assert found[0].task["info"]["gold"] == stored[0].task["answer"]
    assert found[0].label == stored[0].label


@pytest.mark.parametrize(
    ("table", "kind", "why"),
    [
        ("[judges.text]", PackageKind.SUITE, r"does not say that it judges short-number \(it judges text\)"),
        ("", PackageKind.SUITE, r"\(it names no family\): put \[judges.short-number\] into its verihub.toml"),
        ("[judges.short-number]", PackageKind.TOOL, "is a tool: --suite takes a suite"),
    ],
)
def test_what_does_not_fit_is_refused(hub: Hub, tmp_path: Path, table: str, kind: PackageKind, why: str) -> None:
    other = make_project(tmp_path / "other", "bob/other", kind)
    verifier = hub.verifier(verifier_with(tmp_path / "last", table))
    with pytest.raises(UsageError, match=why):
        suite_cases(hub, verifier, str(other))


def test_a_suite_of_the_same_owner_is_the_authors_as_on_a_hub(hub: Hub, tmp_path: Path) -> None:
    suite = make_project(tmp_path / "suite", "alice/numbers", PackageKind.SUITE)
    verifier = hub.verifier(verifier_with(tmp_path / "last", "[judges.short-number]"))
    assert {case.origin for case in suite_cases(hub, verifier, str(suite))} == {Origin.AUTHOR}


def test_one_suite_by_two_names_is_refused_and_two_with_the_same_ids_are_two(hub: Hub, tmp_path: Path) -> None:
    """Each failure was listed twice, and the digest of the cases was another one."""
    verifier = hub.verifier(verifier_with(tmp_path / "last", "[judges.short-number]"))
    paths = [
        str(make_project(tmp_path / folder, f"{folder[:3]}/numbers", PackageKind.SUITE))
        for folder in ("bob", "bob-copy", "carol")
    ]
    with pytest.raises(UsageError, match=r"bob-copy is the same suite as .*bob: name it once"):
        of_all_suites(hub, verifier, paths)
    found = of_all_suites(hub, verifier, [paths[0], paths[2]])
    assert len({case.id for case in found}) == len(found) > 2


def test_a_suite_that_stores_no_case_is_said(hub: Hub, tmp_path: Path) -> None:
    suite = make_project(tmp_path / "suite", "bob/numbers", PackageKind.SUITE)
    next(suite.glob("src/*/cases.jsonl")).write_text("")
    verifier = hub.verifier(verifier_with(tmp_path / "last", "[judges.short-number]"))
    with pytest.raises(UsageError, match="stores no case: what its generators make is drawn by a hub only"):
        suite_cases(hub, verifier, str(suite))
