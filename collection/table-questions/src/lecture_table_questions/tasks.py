"""Tasks: a question, and which tables it is about. The tables are made anew wherever they are needed."""

from lecture_table_questions.tables import LEVELS, make_question


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. What is right is not in the task."""
    question = make_question(split, seed, index)
    return {
        "id": f"{question.family}-{split}-{seed}-{index}",
        "prompt": question.prompt,
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [question.family, LEVELS[question.family]],
        "split": split,
    }
