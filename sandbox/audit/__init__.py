"""Measuring a verifier: labelled cases and probes in, rates with intervals and a grade out."""

from sandbox.audit.badge import render_badge
from sandbox.audit.cases import case_problems, cases_digest
from sandbox.audit.differential import compare_verifiers
from sandbox.audit.openenv_report import openenv_report
from sandbox.audit.report import report_digest, reproducible_bytes
from sandbox.audit.report_text import render_markdown, render_terminal
from sandbox.audit.runner import run_audit

__all__ = [
    "case_problems",
    "cases_digest",
    "compare_verifiers",
    "openenv_report",
    "render_badge",
    "render_markdown",
    "render_terminal",
    "report_digest",
    "reproducible_bytes",
    "run_audit",
]
