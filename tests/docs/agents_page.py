"""The rows of docs/reference/agents.md, for the tests that hold them."""

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "agents.md"


@dataclass(frozen=True)
class AgentsRow:
    """One environment; what its agents earn in per cent of what can be earned."""

    name: str
    strong: int
    lazy: int
    lazy_agent: str
    cheats: dict[str, int]


def _row(line: str) -> AgentsRow:
    name, strong, lazy, agent, cheats = (cell.strip() for cell in line.strip("|").split("|"))
    found = re.findall(r"([a-z ]+?) (−?\d+) %", cheats)
    return AgentsRow(
        re.sub(r".*lecture/([a-z-]+).*", r"\1", name),
        int(strong.rstrip(" %")),
        int(lazy.rstrip(" %")),
        agent,
        {words.strip().replace(" ", "_"): int(number.replace("−", "-")) for words, number in found},
    )


PAGE_ROWS = {
    row.name: row for row in map(_row, (line for line in PAGE.read_text().splitlines() if line.startswith("| [")))
}
