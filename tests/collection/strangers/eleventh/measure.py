"""Asks a verifier of mathematics about every answer of the eleventh set (Verihub, Apache-2.0).

``python -m tests.collection.strangers.eleventh.measure`` asks the collection's math-answer, and ``... math-verify`` that library,
where it is installed. Both rates are printed with their 95 % intervals, the six answers to a question as one cluster; then every
error. A verifier that raises is counted as one that does not accept, and named.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from schemas.measures.clusters import clustered_rate
from tests.collection.strangers.eleventh import labels

SOURCE = Path(__file__).parents[4] / "collection" / "math-answer" / "src"
Asked = Callable[[dict[str, Any]], bool]


@contextmanager
def math_answer() -> Iterator[Asked]:
    sys.path.insert(0, str(SOURCE))
    try:
        from lecture_math_answer import verify  # type: ignore[import-not-found]  # noqa: PLC0415 -- found only now

        yield (
            lambda line: (
                verify({"prompt": line["question"], "answer": line["gold"]}, line["response"])["correct"] == 1.0
            )
        )
    finally:
        sys.path.remove(str(SOURCE))


@contextmanager
def math_verify() -> Iterator[Asked]:
    """A gold answer without dollars is put between them, as its documents ask."""
    from math_verify import parse, verify  # type: ignore[import-not-found]  # noqa: PLC0415 -- installed by hand

    def asked(line: dict[str, Any]) -> bool:
        gold = line["gold"] if "$" in line["gold"].replace("\\$", "") else f"${line['gold']}$"
        return bool(verify(parse(gold), parse(line["response"])))

    yield asked


def show(lines: list[dict[str, Any]], accepted: list[bool]) -> Iterator[str]:
    for manner in ("", "boxed", "other"):
        for label in (False, True):
            chosen = [
                (line, verdict)
                for line, verdict in zip(lines, accepted, strict=True)
                if line["label"] is label and manner in ("", line["manner"])
            ]
            errors = [(verdict is not label, (line["question"],)) for line, verdict in chosen]
            rate = clustered_rate(errors)
            what = "right rejected" if label else "wrong accepted"
            found = sum(error for error, _ in errors)
            yield (
                f"{manner or 'all'}: {what} {found} of {len(errors)}: "
                f"{100 * (rate.value or 0):.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("verifier", nargs="?", default="math-answer", choices=["math-answer", "math-verify"])
    lines, accepted = labels.load(), []
    with (math_answer if parser.parse_args().verifier == "math-answer" else math_verify)() as asked:
        for line in lines:
            try:
                accepted.append(asked(line))
            except Exception as error:  # noqa: BLE001 -- no verdict
                print(f"raised {type(error).__name__}: {error}: {line['gold']!r} {line['response']!r}")
                accepted.append(False)
    print(*show(lines, accepted), sep="\n")
    for line, verdict in zip(lines, accepted, strict=True):
        if verdict is not line["label"]:
            print("accepted" if verdict else "rejected", repr(line["gold"]), repr(line["response"]), sep=" | ")


if __name__ == "__main__":
    main()
