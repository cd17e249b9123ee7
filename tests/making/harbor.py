"""Small Harbor tasks of our own, in the form that Harbor gives them."""

from pathlib import Path

TOML = 'version = "1.0"\n\n[verifier]\ntimeout_sec = 60.0\n'
FILES = {
    "task.toml": TOML,
    "instruction.md": "Sort the lines of /app/words.txt into /app/sorted.txt.",
    "environment/Dockerfile": (
        "FROM ubuntu:24.04\nRUN apt-get update && apt-get install -y tmux asciinema\nWORKDIR /app\nCOPY words.txt .\n"
    ),
    "environment/words.txt": "pear\napple\n",
    "solution/solve.sh": "#!/bin/bash\nsort /app/words.txt > /app/sorted.txt\n",
    "tests/test.sh": (
        'if [ "$(cat /app/sorted.txt)" = "$(sort /app/words.txt)" ]; then echo 1; else echo 0; fi'
        " > /logs/verifier/reward.txt\n"
    ),
}


def make_task(place: Path, **changed: str | None) -> Path:
    """A task in ``place``. ``changed``: path, with ``__`` for a slash and ``_dot_`` for a dot, -> its text, or None."""
    named = {path.replace("__", "/").replace("_dot_", "."): text for path, text in changed.items()}
    for path, text in {**FILES, **named}.items():
        if text is not None:
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text)
    return place
