"""Runs one adapter in its package's environment: cases come as JSON lines, scores go back as JSON lines.

Standard library only. What the package prints goes to standard error, so that it cannot spoil an answer.
"""

import importlib
import json
import os
import sys
import traceback
import warnings


def main() -> None:
    """Answer each ``{"task", "response"}`` by ``{"score"}`` (a number; null: not judged) or ``{"error"}``."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    module, _, name = sys.argv[1].partition(":")
    judge = getattr(importlib.import_module(f"adapters.{module}"), name)
    options = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
    ready = getattr(importlib.import_module(f"adapters.{module}"), "prepare", None)
    if ready is not None:
        ready()
    _say(answers, {"ready": True})
    for line in sys.stdin:
        case = json.loads(line)
        try:
            score = judge(case["task"], case["response"], **options)
            _say(answers, {"score": None if score is None else float(score)})
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            _say(answers, {"error": "".join(traceback.format_exception_only(error)).strip()[-400:]})


def _say(answers, answer) -> None:  # noqa: ANN001
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
