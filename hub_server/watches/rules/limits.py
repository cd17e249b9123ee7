"""How much one account may watch, and how often it is mailed."""

from datetime import timedelta

from schemas.watches import MailPace

MOST_OF_ACCOUNT = 500
GATHERED_FOR = timedelta(minutes=1)
"""How long the first piece of news waits for others: a package that is quarantined tells of each release."""
PAUSES = {MailPace.HOUR: timedelta(hours=1), MailPace.DAY: timedelta(days=1)}
"""The least time between two mails to one account, whatever happens: nobody can fill a stranger's mailbox."""
KEPT = timedelta(days=30)
"""News that could not be mailed for so long are forgotten."""
