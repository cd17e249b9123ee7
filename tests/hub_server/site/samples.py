"""A small invented catalogue for the pages' tests: the same names and numbers everywhere."""

import math
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.evidence.audit import AuditRecord, AuditReport, Determinism, Failure, Latency
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import CounterExample
from schemas.evidence.rates import Grade, Measurement, ProbeOutcome
from schemas.manifest import Manifest, RewardDeclaration
from schemas.measures.grades import grade_of
from schemas.measures.intervals import rate
from schemas.package import AuditSummary, PackageCard, PackageDetail, Release
from schemas.run import MetricPoint, PinnedPackage, RewardChange, RolloutRow, Run

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DIGEST = "sha256:" + "9f41c07e5b2da81e" * 4

REWARDS = {
    "correct": RewardDeclaration(description="the answer means the same"),
    "simplest_form": RewardDeclaration(description="and is in lowest terms", weight=0.5),
    "parses": RewardDeclaration(role="gate", threshold=1.0),
    "units_match": RewardDeclaration(weight=0.25),
    "simplify_steps": RewardDeclaration(role="metric", range=(0, 64)),
}


def measured(fn: int, right: int, fp: int, wrong: int, unscored: int = 0) -> Measurement:
    return Measurement(
        tp=right - fn, fn=fn, fp=fp, tn=wrong - fp, unscored=unscored, fpr=rate(fp, wrong), fnr=rate(fn, right)
    )


def summary(version: str, *counts: int) -> AuditSummary:
    overall = measured(*counts)
    return AuditSummary(
        version=version,
        grade=grade_of(overall),
        overall=overall,
        case_count=counts[1] + counts[3],
        audited_at=NOW - timedelta(days=5),
    )


def card(identifier: str, kind: str, text: str, counts: tuple[int, ...] | None, **more: Any) -> PackageCard:
    fields: dict[str, Any] = {
        "id": identifier,
        "kind": kind,
        "summary": text,
        "tags": ["math", "single-turn"],
        "licence": "Apache-2.0",
        "latest": "1.3.0",
        "latest_digest": DIGEST,
        "updated_at": NOW - timedelta(days=2),
        "downloads": 4180,
        "rewards": REWARDS,
        "audit": summary("1.3.0", *counts) if counts else None,
        "audit_state": "done" if counts else "none",
    }
    return PackageCard(**{**fields, **more})


CARDS = [
    card("lecture/arith-exact", "environment", "Integer and fraction arithmetic with exact comparison; 40 000 generated tasks.", (2, 1120, 0, 940)),
    card("hana/math-equivalence", "verifier", "Decides whether two mathematical answers mean the same, by symbolic simplification with a numeric fallback.", (19, 1180, 5, 1240), latest="2.1.0", audit=summary("2.1.0", 19, 1180, 5, 1240)),
    card("northlab/json-schema-extraction-with-nested-optional-fields", "environment", "Fill a schema from a contract or an invoice; each field is its own reward.", (3, 214, 1, 236)),
    card("openbench/swe-repair-python", "environment", "Fix a failing test suite in a real repository; hidden tests decide.", (9, 190, 3, 210), tags=["code", "multi-turn", "tools"]),
    card("oskar/short-answer-rubric", "verifier", "A language-model judge with a five-line rubric for free-text answers.", (22, 310, 46, 400), audit=summary("1.2.0", 22, 310, 46, 400)),
    card("mira/web-form-filling", "environment", "Multi-page forms, with a session that can be branched.", None),
    card("mira/being-measured", "environment", "Published a minute ago.", None, audit_state="running"),
]  # fmt: skip


def manifest(identifier: str = "hana/math-equivalence") -> Manifest:
    return Manifest(
        format=1,
        id=identifier,
        kind="verifier",
        verifier="hana_math_equivalence:verify",
        rewards=REWARDS,
        tasks={"train": "tasks.jsonl"},
    )


def release(version: str, counts: tuple[int, ...] | None, days: int, **more: Any) -> Release:
    fields: dict[str, Any] = {
        "package": "hana/math-equivalence",
        "version": version,
        "digest": DIGEST,
        "size_bytes": 48_200,
        "published_at": NOW - timedelta(days=days),
        "published_by": "hana",
        "licence": "Apache-2.0",
        "summary": CARDS[1].summary,
        "requires_python": ">=3.11",
        "dependencies": ["sympy>=1.13"],
        "manifest": manifest(),
        "task_counts": {"train": 1200, "test": None},
        "case_count": 2428,
        "audit": summary(version, *counts) if counts else None,
    }
    return Release(**{**fields, **more})


RELEASES = [
    release("2.1.0", (19, 1180, 5, 1240), 5),
    release("2.0.1", (24, 1120, 6, 1190), 50),
    release("2.0.0", (24, 1120, 71, 1190), 53, state="yanked", state_reason="Accepted every answer that simplified to nan. Use 2.0.1."),
    release("1.6.3", (40, 760, 9, 802), 130),
    release("1.0.0", None, 290),
]  # fmt: skip

README = """# math-equivalence

Two answers are the same when no reader would mark one down. This verifier parses both sides, simplifies their difference, and where that does not end within 200 ms, evaluates it at 24 random points in exact rational arithmetic.

- Sets, intervals, tuples, matrices, percentages and mixed numbers.
- Asks for *all* solutions where the task does: a missing root is wrong.
- Never evaluates text as code.

```python
from hub_client import Hub

judge = Hub().verifier("hana/math-equivalence@2.1.0")
table = judge.score([(task, r"\\boxed{2/4}")])
table.values   # [[1., 0., 1., nan, 11.]]
```

## Limits

| what | how it is handled |
|---|---|
| intervals | `[0, 1)` and `0 <= x < 1` |
| units | compared as a reward of their own |
"""


def detail() -> PackageDetail:
    return PackageDetail(
        card=CARDS[1], owner="hana", created_at=NOW - timedelta(days=290), releases=RELEASES, readme=README
    )


def report() -> AuditReport:
    tags = {"fractions": (0, 310, 0, 290), "polynomials": (3, 224, 1, 260), "equations, all solutions": (2, 148, 3, 190), "intervals and sets": (9, 96, 1, 120), "matrices": (1, 40, 0, 38), "written in Chinese": (0, 11, 0, 9), "proofs": (0, 0, 0, 0)}  # fmt: skip
    origins = {"author": (2, 520, 0, 480), "probe": (4, 410, 2, 540), "community": (9, 130, 3, 140), "rollout": (4, 120, 0, 80)}  # fmt: skip
    right = {"reference_answer": (96, 0), "equivalent_rewrite": (140, 4), "extra_white_space": (72, 0), "long_preamble": (38, 0, 4)}  # fmt: skip
    wrong = {"answer_off_by_one": (212, 0), "answer_leaked": (96, 1), "one_root_missing": (84, 1), "empty": (60, 0), "not_finite": (48, 0), "overridden_equality": (40, 0)}  # fmt: skip
    return AuditReport(
        subject="hana/math-equivalence@2.1.0",
        digest=DIGEST,
        suite_digest="sha256:" + "03bd6690f1aa7c42" * 4,
        image_digest="sha256:" + "e5510a9c44d719f0" * 4,
        isolation="batch",
        runner_version="0.1.0",
        grade=Grade.B,
        overall=measured(19, 1180, 5, 1240, 8),
        rewards={
            "correct": measured(12, 1180, 4, 1240, 8),
            "simplest_form": measured(2, 420, 7, 388, 3),
            "units_match": measured(1, 64, 0, 71, 212),
            "parses": measured(0, 1180, 11, 240),
        },
        slices={
            **{f"tag:{k}": measured(*v) for k, v in tags.items()},
            **{f"origin:{k}": measured(*v) for k, v in origins.items()},
        },
        probes={
            **{k: ProbeOutcome(cases=v[0], failures=v[1], unscored=v[2] if len(v) > 2 else 0, expects="correct") for k, v in right.items()},
            **{k: ProbeOutcome(cases=v[0], failures=v[1], unscored=0) for k, v in wrong.items()},
        },
        determinism=Determinism(repeats=3, flips=0),
        latency_ms=Latency(p50=12, p95=41, p99=208),
        unscored_reasons={"timeout": 6, "verifier_failed": 2},
        power_hint="12 more labelled wrong answers without an error would not change the grade; 900 more right ones could.",
        youden_j=0.98,
        disputed=14,
        failures=[
            failure("c-1184", "fp", "Solve x² = 9 for all real x.", r"\boxed{3}", {"correct": 1, "simplest_form": 1, "parses": 1}, "community"),
            failure("p-0231", "fn", "Write the union as an interval.", r"[0, 2] \ {1}", {"correct": 0, "simplest_form": 1, "parses": 1}, "probe"),
            failure("c-1190", "fn", "Simplify √(x²) for x < 0.", "−x", {"correct": 0, "simplest_form": None, "parses": 1}, "community"),
            failure("p-0688", "fp", "What is 5 + 7?", r"The answer is 12, not 13; or is it 13? \boxed{12}\boxed{13}", {"correct": 1, "simplest_form": 1, "parses": 1}, "probe"),
            failure("r-0042", "unscored", "Write 3 h 20 min in hours.", r"\boxed{3\tfrac13\,\mathrm{h}}", {"correct": None, "simplest_form": None, "parses": 0}, "rollout"),
        ],
        case_count=2428,
        audited_at=NOW - timedelta(days=5),
    )  # fmt: skip


def failure(case: str, kind: str, prompt: str, response: str, got: dict[str, float | None], origin: str) -> Failure:
    expected = {"fp": "incorrect", "fn": "correct", "unscored": "correct"}[kind]
    return Failure(
        case=case,
        expected=expected,
        got=got,
        origin=origin,
        kind=kind,
        task={"id": case, "prompt": prompt},
        response=response,
        error="timeout: 5 s were not enough" if kind == "unscored" else "",
    )


def record(**more: Any) -> AuditRecord:
    fields: dict[str, Any] = {
        "id": "au_01",
        "package": "hana/math-equivalence",
        "version": "2.1.0",
        "state": "done",
        "done_cases": 2428,
        "total_cases": 2428,
        "created_at": NOW - timedelta(days=5),
        "finished_at": NOW - timedelta(days=5),
        "report": report(),
    }
    return AuditRecord(**{**fields, **more})


def counter_examples() -> list[CounterExample]:
    rows = [
        ("c-1184", "hana/math-equivalence", "2.1.0", "Solve x² = 9 for all real x.", r"\boxed{3}", "incorrect", "reproduced", {"correct": 1, "simplest_form": 1, "parses": 1}),
        ("c-1190", "openbench/swe-repair-python", "3.0.1", "Make tests/test_dates.py pass.", "def pytest_runtest_makereport(item, call): call.excinfo = None", "incorrect", "fixed", {"correct": 1, "parses": 1}),
        ("c-1201", "northlab/json-schema-extraction-with-nested-optional-fields", "0.9.2", "Which currency is the penalty in?", '"CHF" (given in the annex, not in the body)', "correct", "disputed", {"correct": 0.4, "parses": 1, "units_match": None}),
    ]  # fmt: skip
    return [
        CounterExample(
            id=identifier,
            package=package,
            case=AuditCase(
                id=identifier,
                task={"id": "t", "prompt": prompt},
                response=response,
                label=label,
                origin="community",
                note="A case for the tests.",
            ),
            state=state,
            submitted_by="jun",
            submitted_at=NOW - timedelta(hours=4),
            against=version,
            fixed_in="3.0.2" if state == "fixed" else None,
            verdicts={version: verdict},
        )
        for identifier, package, version, prompt, response, label, state, verdict in rows
    ]


def run(**more: Any) -> Run:
    names = ("correct", "simplest_form", "parses")
    fields: dict[str, Any] = {
        "id": "run_14",
        "name": "grpo-fractions-14",
        "owner": "hana",
        "kind": "training",
        "state": "finished",
        "model": "smollm2-135m",
        "recipe": "dapo",
        "packages": [PinnedPackage(package="hana/math-equivalence", version="2.1.0", digest=DIGEST)],
        "rewards": {name: REWARDS[name] for name in names},
        "config": {"learning_rate": 1e-6, "group_size": 16, "model": "smollm2-135m", "seed": 0},
        "summary": {
            "correct": RewardChange(before=0.27, before_low=0.2, before_high=0.35, after=0.66, after_low=0.58, after_high=0.73, tasks=128),
            "parses": RewardChange(before=0.86, before_low=0.8, before_high=0.92, after=0.99, after_low=0.96, after_high=1.0, tasks=128),
        },
        "created_at": NOW - timedelta(hours=26),
        "updated_at": NOW - timedelta(hours=24),
        "last_step": 400,
    }  # fmt: skip
    return Run(**{**fields, **more})


def metrics(steps: int = 400, *, hacked: bool = True, stride: int = 5) -> list[MetricPoint]:
    chance = random.Random(7)
    points = []
    for step in range(0, steps + 1, stride):
        done = step / max(steps, 1)
        correct = 0.27 + 0.66 * (1 - math.exp(-2.6 * done)) / (1 - math.exp(-2.6)) + chance.gauss(0, 0.008)
        held = min(correct, 0.27 + 0.46 * (1 - math.exp(-5 * done))) + chance.gauss(0, 0.008)
        held -= max(0.0, done - 0.68) * 0.2 if hacked else 0.0
        entropy = 0.11 + 0.62 * math.exp(-4 * done) + abs(chance.gauss(0, 0.008))
        values = {
            "rewards/correct/mean": correct,
            "rewards/simplest_form/mean": max(0, 0.1 + 0.42 * done**1.4 + chance.gauss(0, 0.01)),
            "rewards/parses/mean": min(1, 0.86 + 0.14 * min(1, done * 6) + chance.gauss(0, 0.004)),
            "held_out/correct/mean": held,
            "reward": correct + 0.25 * done,
            "entropy": entropy,
            "completions/mean_length": 288 + 124 * done + chance.gauss(0, 4),
            "rewards/correct/unjudged": 0.0004,
            "time/generate": 11.8,
            "time/logprob": 2.1,
            "time/optim": 4.6,
            "time/reward": 0.3,
        }
        points.append(MetricPoint(step=step, values=values))
    return points


def rollouts() -> list[RolloutRow]:
    rows = [
        (392, "Solve x² = 49 for all real x.", r"…so the value is 7. \boxed{7}", {"correct": 1, "simplest_form": 1, "parses": 1}, ""),
        (391, "Write 0.375 as a fraction.", r"\boxed{375/1000}", {"correct": 1, "simplest_form": 0, "parses": 1}, ""),
        (390, "Give the interval where f is increasing.", "It increases for x between those points, which I will now describe in detail", {"correct": None, "simplest_form": None, "parses": None}, "timeout"),
        (388, "Half of 7?", "three and a half", {"correct": 0, "simplest_form": 0, "parses": 0}, ""),
    ]  # fmt: skip
    return [
        RolloutRow(step=s, task_id=f"t{s}", prompt=p, response=r, rewards=v, error=e, advantage=0.7, tokens=212)
        for s, p, r, v, e in rows
    ]
