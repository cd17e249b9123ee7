"""Writes audit.jsonl: lists of chores after a request, by rule. The label follows from how the state was made."""

import copy
import json
from pathlib import Path
from random import Random

DATA = Path(__file__).parent / "src" / "lecture_final_state"
CHORES = ("water the plants", "buy stamps", "call the dentist", "mend the fence", "post the letter", "clean the attic")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
MADE = 40


def chores(random: Random) -> list[dict]:
    """Four rows."""
    names = random.sample(CHORES, 4)
    return [{"id": n, "chore": name, "day": random.choice(DAYS), "done": False} for n, name in enumerate(names, 1)]


def endings(start: list[dict], wanted: list[dict], place: int) -> dict[str, tuple[str, object]]:
    """Ending -> label and tables."""
    other = (place + 1) % len(wanted)

    def changed(at: int, **values: object) -> list[dict]:
        rows = copy.deepcopy(wanted)
        rows[at] |= values
        return rows

    return {
        "as-asked": ("correct", {"chores": wanted}),
        "turned": ("correct", {"chores": wanted[::-1]}),
        "untouched": ("incorrect", {"chores": start}),
        "another-too": ("incorrect", {"chores": changed(other, done=True)}),
        "another-day": ("incorrect", {"chores": changed(place, day="Sunday")}),
        "gone": ("incorrect", {"chores": [row for n, row in enumerate(wanted) if n != place]}),
        "no-table": ("incorrect", {}),
    }


def rows() -> list[dict]:
    """Every ending of every list."""
    found = []
    for number in range(MADE):
        random = Random(f"final-state/{number}")
        start = chores(random)
        place, wanted = random.randrange(4), copy.deepcopy(start)
        wanted[place]["done"] = True
        task = {
            "id": f"chores-{number}",
            "prompt": f'Mark "{start[place]["chore"]}" as done.',
            "answer": {"chores": wanted},
        }
        for name, (label, tables) in endings(start, wanted, place).items():
            found.append({
                "id": f"{name}-{number}", "task": task, "state": {"tables": tables}, "label": label, "tags": [name],
                "source": "made by rule", "licence": "Apache-2.0",
            })  # fmt: skip
    return found


if __name__ == "__main__":
    (DATA / "audit.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))
    print("audit.jsonl", len(rows()))
