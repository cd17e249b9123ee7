"""The export in OpenEnv's shape: each check says what was measured, and what was not run is not passed."""

import pytest

from sandbox.audit.openenv_report import openenv_report
from schemas.evidence.audit import Determinism
from schemas.evidence.rates import ProbeOutcome
from schemas.manifest import Manifest
from tests.making.reports import make_report

HEAD = 'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n'


def status(report, check):
    (found,) = [result for result in openenv_report(report)["results"] if result["check_id"] == check]
    return found["status"]


def probe(cases, failures):
    return ProbeOutcome(cases=cases, failures=failures, unscored=0)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [({"tn": 0}, "skip"), ({"tn": 10}, "fail"), ({"tn": 100}, "pass"), ({"tn": 50, "fp": 50}, "fail")],
)
def test_a_rate_passes_by_the_upper_end_of_its_interval(counts, expected):
    assert status(make_report(**counts), "statistical.false_positive_rate") == expected


@pytest.mark.parametrize(("repeats", "flips", "expected"), [(1, 0, "skip"), (2, 0, "pass"), (3, 1, "fail")])
def test_determinism_needs_two_runs(repeats, flips, expected):
    assert (
        status(make_report(determinism=Determinism(repeats=repeats, flips=flips)), "semantic.verifier_determinism")
        == expected
    )


@pytest.mark.parametrize(
    ("family", "check"),
    [
        ("oracle_answer", "semantic.oracle_max"),
        ("empty_text", "semantic.floor_gap"),
        ("leak_superstring", "statistical.adversarial_floor"),
    ],
)
@pytest.mark.parametrize(("cases", "failures", "expected"), [(0, 0, "skip"), (12, 0, "pass"), (12, 1, "fail")])
def test_one_wrong_probe_fails_its_check(family, check, cases, failures, expected):
    assert status(make_report(probes={family: probe(cases, failures)}), check) == expected


def test_the_verdict_is_the_worst_of_the_checks():
    probes = {name: probe(12, 0) for name in ("oracle_a", "nop_a", "cheat_a")}
    whole = make_report(tp=100, tn=100, probes=probes)
    assert openenv_report(whole)["verdict"] == "pass"
    assert openenv_report(whole.model_copy(update={"probes": {}}))["verdict"] == "warn"
    assert openenv_report(whole.model_copy(update={"probes": probes | {"cheat_b": probe(1, 1)}}))["verdict"] == "fail"
    assert all(
        result["remediation"] for result in openenv_report(make_report(tn=1))["results"] if result["status"] == "fail"
    )


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ("[rewards.correct]", [0.0, 1.0]),
        ("[rewards.correct]\n[rewards.long]\nweight = -0.5\nrange = [0, 2]", [-1.0, 1.0]),
        ("[rewards.correct]\nrange = [-1, 1]\nweight = 2.0", [-2.0, 2.0]),
        ('[rewards.correct]\n[rewards.safe]\nrole = "gate"\n[rewards.length]\nrole = "metric"\nrange = [0, 99]', [0.0, 1.0]),
    ],
)  # fmt: skip
def test_the_range_is_that_of_the_weighted_sum(rewards, expected):
    declared = openenv_report(make_report(), Manifest.from_toml(HEAD + rewards))["manifest"]["reward"]
    assert declared["range"] == expected
    assert declared["floor_margin"] == pytest.approx(0.1 * (expected[1] - expected[0]))
