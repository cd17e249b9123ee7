"""How much one account may watch, and how often it is mailed."""

from datetime import timedelta

from schemas.watches import MailPace

MOST_OF_ACCOUNT = 500  # chosen, not measured
GATHERED_FOR = timedelta(minutes=1)
"""How long news wait for more, so that one mail has all: a quarantine, for instance, is news of each release."""
PAUSES = {MailPace.HOUR: timedelta(hours=1), MailPace.DAY: timedelta(days=1)}
"""The least time between two mails to one account, whatever happens: nobody can fill a stranger's mailbox."""
KEPT = timedelta(days=30)
"""News that could not be mailed for so long are forgotten."""
