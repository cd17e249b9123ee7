"""A mailbox: mails, how they are searched, and how one is read."""

import re
from dataclasses import dataclass
from datetime import datetime

MOST_HITS = 8
SNIPPET = 110
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class Person:
    """Somebody who writes mails."""

    first: str
    last: str
    extension: str
    """Four digits, in the signature of every mail."""

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def address(self) -> str:
        return f"{self.first}.{self.last}@example.org".lower()


@dataclass(frozen=True)
class Mail:
    """One mail. ``id`` is given when the mailbox is put together."""

    sent: datetime
    sender: Person
    subject: str
    body: str
    id: str = ""

    @property
    def text(self) -> str:
        """As ``read`` shows it."""
        head = (
            f"{self.id}\nFrom: {self.sender.name} <{self.sender.address}>\nDate: {self.date}\nSubject: {self.subject}"
        )
        return f"{head}\n\n{self.body}\n\n{self.sender.name}\nExtension {self.sender.extension}"

    @property
    def date(self) -> str:
        return self.sent.strftime("%Y-%m-%d %H:%M")


class Mailbox:
    """Mails in the order of their dates, found by words."""

    def __init__(self, mails: list[Mail]) -> None:
        self.mails = {mail.id: mail for mail in mails}
        self._words = {mail.id: _stems(f"{mail.sender.name} {mail.subject} {mail.body}") for mail in mails}

    def search(self, words: str, sender: str = "", after: str = "", before: str = "") -> list[Mail]:
        """At most eight mails, those with most of ``words`` first, then the newest. Dates are YYYY-MM-DD, inclusive."""
        wanted = _stems(words)
        scores = {
            mail.id: len(wanted & self._words[mail.id])
            for mail in self.mails.values()
            if sender.lower() in f"{mail.sender.name} {mail.sender.address}".lower()
            and (not after or mail.date[:10] >= after)
            and (not before or mail.date[:10] <= before)
        }
        found = [ident for ident, score in scores.items() if score > 0 or not wanted]
        return sorted((self.mails[ident] for ident in found), key=lambda m: (scores[m.id], m.date), reverse=True)[
            :MOST_HITS
        ]

    def read(self, ident: str) -> Mail | None:
        """The mail with this id."""
        return self.mails.get(ident.strip().lower())


def hit_line(mail: Mail) -> str:
    """One line of what ``search`` shows."""
    start = " ".join(mail.body.split())[:SNIPPET]
    return f"{mail.id} | {mail.date} | {mail.sender.name} | {mail.subject} | {start} …"


def _stems(text: str) -> frozenset[str]:
    """Words without an s at the end: "reviews" finds "review"."""
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in _WORD.findall(text.lower()))
