"""An audit report in the shape of OpenEnv's RFC 008 (validation report, version 2)."""

from typing import Any, Literal

from sandbox.audit.report import report_digest
from schemas.evidence.audit import AuditReport
from schemas.evidence.rates import Grade, ProbeOutcome, Rate
from schemas.manifest import Manifest
from schemas.measures.grades import percent
from schemas.measures.weighted_sum import sum_range
from schemas.names import split_release

Status = Literal["pass", "fail", "skip", "error"]

POLICY_VERSION = "2"
MAX_RATE = 0.10
"""A check of a rate passes when the upper bound of its interval is at most this (the bound of grade C)."""
_FORMAT = "openenv.yaml"
_WORK_FOLDER_MB = 64
_STATISTICAL = 4
_SEMANTIC = 3


def openenv_report(report: AuditReport, manifest: Manifest | None = None) -> dict[str, Any]:
    """JSON-ready, with the fields of the standard's report schema and no other.

    Rates go to the statistical level, probes to the semantic one; what was not run is ``skip``. What the standard has
    no field for (suite, image, grade, who signed) is measured by ``hub.immutable_versioning``. ``manifest``: the
    release's own; without it the export has none. ``signature`` is the standard's word for the format of a package: it
    knows three, of which a package that is served over its protocol is ``openenv.yaml``.
    """
    results = [
        _oracle(report),
        _floor(report),
        _determinism(report),
        _rate("statistical.false_positive_rate", "accepts wrong answers", report.overall.fpr),
        _rate("statistical.false_negative_rate", "rejects right answers", report.overall.fnr),
        _group(report, "statistical.adversarial_floor", ("leak", "cheat", "judge"), "a wrong response was accepted"),
        _identity(report),
    ]
    failed = any(result["status"] == "fail" for result in results)
    skipped = any(result["status"] == "skip" for result in results)
    return {
        "report_schema_version": "2",
        "target": report.subject,
        "source_digest": report.digest,
        "signature": _FORMAT,
        "manifest": _manifest(report, manifest) if manifest is not None else None,
        "policy_version": POLICY_VERSION,
        "lane": "hub",
        "levels_run": [_SEMANTIC, _STATISTICAL],
        "results": results,
        "verdict": "fail" if failed else "warn" if skipped or report.grade is Grade.UNMEASURED else "pass",
    }


def _manifest(report: AuditReport, manifest: Manifest) -> dict[str, Any]:
    """The declaration, normalised: the weighted sum as the one reward, and the sandbox's limits."""
    name, version = split_release(report.subject)
    low, high = sum_range(manifest.rewards.values())
    low, high = (low, high) if low < high else (0.0, 1.0)
    return {
        "manifest_schema_version": "1",
        "name": name,
        "version": version,
        "signature": _FORMAT,
        "reward": {"range": [low, high], "oracle_tolerance": 0.0, "floor_margin": MAX_RATE * (high - low)},
        "resources": {
            "cpu": 1.0,
            "memory_mb": manifest.sandbox.memory_mb,
            "disk_mb": _WORK_FOLDER_MB,
            "episode_timeout_s": manifest.sandbox.timeout_seconds,
        },
        "network": {"mode": "no-network", "allowed_hosts": []},
        "capabilities": {"verifier": {"kind": "reward_channel"}, "declared_tools": list(manifest.tools)},
        "types": {"tags": list(manifest.tags) or [manifest.kind.value]},
    }


def _identity(report: AuditReport) -> dict[str, Any]:
    """What exactly was measured, and the digest that the same measurement would have again."""
    measured = {
        "release_digest": report.digest,
        "suite_digest": report.suite_digest,
        "image_digest": report.image_digest,
        "report_digest": report_digest(report),
        "runner_version": report.runner_version,
        "grade": str(report.grade),
        "signed": report.signature,
    }
    evidence = ["a release is one wheel, named by its digest, and never changes"]
    return _check("hub.immutable_versioning", "pass", measured, evidence, "")


def _check(check_id: str, status: Status, measured: dict[str, Any], evidence: list[str], remedy: str) -> dict[str, Any]:
    return {
        "check_id": check_id,
        "status": status,
        "measured": measured,
        "evidence": evidence,
        "remediation": remedy if status == "fail" else None,
        "duration_s": 0.0,
    }


def _oracle(report: AuditReport) -> dict[str, Any]:
    return _group(report, "semantic.oracle_max", ("oracle",), "the reference answer is not accepted")


def _floor(report: AuditReport) -> dict[str, Any]:
    return _group(report, "semantic.floor_gap", ("nop", "empty"), "doing nothing is accepted")


def _group(report: AuditReport, check_id: str, groups: tuple[str, ...], remedy: str) -> dict[str, Any]:
    """All families of some groups as one check. Any wrong verdict fails it; without cases it is skipped."""
    chosen: dict[str, ProbeOutcome] = {
        name: outcome for name, outcome in report.probes.items() if name.split("_")[0] in groups
    }
    cases = sum(outcome.cases for outcome in chosen.values())
    failures = sum(outcome.failures for outcome in chosen.values())
    evidence = [f"{name}: {o.failures} of {o.cases}" for name, o in chosen.items() if o.failures]
    status: Status = "skip" if cases == 0 else "fail" if failures else "pass"
    return _check(check_id, status, {"cases": cases, "failures": failures}, evidence, remedy)


def _determinism(report: AuditReport) -> dict[str, Any]:
    found = report.determinism
    status: Status = "skip" if found.repeats < 2 else "fail" if found.flips else "pass"
    measured = {"repeats": found.repeats, "flips": found.flips}
    return _check("semantic.verifier_determinism", status, measured, [], "some verdicts change from run to run")


def _rate(check_id: str, says: str, rate: Rate) -> dict[str, Any]:
    measured = {"value": rate.value, "low": rate.low, "high": rate.high, "confidence": 0.95, "interval": "wilson"}
    status: Status = "skip" if rate.value is None else "pass" if rate.high <= MAX_RATE else "fail"
    return _check(
        check_id, status, measured, [f"{says}: at most {percent(rate.high)}"], f"{says} too often, or too few cases"
    )
