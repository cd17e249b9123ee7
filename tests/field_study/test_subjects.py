"""subjects.toml: what it describes can be found, and names what it must."""

from pathlib import Path

import pytest

from scripts.field_study import subjects
from scripts.field_study.cases import FAMILIES

ADAPTERS = Path(subjects.__file__).with_name("adapters")

ROWS = """
[packages.toy]
version = "1.0"
licence = "MIT"
extras = "[all]"
[[verifiers]]
name = "toy/match"
package = "{package}"
what = "match()"
adapter = "toy:match"
families = ["text"]
"""


def test_a_package_is_required_by_its_exact_version(tmp_path: Path) -> None:
    place = tmp_path / "subjects.toml"
    place.write_text(ROWS.format(package="toy"))
    (one,) = subjects.load_subjects(place)
    assert (one.package.requirement, one.families, one.threshold) == ("toy[all]==1.0", ("text",), 1.0)


def test_a_verifier_of_a_package_that_is_not_described_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "subjects.toml"
    place.write_text(ROWS.format(package="other"))
    with pytest.raises(ValueError, match="other"):
        subjects.load_subjects(place)


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "subjects.toml"
    rows = ROWS.format(package="toy")
    place.write_text(rows + rows[rows.index("[[verifiers]]") :])
    with pytest.raises(ValueError, match="described twice: toy/match"):
        subjects.load_subjects(place)


def test_one_package_or_one_verifier_can_be_chosen() -> None:
    found = subjects.load_subjects()
    assert {one.package.name for one in subjects.chosen(found, ["inspect-ai"])} == {"inspect-ai"}
    assert [one.name for one in subjects.chosen(found, ["math-verify/verify"])] == ["math-verify/verify"]
    with pytest.raises(ValueError, match="nobody"):
        subjects.chosen(found, ["nobody"])


@pytest.mark.parametrize("one", subjects.load_subjects(), ids=lambda one: one.name)
def test_every_verifier_has_an_adapter_families_and_a_licence(one: subjects.Verifier) -> None:
    module, _, function = one.adapter.partition(":")
    assert f"\ndef {function}(" in (ADAPTERS / f"{module}.py").read_text(encoding="utf-8")
    assert one.families
    assert set(one.families) <= set(FAMILIES)
    assert one.package.licence


@pytest.mark.parametrize("said", ["Answer: {}", "ANSWER:{}", "Final answer: -{}"])
@pytest.mark.parametrize("value", ["D", "4", "basket"])
def test_an_answer_between_marks_is_not_the_bare_answer_that_a_label_asks_for(said: str, value: str) -> None:
    r"""``\w`` takes ``_`` for a letter: ``__D__`` was asked of readers of a bare letter, ``**D**`` was not."""
    labelled = [one for one in subjects.load_subjects() if one.wants.startswith("(?i)answer")]
    assert len(labelled) >= 5
    marked = [said.format(value).replace(value, f"{mark}{value}{mark}") for mark in ("*", "**", "_", "__")]
    assert [one.name for one in labelled for text in marked if one.reads(text)] == []
