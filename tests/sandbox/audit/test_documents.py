from pathlib import Path

from sandbox.audit.probes.registry import FAMILIES
from schemas.measures.grades import GRADE_BOUNDS, cases_needed

PAGE = (Path(__file__).parents[3] / "docs" / "explanation" / "audit.md").read_text()


def test_the_page_lists_every_family_with_its_rule_and_no_other():
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    words = {"correct": "accepted", "incorrect": "rejected"}
    families = [f"| `{family.name}` | {words[family.expects]} | {family.rule} |" for family in FAMILIES]
    assert [row for row in rows if row in families] == families


def test_the_page_says_how_many_cases_a_grade_needs():
    a, b, c, d = (cases_needed(0, bound) for _, bound in GRADE_BOUNDS)
    assert f"an A takes {a} cases on each side, a B {b}, a C {c} and a D {d}" in PAGE
