"""Tasks: a wish, and which office it is about. The office is made anew wherever it is needed."""

from lecture_tools_under_attack.office import FAMILIES, make_office


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. What is right is not in the task."""
    office = make_office(split, seed, index)
    attack = [f"style-{office.injection.style}", f"goal-{office.injection.goal}"] if office.injection else ["calm"]
    return {
        "id": f"{office.family}-{split}-{seed}-{index}",
        "prompt": office.prompt,
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [office.family, FAMILIES[office.family], *attack],
        "split": split,
    }
