"""The page of strong, lazy and cheating agents says what the READMEs and the tests of the collection say."""

import re
from pathlib import Path

import pytest

from tests.docs.agents_page import PAGE_ROWS, AgentsRow

COLLECTION = Path(__file__).parents[2] / "collection"
MOST = {"mail-assistant": 1.5, "sql-questions": 1.0}
"""What can be earned, where the heading of the README's table does not say it."""


def of_readme(name: str) -> list[tuple[str, int]]:
    """Agent and what it earns in per cent, of the README's table of agents."""
    lines = (COLLECTION / name / "README.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    start = next(index for index, row in enumerate(cells) if row[0] == "agent")
    head = cells[start]
    column = next((index for index, title in enumerate(head) if title.startswith("earns")), 1)
    said = re.search(r"of ([\d.]+)", head[column])
    most = MOST[name] if said is None else float(said[1])
    table = [row for row in cells[start + 2 :] if len(row) == len(head)]
    return [(row[0], _per_cent(row[column], most)) for row in table if re.fullmatch(r"[−\d. %]+", row[column])]


def _per_cent(cell: str, most: float) -> int:
    number = float(cell.rstrip(" %").replace("−", "-"))
    return round(number) if cell.endswith("%") else round(100 * number / most)


@pytest.mark.parametrize("row", PAGE_ROWS.values(), ids=lambda row: row.name)
def test_strong_and_lazy_agents_are_those_of_the_readme(row: AgentsRow) -> None:
    table = of_readme(row.name)
    strong = [earned for agent, earned in table if agent.startswith(("scripted expert", "the right query"))]
    assert strong == [row.strong]
    lazy = {agent.removeprefix("lazy: "): earned for agent, earned in table if agent.startswith("lazy: ")}
    assert (row.lazy, lazy[row.lazy_agent]) == (max(lazy.values()), max(lazy.values()))
    assert row.lazy < row.strong, "or the environment asks for nothing"


def test_the_page_has_the_twelve_environments_with_five_cheats_each() -> None:
    assert len(PAGE_ROWS) == 12
    assert {len(row.cheats) for row in PAGE_ROWS.values()} == {5}
