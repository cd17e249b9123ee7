"""What audits say of a run's verifiers, before anything is trained."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hub_client.audits.report_files import known_from_file
from hub_client.client import require_limits
from hub_client.errors import AuditLimitError, HubUnreachableError
from schemas.known_audit import AuditLimits, KnownAudit
from trainer_bridge.ports import Environment, Hub


class KnownAudits:
    """The audit of each environment's verifier: from a report that was given, or the hub's newest one."""

    def __init__(self, hub: Hub, limits: AuditLimits, reports: Sequence[Path] = ()) -> None:
        self._hub, self._limits = hub, limits
        self._given = {known.digest: known for known in map(known_from_file, reports)}

    def find(self, environment: Environment) -> KnownAudit | None:
        """What is known of whoever judges in ``environment``; None where nobody has measured it.

        Raises:
            AuditLimitError: a limit is set, and there is no audit that keeps it.

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
    """How audits differ from those that a run began with, one line each."""
    return [line for package, known in then.items() for line in known.differences(now.get(package))]
