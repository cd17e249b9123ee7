"""abort() ends the call only."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="import os\nos.abort()\n",
    is_safe=fails(FAILED, words="6"),
)
