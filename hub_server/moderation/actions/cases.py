"""Moderators hide, show and settle counter-examples. The actions of ``audits`` do it; here it is written to the log."""

from hub_server.audits import actions as audits
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation.actions.log import note_act
from schemas.evidence.counter_examples import CounterExample, Ruling


def hide_case(work: UnitOfWork, package_id: str, case_id: str, reason: str) -> CounterExample:
    """Take a counter-example out of every list and audit, with a line in the log. Raises ``CaseNotFoundError``."""
    case = audits.hide_case(work, package_id, case_id, reason)
    note_act(work, "hide_case", reason, package_id=package_id, version=case.against, case_id=case.id)
    return case


def show_case(work: UnitOfWork, package_id: str, case_id: str, reason: str) -> CounterExample:
    """Undo ``hide_case``, with a line in the log."""
    case = audits.show_case(work, package_id, case_id)
    note_act(work, "show_case", reason, package_id=package_id, version=case.against, case_id=case.id)
    return case


def settle_case(work: UnitOfWork, package_id: str, case_id: str, body: Ruling) -> CounterExample:
    """End a dispute (``audits.settle_dispute``), with a line in the log unless its submitter takes the case back."""
    case = audits.settle_dispute(work, package_id, case_id, body.ruling, body.reason)
    is_own = work.caller is not None and work.caller.name == case.submitted_by
    if work.caller is not None and work.caller.is_moderator and not is_own:
        words = f"{body.ruling}: {body.reason}" if body.reason else body.ruling
        note_act(work, "settle_case", words, package_id=package_id, version=case.against, case_id=case.id)
    return case
