"""Draws tasks of one data set of reasoning-gym, in its environment: ``{"tasks": [{"id", "prompt", "answer"}, …]}``.

Standard library and the package only. The numbers of :func:`adapters.reasoning_gym_package.score_drawn` are the same.
"""

import json
import os
import sys


def main() -> None:
    """``draw_gym.py NAME COUNT SEED``. With ``--names`` the names of all data sets."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if sys.argv[1:] == ["--names"]:
        from reasoning_gym.factory import DATASETS  # noqa: PLC0415 -- in its environment only

        answers.write(json.dumps(sorted(DATASETS)))
        answers.flush()
        return
    from adapters.reasoning_gym_package import drawn, reference  # noqa: PLC0415 -- in its environment only

    name, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    dataset = drawn(name, count, seed)
    tasks = []
    for index in range(count):
        entry = dataset[index]
        tasks.append({"id": f"t{index}", "prompt": str(entry["question"]), "answer": reference(entry)})
    answers.write(json.dumps({"tasks": tasks}))
    answers.flush()


if __name__ == "__main__":
    main()
