"""Tasks: a question, and which mailbox it is about. The mailbox itself is made anew wherever it is needed."""

from lecture_mail_assistant.world import LEVELS, make_world


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. What is right is not in the task."""
    world = make_world(split, seed, index)
    return {
        "id": f"{world.family}-{split}-{seed}-{index}",
        "prompt": world.question.words,
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [world.family, LEVELS[world.family]],
        "split": split,
    }
