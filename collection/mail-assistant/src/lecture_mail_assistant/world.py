"""What happens in a mailbox: threads of mails, a question about one of them, and what is right. All of it by a seed.

Each kind of thread is there twice, with another project or firm: a mail of the right kind is not yet the right mail.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random

from lecture_mail_assistant.mails import Mail, Mailbox, Person
from lecture_mail_assistant.words import CITIES, GOODS, ITEMS, ROOMS, names_of

START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
DAYS = 120


@dataclass(frozen=True)
class Question:
    """A question, the kind of value that answers it, and which mails show the value."""

    words: str
    kind: str
    """``room``, ``date``, ``time``, ``amount``, ``person``, ``code``, ``extension`` or ``firm``."""
    value: str
    shown_by: tuple[str, ...]
    """The subjects of the mails that together show the value; ``*NAME`` is any mail of that person."""


@dataclass
class Thread:
    """Mails that belong together, and the questions that they answer."""

    mails: list[Mail] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


@dataclass(frozen=True)
class World:
    """One mailbox and one question about it."""

    mailbox: Mailbox
    people: tuple[Person, ...]
    family: str
    question: Question
    evidence: tuple[frozenset[str], ...]
    """Ids: of each set one mail is needed. Empty where the mailbox does not tell."""

    @property
    def is_told(self) -> bool:
        return bool(self.evidence)


class Maker:
    """Draws what a mailbox is made of. No name, project or firm is drawn twice."""

    def __init__(self, random: Random, split: str) -> None:
        self.random = random
        pools = names_of(split)
        first, last = random.sample(pools["first"], 9), random.sample(pools["last"], 9)
        extensions = random.sample(range(2000, 9999), 9)
        self.people = [Person(*each) for each in zip(first, last, map(str, extensions), strict=True)]
        self._projects = random.sample(pools["projects"], len(pools["projects"]))
        self._firms = random.sample(pools["firms"], len(pools["firms"]))

    def project(self) -> str:
        return self._projects.pop()

    def firm(self) -> str:
        return self._firms.pop()

    def two_people(self) -> list[Person]:
        return self.random.sample(self.people, 2)

    def moment(self, after: datetime | None = None) -> datetime:
        """Some working hour, up to five days after ``after``."""
        days = self.random.randint(1, 5) if after else self.random.randint(0, DAYS)
        day = (after or START).replace(hour=8, minute=0) + timedelta(days=days)
        return day + timedelta(minutes=self.random.randint(0, 540))

    def room(self) -> str:
        return f"{self.random.choice(ROOMS)} {100 * self.random.randint(1, 4) + self.random.randint(1, 19)}"

    def time(self) -> str:
        return f"{self.random.randint(8, 17):02d}:{self.random.choice(['00', '15', '30', '45'])}"

    def amount(self) -> str:
        return f"{self.random.randint(210, 9800)}.{self.random.randint(0, 99):02d}"

    def code(self) -> str:
        letters = "".join(self.random.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(3))
        return f"{letters}{self.random.randint(2, 9)}{self.random.randint(10, 99)}"


def day_of(moment: datetime) -> str:
    """``2026-03-12``."""
    return moment.strftime("%Y-%m-%d")


def in_words(day: str) -> str:
    """``Thursday 12 March``."""
    moment = datetime.fromisoformat(day)
    return f"{moment:%A} {moment.day} {moment:%B}"


def money(amount: str) -> str:
    """``1,250.00 EUR``."""
    return f"{float(amount):,.2f} EUR"


# -- families ---------------------------------------------------------------------------------------------------------


def moved_meeting(make: Maker) -> Thread:
    """An invitation, and one or two mails that change it: the last one counts."""
    project, (sender, other) = make.project(), make.two_people()
    kind = make.random.choice(["review", "kick-off", "workshop", "demo"])
    sent = make.moment()
    room, time, day = make.room(), make.time(), day_of(sent + timedelta(days=make.random.randint(20, 25)))
    thread = Thread()
    name = f"{project} {kind}"
    bring = make.random.choice(ITEMS)
    body = f"Hello all,\nthe {name} takes place on {in_words(day)} at {time} in room {room}. Please bring {bring}."
    shown = {"room": f"Invitation: {name}", "time": f"Invitation: {name}", "date": f"Invitation: {name}"}
    thread.mails.append(Mail(sent, sender, shown["room"], body))
    values = {"room": room, "time": time, "date": day}
    for count in range(make.random.randint(1, 2)):
        sent = make.moment(sent)
        changed = make.random.choice(["room", "time", "date"])
        subject = f"Re: Invitation: {name} (change {count + 1})"
        if changed == "room":
            values["room"] = make.room()
            said = f"the room has a leak, so we meet in {values['room']} instead."
        elif changed == "time":
            values["time"] = make.time()
            said = f"some of you have another call, so we begin at {values['time']} instead."
        else:
            values["date"] = day_of(datetime.fromisoformat(values["date"]) + timedelta(days=make.random.randint(1, 9)))
            said = f"we have to move it to {in_words(values['date'])}."
        shown[changed] = subject
        thread.mails.append(
            Mail(
                sent, make.random.choice([sender, other]), subject, f"Hello,\nabout the {name}: {said} All else stays."
            )
        )
    ask = {
        "room": f"In which room is the {name}?",
        "time": f"At what time does the {name} begin?",
        "date": f"On which day is the {name}?",
    }
    thread.questions = [Question(ask[what], what, values[what], (shown[what],)) for what in ask]
    return thread


def invoices(make: Maker) -> Thread:
    """Two invoices of one firm, in different months."""
    firm, (sender, _) = make.firm(), make.two_people()
    thread = Thread()
    sent = START + timedelta(days=make.random.randint(0, 20))
    for goods in make.random.sample(GOODS, 2):
        amount, number = make.amount(), f"{firm[:2].upper()}-{make.random.randint(1000, 9999)}"
        subject = f"Invoice {number} from {firm}"
        told = f"It is {money(amount)}, due in 14 days. Can you approve it?"
        body = f"Hi,\n{firm} sent the invoice for the {goods} that we ordered. {told}"
        thread.mails.append(Mail(sent, sender, subject, body))
        thread.questions.append(Question(f"How much does {firm} ask for the {goods}?", "amount", amount, (subject,)))
        thread.questions.append(
            Question(f"What is the number of the invoice from {firm} for the {goods}?", "code", number, (subject,))
        )
        sent += timedelta(days=make.random.randint(28, 45), minutes=make.random.randint(1, 300))
    return thread


def handover(make: Maker) -> Thread:
    """Somebody takes over a project; the one before is named too."""
    project, (before, after) = make.project(), make.two_people()
    sender = make.random.choice([each for each in make.people if each not in (before, after)])
    sent = make.moment()
    first, second = f"{project}: who leads it", f"{project}: new lead"
    thread = Thread([
        Mail(sent, sender, first, f"Hello,\nproject {project} is led by {before.name}. Please send questions there."),
        Mail(
            make.moment(sent), sender, second,
            f"Hello,\n{before.name} moves on to another team. From now on {after.name} leads project {project}.",
        ),
    ])  # fmt: skip
    thread.questions = [Question(f"Who leads project {project} now?", "person", after.name, (second,))]
    return thread


def booking(make: Maker) -> Thread:
    """Two trips of one person, each with a code."""
    sender, _ = make.two_people()
    project = make.project()
    thread = Thread()
    for city in make.random.sample(CITIES, 2):
        code, sent = make.code(), make.moment()
        day = day_of(sent + timedelta(days=make.random.randint(7, 30)))
        subject = f"Your trip to {city} for {project}"
        told = f"You leave on {in_words(day)}. The booking code is {code}."
        body = f"Hello,\nyour train to {city} for the {project} visit is booked. {told}"
        thread.mails.append(Mail(sent, sender, subject, body))
        thread.questions.append(
            Question(f"What is the booking code of my trip to {city} for {project}?", "code", code, (subject,))
        )
        thread.questions.append(Question(f"On which day do I leave for {city} for {project}?", "date", day, (subject,)))
    return thread


def offers(make: Maker) -> Thread:
    """Two offers for the same thing: the answer needs both mails."""
    one, other, (sender, second) = make.firm(), make.firm(), make.two_people()
    goods, project = make.random.choice(GOODS), make.project()
    amounts = [make.amount(), make.amount()]
    subjects = [f"Offer of {firm} for {project}" for firm in (one, other)]
    sent = make.moment()
    mails = []
    for firm, amount, subject, who in zip((one, other), amounts, subjects, (sender, second), strict=True):
        mails.append(
            Mail(
                sent,
                who,
                subject,
                f"Hello,\n{firm} would deliver the {goods} for {project} for {money(amount)}, transport included.",
            )
        )
        sent = make.moment(sent)
    cheaper = one if float(amounts[0]) < float(amounts[1]) else other
    difference = f"{abs(float(amounts[0]) - float(amounts[1])):.2f}"
    questions = [
        Question(f"Which firm has the cheaper offer for the {goods} for {project}?", "firm", cheaper, tuple(subjects)),
        Question(
            f"By how much is one of the two offers for the {goods} for {project} cheaper than the other?",
            "amount",
            difference,
            tuple(subjects),
        ),
    ]
    return Thread(mails, questions)


def two_steps(make: Maker) -> Thread:
    """Who is responsible stands in one mail, that person's extension in the signature of another."""
    project, (sender, person) = make.project(), make.two_people()
    sent = make.moment()
    task = make.random.choice(["the press contacts", "the safety papers", "the translations", "the catering"])
    first, second = f"{project}: tasks", f"Absence, and {make.random.choice(ITEMS)} ({person.last})"
    return Thread(
        [
            Mail(sent, sender, first, f"Hello all,\nfor project {project}, {person.name} looks after {task}."),
            Mail(
                make.moment(sent),
                person,
                second,
                "Hello,\nI am away on Friday. Everything that you need is in the shared folder.",
            ),
        ],
        [
            Question(
                f"What is the telephone extension of the person who looks after {task} for project {project}?",
                "extension",
                person.extension,
                (first, f"*{person.name}"),
            )
        ],
    )


LEVELS = {
    "invoice": "easy",
    "booking": "easy",
    "handover": "medium",
    "moved-meeting": "medium",
    "not-told": "medium",
    "offers": "hard",
    "two-steps": "hard",
}
"""Easy: one mail tells. Medium: a later mail counts, or none tells. Hard: two mails are needed."""

FAMILIES: dict[str, Callable[[Maker], Thread]] = {
    "moved-meeting": moved_meeting,
    "invoice": invoices,
    "handover": handover,
    "booking": booking,
    "offers": offers,
    "two-steps": two_steps,
}
NOT_TOLD = "not-told"
NOISE = [
    ("Lunch on {day}", "Hi,\nwho joins us for lunch on {day}? We thought of the place at the corner."),
    ("Printer on floor {n}", "Hello,\nthe printer on floor {n} is out of order until further notice."),
    ("Newsletter {n}", "In this issue: a look back at the summer party, and {n} tips for better meetings."),
    ("Lost: a blue bottle", "Hello,\nI left a blue bottle somewhere on floor {n}. Has anybody seen it?"),
    ("Parking", "Hello,\nthe parking places {n} to 4{n} are closed on {day} because of building work."),
]


def make_world(split: str, seed: int, index: int) -> World:
    """The mailbox of task ``index``: two threads of every family, noise, and a question."""
    random = Random(f"mail:{split}:{seed}:{index}")
    make = Maker(random, split)
    kinds = [*FAMILIES, NOT_TOLD]
    family = kinds[index % len(kinds)]
    asked_about = random.choice(list(FAMILIES)) if family == NOT_TOLD else family
    threads = [FAMILIES[asked_about](make)]
    question = random.choice(threads[0].questions)
    if family == NOT_TOLD:
        threads = []  # a thread like it will be there, the one that is asked about is not
    threads += [
        each(make) for name, each in FAMILIES.items() for _ in range(1 if name == asked_about and threads else 2)
    ]
    mails = [mail for thread in threads for mail in thread.mails] + [_noise(make) for _ in range(random.randint(6, 14))]
    mails = sorted(mails, key=lambda mail: (mail.sent, mail.subject))
    mails = [replace(mail, id=f"m{place:03d}") for place, mail in enumerate(mails, 1)]
    evidence = () if family == NOT_TOLD else tuple(_showing(subject, mails) for subject in question.shown_by)
    return World(Mailbox(mails), tuple(make.people), family, question, evidence)


def _showing(subject: str, mails: list[Mail]) -> frozenset[str]:
    """Ids of the mails with this subject, or of those of a person (``*NAME``)."""
    return frozenset(mail.id for mail in mails if subject in (mail.subject, f"*{mail.sender.name}"))


def _noise(make: Maker) -> Mail:
    subject, body = make.random.choice(NOISE)
    sent = make.moment()
    filled = {"n": make.random.randint(2, 9), "day": in_words(day_of(sent + timedelta(days=3)))}
    return Mail(sent, make.random.choice(make.people), subject.format(**filled), body.format(**filled))
