"""Writes the tasks (those of ``lecture/honest-headline``) and cases as its author would label them. Deterministic."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_headline_clicks"
sys.path.insert(0, str(HERE.parents[1] / "honest-headline" / "src"))

from lecture_honest_headline.tasks import make_task  # noqa: E402 -- the same tasks

SIZES = {"train": 300, "validation": 60, "test": 180}
FIRMS = "Merle Motors|Nayland Salt|Orrin Water|Pentland Toys|Quill Media|Rushden Shoes|Ivel Dairy|Kestrel Air".split(
    "|"
)
LOUD = "{} closes: secret scandal|{} fires all workers|Shocking: {} cuts 80 jobs|Secret fraud at {}|Panic as {} shuts"
DULL = "{} may buy a mill|{} says so|{} is not for sale|{} finds a site|A visit to {}"

if __name__ == "__main__":
    for split, size in SIZES.items():
        rows = [make_task(split, 0, index) for index in range(size)]
        (DATA / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cases = [
        {
            "id": f"{tag}-{place}-{number}",
            "task_id": make_task("test", 0, place * 5 + number)["id"],
            "response": form.format(firm),
            "label": label,
            "tags": [tag],
            "source": "made by rule",
            "licence": "Apache-2.0",
        }
        for tag, label, forms in (("loud", "correct", LOUD), ("dull", "incorrect", DULL))
        for place, firm in enumerate(FIRMS)
        for number, form in enumerate(forms.split("|"))
    ]
    (DATA / "audit.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    print(len(cases), "cases")
