"""Tasks: a question, and which encyclopedia it is about. The encyclopedia is made anew wherever it is needed."""

from lecture_cited_search.world import LEVELS, make_world


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. What is right is not in the task."""
    world = make_world(split, seed, index)
    return {
        "id": f"{world.family}-{split}-{seed}-{index}",
        "prompt": world.prompt,
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [world.family, LEVELS[world.family]],
        "split": split,
    }
