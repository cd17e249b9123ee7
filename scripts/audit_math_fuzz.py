"""Judge random expressions in many forms with lecture/math-answer and, if wanted, math-verify; sympy gives the labels.

``.venv/bin/python scripts/audit_math_fuzz.py [--count 300] [--seed 0] [--math-verify] [--show]``. A right response is
a form that sympy derived from the gold answer (expanded, factored, together, in LaTeX, as code); a wrong one has one
coefficient, sign or exponent changed. Labels are kept only where values at random points, to 30 digits, say the same.
"""
# ruff: noqa: E501, S311 -- tables read better whole; the randomness is for reproducible cases

import argparse
import importlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import sympy

COLLECTION = Path(__file__).parents[1] / "collection"
X, Y, N = sympy.symbols("x y n", positive=True)
_POINTS = 3


def expression(source: Random, depth: int) -> Any:
    """A random expression in x, and now and then y or numbers alone."""
    if depth == 0:
        return source.choice([X, X, Y, sympy.Integer(source.randint(1, 9)), sympy.Rational(source.randint(1, 9), source.randint(2, 9)), sympy.pi, sympy.sqrt(source.choice([2, 3, 5, 7]))])  # fmt: skip
    left, right = expression(source, depth - 1), expression(source, depth - 1)
    kind = source.choice(["add", "add", "sub", "mul", "mul", "div", "pow", "sqrt", "fn"])
    if kind == "pow":
        return left ** source.randint(2, 4)
    if kind == "sqrt":
        return sympy.sqrt(left + source.randint(1, 5))
    if kind == "fn":
        return source.choice([sympy.sin, sympy.cos, sympy.log, sympy.exp])(left)
    return {"add": left + right, "sub": left - right, "mul": left * right, "div": left / (right + 1)}[kind]


def forms(gold: Any) -> list[str]:
    """The same expression written differently."""
    derived = [gold, sympy.expand(gold), sympy.factor(gold), sympy.together(gold), sympy.cancel(gold)]
    texts = [sympy.latex(form) for form in derived]
    texts += [sympy.latex(gold, fold_short_frac=True), sympy.latex(gold, mul_symbol="dot"), sympy.latex(gold, ln_notation=True), sympy.latex(gold, root_notation=False)]  # fmt: skip
    texts += [str(gold), str(sympy.expand(gold)).replace("**", "^")]
    return list(dict.fromkeys(texts))


def mutants(gold: Any, source: Random) -> list[Any]:
    """Wrong expressions close to the right one: one leaf changed, the sign changed, or a neighbouring value."""
    leaves = [part for part in sympy.preorder_traversal(gold) if part.is_Integer or part == X]
    found = [-gold, gold + 1, 2 * gold]
    if leaves:
        leaf = source.choice(leaves)
        found.append(gold.xreplace({leaf: leaf + 1}))
    return found


def same_value(one: Any, two: Any, source: Random) -> bool | None:
    """Whether two expressions have equal values at random points; None where they cannot be evaluated."""
    verdicts = []
    for _ in range(_POINTS):
        point = {name: mpmath.mpf(source.randint(1, 400)) / 97 for name in (X, Y, N)}
        try:
            left, right = (complex(sympy.N(side.subs(point), 30)) for side in (one, two))
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            continue
        scale = max(abs(left), abs(right), 1e-9)
        if scale < 1e12:
            verdicts.append(abs(left - right) < 1e-12 * scale)
    return verdicts[0] if len(verdicts) == _POINTS and len(set(verdicts)) == 1 else None


def cases(count: int, seed: int) -> Iterator[tuple[str, str, bool]]:
    """(gold, response, must be accepted)."""
    for number in range(count):
        source = Random(f"{seed}:{number}")
        gold = expression(source, source.randint(1, 2))
        if not gold.is_finite or sympy.count_ops(gold) > 25:
            continue
        text = sympy.latex(gold)
        for response in forms(gold):
            yield text, response, True
        for wrong in mutants(gold, source):
            if same_value(gold, wrong, source) is False:
                yield text, sympy.latex(wrong), False


def load(name: str) -> Callable[..., dict[str, float | None]]:
    """The package's own ``verify``."""
    sys.path.insert(0, str(COLLECTION / name / "src"))
    try:
        return importlib.import_module(f"lecture_{name.replace('-', '_')}").verify
    finally:
        sys.path.pop(0)


def main() -> None:
    """Print one flat object of numbers; with ``--show`` each disagreement before it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--math-verify", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    found: Counter[str] = Counter()
    verifiers = {name: load(name) for name in ("math-answer", *(["math-verify"] if options.math_verify else []))}
    seconds = dict.fromkeys(verifiers, 0.0)
    for gold, response, right in cases(options.count, options.seed):
        found["right" if right else "wrong"] += 1
        for name, verify in verifiers.items():
            started = time.process_time()
            accepted = verify({"answer": gold, "prompt": ""}, response)["correct"]
            seconds[name] += time.process_time() - started
            if accepted != float(right):
                found[f"{name} {'rejects right' if right else 'accepts wrong'}"] += 1
                if options.show:
                    print(f"{name} {'FN' if right else 'FP'}  {gold}  ||  {response}")
    total = found["right"] + found["wrong"]
    costs = {f"{name} ms": round(1000 * spent / max(total, 1), 2) for name, spent in seconds.items()}
    print(json.dumps(dict(sorted(found.items())) | costs))


if __name__ == "__main__":
    main()
