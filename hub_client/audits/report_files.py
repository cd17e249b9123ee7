"""An audit report as files, and who signed it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hub_client.errors import IntegrityError, NotFoundError, UsageError
from sandbox.audit.badge import render_badge
from sandbox.audit.errors import SignatureError
from sandbox.audit.openenv_report import openenv_report
from sandbox.audit.report import report_data, report_digest
from sandbox.audit.report_text import render_markdown
from sandbox.audit.signatures import check_signature
from schemas.evidence.audit import AuditReport
from schemas.journal.signed_note import key_id
from schemas.known_audit import KnownAudit


def report_files(report: AuditReport) -> dict[str, bytes]:
    """The report in every shape that can be written: ``markdown``, ``openenv``, ``badge`` and ``report`` (JSON)."""
    shapes = {"openenv": openenv_report(report), "report": report_data(report)}
    texts = {
        name: json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n" for name, data in shapes.items()
    }
    texts |= {"markdown": render_markdown(report), "badge": render_badge(report)}
    return {name: text.encode() for name, text in texts.items()}


def signer_of(report: AuditReport | Mapping[str, Any]) -> tuple[str, str]:
    """(key id, public key in base64) of the key that signed exactly this report.

    Raises :class:`IntegrityError` when it is unsigned or was changed after signing.
    """
    try:
        key = check_signature(report)
    except SignatureError as error:
        raise IntegrityError(str(error)) from None
    return key_id(key), key


def read_report(file: Path) -> dict[str, Any]:
    """The report in a file, as JSON. Raises :class:`NotFoundError`, or :class:`UsageError` for what is none."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file} is no report: {error}") from None
    except RecursionError:
        raise UsageError(f"{file} is no report: its JSON is nested too deeply to be read") from None
    found = data.get("report", data) if isinstance(data, dict) else None
    if not isinstance(found, dict):
        raise UsageError(f"{file} is no report: it holds no JSON object")
    return found


def parse_report(data: dict[str, Any]) -> AuditReport:
    """A report from its JSON. Raises :class:`UsageError` for what is none."""
    try:
        return AuditReport.read(data)
    except ValidationError as error:
        raise UsageError(
            f"this is no audit report, as `verihub audit --report FILE` writes one: {error.errors()[0]['msg']}"
        ) from None


def known_from_file(file: Path) -> KnownAudit:
    """The short form of a report that `verihub audit TARGET --report FILE` wrote."""
    report = parse_report(read_report(file))
    return KnownAudit.of(report, audit="", report_digest=report_digest(report))
