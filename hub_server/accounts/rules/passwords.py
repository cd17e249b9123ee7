"""How many wrong passwords an account takes."""

from datetime import timedelta

WRONG_PASSWORDS = 50
"""At once, from all browsers and shells together that never signed in to it. NIST SP 800-63B allows at most 100."""
WRONG_PASSWORDS_AN_HOUR = 4
"""After those."""
NOTICE_PAUSE = timedelta(days=1)
"""The person is mailed once in this time that somebody guesses."""
KNOWN_BROWSER_LIFETIME = timedelta(days=180)
"""How long a browser in which the person signed in has tries of its own."""
