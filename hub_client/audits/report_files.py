"""An audit report as files, and who signed it."""

import json
from collections.abc import Mapping
from typing import Any

from hub_client.errors import IntegrityError
from sandbox.audit.badge import render_badge
from sandbox.audit.errors import SignatureError
from sandbox.audit.openenv_report import openenv_report
from sandbox.audit.report import report_data
from sandbox.audit.report_text import render_markdown
from sandbox.audit.signatures import check_signature, key_id
from schemas.audit import AuditReport


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
