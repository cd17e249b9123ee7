"""Rows of rates."""

from hub_server.site.sections import audit_rows as audits
from tests.hub_server.site import samples


def test_ledger_rows_leave_out_what_has_no_threshold() -> None:
    names = [name for name, _, _, _ in audits.reward_rows(samples.report(), samples.REWARDS)]
    assert names == ["correct", "simplest_form", "parses", "units_match"]
