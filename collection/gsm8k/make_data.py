"""Writes train.jsonl, validation.jsonl, test.jsonl and audit.jsonl from GSM8K.

``python make_data.py FOLDER``: the folder holds train.jsonl, test.jsonl and model_solutions.jsonl. Without a folder
only the made cases of audit.jsonl are written again. Deterministic.
"""

import hashlib
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

DATA = Path(__file__).parent / "src" / "lecture_gsm8k"
ASK = "\nThink step by step. End with a line that holds #### and the number."
MIT = "MIT, Copyright (c) 2021 OpenAI"


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def write_rows(name: str, rows: list[dict]) -> None:
    (DATA / name).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print(name, len(rows))


def make_tasks(folder: Path, split: str) -> list[dict]:
    tasks = []
    for number, row in enumerate(read_rows(folder / f"{split}.jsonl")):
        solution, _, answer = row["answer"].rpartition("####")
        tasks.append({
            "id": f"{split}-{number:04d}", "prompt": row["question"] + ASK, "answer": answer.strip().replace(",", ""),
            "info": {"solution": solution.strip()}, "split": split,
        })  # fmt: skip
    return tasks


VALIDATION, RUN = 500, 6
"""Rows held out of the source's train split; such a question shares no RUN words in a row with any other."""


def hold_out(train: list[dict], test: list[dict]) -> tuple[list[dict], list[dict]]:
    """(what is left of train, validation). Which rows are taken depends on their question alone."""
    shared = Counter(run for task in train + test for run in runs_of(task))
    alone = [task for task in train if all(shared[run] == 1 for run in runs_of(task))]
    alone.sort(key=lambda task: hashlib.sha256(task["prompt"].encode()).hexdigest())
    taken = {task["id"] for task in alone[:VALIDATION]}
    held = [
        task | {"id": task["id"].replace("train", "validation"), "split": "validation"}
        for task in train
        if task["id"] in taken
    ]
    return [task for task in train if task["id"] not in taken], held


def runs_of(task: dict) -> set[tuple[str, ...]]:
    """Every run of words of a question."""
    words = re.findall(r"[a-z]+|\d+", task["prompt"].removesuffix(ASK).lower())
    return {tuple(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1))}


def sample_solutions(folder: Path, tasks: list[dict], each: int) -> list[dict]:
    """Real model solutions with the source's labels, ``each`` of either kind, over four models."""
    by_question = {task["prompt"].removesuffix(ASK): task["id"] for task in tasks}
    rows = read_rows(folder / "model_solutions.jsonl")
    random.Random(3).shuffle(rows)
    cases, left = [], {"correct": each, "incorrect": each}
    for row in rows:
        if left[row["label"]] and row["question"] in by_question:
            left[row["label"]] -= 1
            cases.append({
                "id": f"solution-{len(cases):04d}", "task_id": by_question[row["question"]],
                "response": row["response"], "label": row["label"], "tags": ["model-solution", row["model"]],
                "source": "openai/grade-school-math", "licence": MIT,
            })  # fmt: skip
    return cases


RIGHT = {
    "bare": "{a}",
    "full-stop": "{a}.",
    "bold": "**{a}**",
    "dollar": "${a}",
    "unit": "{a} apples",
    "hashes": "First we add, then we take away.\n#### {a}",
    "hashes-dollar": "We add it up.\n#### ${a}",
    "boxed": "Hence the total is \\boxed{{{a}}}.",
    "boxed-unit": "\\[ \\boxed{{{a} \\text{{ apples}}}} \\]",
    "sentence": "Adding both, the answer is {a}.",
    "sentence-reason": "The answer is {a} because {b} + {c} = {a}.",
    "equation": "So we get {b} + {c} = {a}",
    "equation-latex": "\\( {b} + {c} = {a} \\)",
    "variable": "Let x be the number. x = {a}",
    "grouped": "The final answer is **{g}**.",
    "decimal": "Answer: {a}.0",
    "thinking": "<think>Is it {w}? No.</think>It is {a}",
    "correction": "I first had {w}.\nThat forgot the gift: {b} + {c} = {a}",
    "label": "**Answer:** {a}",
    "tag": "<answer>{a}</answer>",
    "remark": "The total is {a} ({b} plus {c}).",
    "unit-and-count": "#### {a} apples in 3 boxes",
    "unit-and-share": "#### {a} apples, 3 each",
    "power-of-unit": "\\boxed{{{a}\\,\\text{{m}}^2}}",
    "left-after": "So she has {a} apples left after 3 days.",
    "mark-on-its-own-line": "####\n{a}",
    "recanted-wrong": "The answer is {w}. Wait, no: the answer is {a}.",
}
WRONG = {
    "off-by-one": "#### {w}",
    "sign": "#### -{a}",
    "tenfold": "#### {a}0",
    "contradiction": "{w} = {a}",
    "false-sum": "{w} + 0 = {a}",
    "choice": "{a} or {w}",
    "choice-first-wrong": "The answer is either {w} or {a}",
    "choice-of-boxes": "\\boxed{{{w}}} or \\boxed{{{a}}}",
    "choice-hashes": "#### {a} or {w}",
    "list": "{w}, {v}, {a}",
    "denied": "The answer is not {a}",
    "range": "The answer is between {w} and {a}",
    "no-number": "The answer follows from the text.",
    "empty": "",
    "half": "#### {a}.5",
    "named-then-dropped": "One might think {a}.\n#### {w}",
    "maybe": "It is {w}, maybe {a}",
    "right-steps-wrong-end": "{b} + {c} = {a}, so the answer is {w}.",
    "digits-inside": "#### 9{a}9",
    "recanted-right": "The answer is {a}. Wait, no: the answer is {w}.",
    "flood": "{flood}",
    "scale": "#### {a} million",
    "scale-letter": "#### {a}k",
    "sign-word": "#### negative {a}",
    "at-most": "#### at most {a}",
    "about": "#### about {a}",
    "unequal": "#### ≠ {a}",
    "times": "#### 2 times {a}",
    "open-sum": "#### x + {a}",
    "root": "#### \\sqrt{{{a}}}",
    "reciprocal": "#### \\frac{{1}}{{{a}}}",
    "choice-in-brackets": "#### {a} (or {w})",
    "choice-versus": "#### {w} vs {a}",
    "choice-after": "The answer is {a}; or {w}.",
    "recanted-after-mark": "#### {a}\nActually that is wrong, it is {w}.",
    "denied-box": "It is not \\boxed{{{a}}}.",
    "false-sum-with-unit": "{a} + 3 apples = {a}",
    "repeats-question": "How many are there? Let us think step by step.",
}


def make_cases(tasks: list[dict], per_form: int) -> list[dict]:
    """Every form over several tasks whose answers are whole and above ten, so that each label is certain."""
    rng = random.Random(5)
    usable = [task for task in tasks if task["answer"].isdigit() and int(task["answer"]) > 10]
    cases = []
    for label, forms in (("correct", RIGHT), ("incorrect", WRONG)):
        for tag, form in forms.items():
            for task in rng.sample(usable, per_form):
                a = int(task["answer"])
                b = rng.randint(1, a - 1)
                words = {"a": a, "b": b, "c": a - b, "w": a + rng.choice([-1, 1, 2]), "v": a + 5, "g": f"{a:,}"}
                words["flood"] = str(a) * 2500
                cases.append({
                    "id": f"{tag}-{task['id']}", "task_id": task["id"],
                    "response": form.format(**words), "label": label, "tags": [tag, "made"],
                    "source": "made by rule", "licence": "Apache-2.0",
                })  # fmt: skip
    return cases


if __name__ == "__main__":
    if len(sys.argv) == 2:
        folder = Path(sys.argv[1])
        tasks = make_tasks(folder, "test")
        train, validation = hold_out(make_tasks(folder, "train"), tasks)
        for split, rows in (("train", train), ("validation", validation), ("test", tasks)):
            write_rows(f"{split}.jsonl", rows)
        write_rows("audit.jsonl", sample_solutions(folder, tasks, 250) + make_cases(tasks, 10))
    else:
        kept = [case for case in read_rows(DATA / "audit.jsonl") if "made" not in case["tags"]]
        write_rows("audit.jsonl", kept + make_cases(read_rows(DATA / "test.jsonl"), 10))
