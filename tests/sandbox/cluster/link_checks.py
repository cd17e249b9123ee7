"""Which checks of conformance a link could break.

The other checks are of what happens inside a box: how a call is ended, what it may take, what it sees. A node behind a
link is the same sandbox over the same Docker backend, which ``tests/sandbox/checks/test_conformance.py`` holds to every
check; a link adds nothing to them but the way of calls there and of verdicts back, which these use.
"""

from sandbox.checks.conformance import CHECKS

_INSIDE_A_BOX = {
    "ends_a_call_in_time",
    "ends_a_call_that_wants_too_much",
    "imports_from_nowhere_else",
    "one_bad_call_spoils_no_other",
    "shares_nothing_between_calls",
    "runs_solutions_elsewhere",
}
LINK_CHECKS = [name for name, _ in CHECKS if name not in _INSIDE_A_BOX]
