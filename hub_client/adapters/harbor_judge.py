"""Judges one answer inside a Harbor verifier container. Copied into every exported task; the standard library only.

Beside it lie ``judge.json`` (the task, the entry point, the declared vector) and the wheels of the package and its
dependencies. ``reward`` is the declared weighted sum, 0 behind a closed gate; the vector stands beside it. Unjudged
rewards are left out. Without a sum no file is written, which Harbor reports as an error and not as 0.
"""

import importlib
import inspect
import json
import math
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any


def main(tests: Path, answer: Path, out: Path) -> int:
    """Write ``out``; the exit status is 1 where there was no verdict."""
    about = json.loads((tests / "judge.json").read_text(encoding="utf-8"))
    text = answer.read_text(encoding="utf-8", errors="replace").removesuffix("\n") if answer.is_file() else ""
    with tempfile.TemporaryDirectory() as folder:
        for wheel in sorted(tests.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        sys.path.insert(0, folder)
        module, _, name = about["verifier"].partition(":")
        verify = getattr(importlib.import_module(module), name)
        rewards = checked(called(verify, about["task"], text), about["rewards"])
    total = weighted_sum(rewards, about["rewards"])
    if total is None:
        print("the verifier could not judge this answer", file=sys.stderr)  # noqa: T201 -- Harbor keeps what a test says
        return 1
    judged = {name: value for name, value in rewards.items() if value is not None}
    vector = {f"{name}_reward" if name == "reward" else name: value for name, value in judged.items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"reward": total, **vector}), encoding="utf-8")
    return 0


def called(verify: Any, task: dict[str, Any], text: str) -> Any:
    """Arguments are bound by name, as in the hub's sandbox."""
    prompt = task.get("prompt", "")
    asked = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
    messages = [*asked, {"role": "assistant", "content": text}]
    given = {"task": task, "response": text, "messages": messages, "state": None, "files": {}, "info": {}}
    wanted = inspect.signature(verify).parameters
    return verify(**{name: value for name, value in given.items() if name in wanted})


def checked(rewards: Any, declared: dict[str, Any]) -> dict[str, float | None]:
    """Check that the vector is the declared one, finite and in range. Raises ValueError."""
    if not isinstance(rewards, dict) or set(rewards) != set(declared):
        raise ValueError(f"the verifier must return {sorted(declared)}, not {rewards!r}")
    for name, value in rewards.items():
        low, high = declared[name]["range"]
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number or None, not {value!r}")
        if not low <= value <= high:
            raise ValueError(f"{name} is {value}, outside its range {low} to {high}")
    return rewards


def weighted_sum(rewards: dict[str, float | None], declared: dict[str, Any]) -> float | None:
    """The rule of ``schemas.measures.weighted_sum``, copied because the container has no Verihub code."""
    judged = {name: value for name, value in rewards.items() if value is not None}
    scores = [name for name, about in declared.items() if about["role"] == "score"]
    gates = [name for name, about in declared.items() if about["role"] == "gate"]
    known = [name for name in scores if name in judged]
    low, high = _ends(known, declared)
    if not known or (len(known) < len(scores) and low == high):
        return None
    if any(name in judged and judged[name] < declared[name]["threshold"] for name in gates):
        return 0.0
    if not all(name in judged for name in gates):
        return None
    total: float = sum(judged[name] * declared[name]["weight"] for name in known)
    least, most = _ends(scores, declared)
    return total if len(known) == len(scores) else least + (total - low) / (high - low) * (most - least)


def _ends(names: list[str], declared: dict[str, Any]) -> tuple[float, float]:
    """The smallest and the largest sum of these scores."""
    ends = [sorted(end * declared[name]["weight"] for end in declared[name]["range"]) for name in names]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])))
