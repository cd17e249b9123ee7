"""Finds and checks the audits of a run's verifiers before training."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hub_client.audits.report_files import known_from_file
from hub_client.client import require_limits
from hub_client.errors import AuditLimitError, HubUnreachableError
from schemas.known_audit import AuditLimits, KnownAudit
from trainer_bridge.ports import Environment, Hub


class KnownAudits:
    """Finds the audit of each environment's verifier: a given report, or the newest one on the hub."""

    def __init__(self, hub: Hub, limits: AuditLimits, reports: Sequence[Path] = ()) -> None:
        self._hub, self._limits = hub, limits
        self._given = {known.digest: known for known in map(known_from_file, reports)}

    def find(self, environment: Environment) -> KnownAudit | None:
        """The audit of the verifier of ``environment``; None if nobody has audited it.

        Raises:
            AuditLimitError: a limit is set, and there is no audit within it.

        """
        judge = environment.judge
        known = self._given.get(judge.digest)
        if known is None:
            try:
                known = self._hub.known_audit(environment)
            except HubUnreachableError as error:
                if not self._limits.is_set:
                    return None
                raise AuditLimitError(
                    f"limits are set, and the hub cannot be asked for the audit of {judge.reference} ({error}). "
                    f"Measure it here: `verihub audit {judge.reference} --report audit.json`, then `--audit-report "
                    "audit.json`"
                ) from error
        if self._limits.is_set:
            require_limits(judge, self._limits, known)
        return known


def what_changed(then: Mapping[str, KnownAudit], now: Mapping[str, KnownAudit]) -> list[str]:
    """How audits differ from those at the start of a run, one line for each difference."""
    return [line for package, known in then.items() for line in known.differences(now.get(package))]
