"""What the texts are about: for each field what a text says of it. No field of one split is in another."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Field:
    """One thing that a text tells: its key, its kind, and how it is said (``{}`` is the value)."""

    key: str
    kind: str
    said: tuple[str, ...]
    about: str
    """For the schema's description."""
    unless: tuple[str, ...] = ()
    """Of a flag: how it is said that it is not so."""
    options: dict[str, str] = field(default_factory=dict)
    """Of a choice: code -> words."""
    stale: str = ""
    """A sentence with a value that no longer holds."""


@dataclass(frozen=True)
class Domain:
    """A kind of text."""

    name: str
    opening: tuple[str, ...]
    fields: tuple[Field, ...]
    things: tuple[str, ...]
    """Names of listed items."""
    listed: Field


_ORDER = Domain(
    "order",
    ("Dear shop, this is about my order.", "Hello, please take down an order."),
    (
        Field("customer", "name", ("My name is {}.", "I am {}."), "who orders"),
        Field(
            "delivery_date",
            "date",
            ("Please deliver on {}.", "I need it on {}."),
            "day of delivery",
            stale="Forget what I said about {}.",
        ),
        Field(
            "budget",
            "money",
            ("I can spend {} at most.", "It must not cost more than {}."),
            "most that may be spent",
            stale="My limit of {} from last year is out of date.",
        ),
        Field("parcels", "count", ("Split it into {} parcels.", "Send it as {} parcels."), "number of parcels"),
        Field(
            "is_gift",
            "flag",
            ("It is a present, so wrap it.", "Wrap it as a gift, please."),
            "whether it is a gift",
            unless=("It is not a present; no wrapping, please.", "No gift wrap is needed."),
        ),
        Field(
            "shipping",
            "choice",
            ("Send it {}.",),
            "way of shipping",
            options={
                "STD": "by standard mail",
                "EXP": "by express courier",
                "PICK": "to the counter, where I pick it up",
            },
        ),
        Field(
            "contact", "email", ("Write to {} if anything is unclear.", "My e-mail is {}."), "e-mail of the customer"
        ),
        Field("phone", "phone", ("Call {} before you come.", "You reach me at {}."), "phone of the customer"),
    ),
    ("mug", "desk lamp", "wool blanket", "picture frame", "teapot"),
    Field("items", "items", ("I would like {}.",), "what is ordered"),
)
_EVENT = Domain(
    "event",
    ("Notes of the planning call.", "Here is what we agreed for the evening."),
    (
        Field("host", "name", ("{} hosts it.", "The host is {}."), "who hosts"),
        Field(
            "day",
            "date",
            ("It takes place on {}.", "We meet on {}."),
            "day of the event",
            stale="The old date, {}, is off.",
        ),
        Field("length", "duration", ("It lasts {}.", "Plan {} for it."), "how long it lasts"),
        Field(
            "guests",
            "count",
            ("We expect {} guests.", "{} guests are invited."),
            "number of guests",
            stale="Last year there were {} guests.",
        ),
        Field("fee", "money", ("Entry costs {}.", "Each guest pays {}."), "entry fee"),
        Field(
            "outdoors",
            "flag",
            ("It is held in the open air.", "We will be outside."),
            "whether it is outside",
            unless=("It is held indoors.", "We stay inside."),
        ),
        Field(
            "dress",
            "choice",
            ("People should come {}.",),
            "dress code",
            options={"C": "in casual clothes", "F": "in formal dress", "K": "in costume"},
        ),
        Field("rsvp", "email", ("Answers go to {}.", "Please reply to {}."), "where answers go"),
    ),
    ("soup", "fruit salad", "cheese board", "lemon cake", "bread basket"),
    Field("menu", "items", ("The menu has {}.",), "what is served"),
)
_LISTING = Domain(
    "listing",
    ("Flat to let!", "A home is looking for you."),
    (
        Field("landlord", "name", ("Ask for {}.", "The owner is {}."), "who lets it"),
        Field(
            "free_from",
            "date",
            ("It is free from {}.", "You can move in on {}."),
            "first day",
            stale="The tenant leaves on {}, but then it is painted.",
        ),
        Field(
            "rent",
            "money",
            ("The rent is {} a month.", "You pay {} each month."),
            "rent for a month",
            stale="Before the works it was {}.",
        ),
        Field("rooms", "count", ("It has {} rooms.", "There are {} rooms."), "number of rooms"),
        Field(
            "pets",
            "flag",
            ("Pets are welcome.", "You may bring your dog or cat."),
            "whether pets are allowed",
            unless=("No pets, please.", "Pets cannot be kept here."),
        ),
        Field(
            "heating",
            "choice",
            ("It is heated {}.",),
            "kind of heating",
            options={"GAS": "with gas", "OIL": "with oil", "HP": "by a heat pump"},
        ),
        Field(
            "walk",
            "duration",
            ("The station is {} away on foot.", "You walk {} to the station."),
            "walk to the station",
        ),
        Field("call", "phone", ("Ring {}.", "The number is {}."), "phone"),
    ),
    ("wardrobe", "kitchen table", "bunk bed", "bookcase", "garden chair"),
    Field("furniture", "items", ("You can take over {}.",), "what may be bought"),
)
_REPAIR = Domain(
    "repair",
    ("Report of the workshop.", "What the mechanic wrote down."),
    (
        Field("mechanic", "name", ("The work was done by {}.", "{} did the repair."), "who did the repair"),
        Field(
            "finished",
            "date",
            ("It was finished on {}.", "The car was ready on {}."),
            "day on which it was finished",
            stale="It had been promised for {}.",
        ),
        Field("labour", "duration", ("The work took {}.", "{} of labour were needed."), "working time"),
        Field(
            "total",
            "money",
            ("The bill comes to {}.", "In total it costs {}."),
            "total of the bill",
            stale="The estimate had been {}.",
        ),
        Field("tyres", "count", ("{} tyres were changed.", "The car got {} tyres."), "number of new tyres"),
        Field(
            "roadworthy",
            "flag",
            ("The car is fit for the road.", "It may be driven again."),
            "whether it may be driven",
            unless=("The car is not fit for the road.", "It must not be driven yet."),
        ),
        Field(
            "fault",
            "choice",
            ("The fault was found {}.",),
            "where the fault was",
            options={"BRK": "in the brakes", "ENG": "in the engine", "ELC": "in the electrics"},
        ),
        Field("bill_to", "email", ("The bill goes to {}.", "Send the bill to {}."), "where the bill goes"),
    ),
    ("brake disc", "spark plug", "fan belt", "oil filter"),
    Field("parts", "items", ("Fitted were {}.",), "parts that were fitted"),
)
_TRIP = Domain(
    "trip",
    ("Summary of the booking.", "Thank you for travelling with us."),
    (
        Field("traveller", "name", ("The traveller is {}.", "It is booked for {}."), "who travels"),
        Field(
            "departure",
            "date",
            ("The ferry leaves on {}.", "Departure is on {}."),
            "day of departure",
            stale="The sailing of {} is cancelled.",
        ),
        Field("crossing", "duration", ("The crossing takes {}.", "You are at sea for {}."), "length of the crossing"),
        Field("fare", "money", ("The fare is {}.", "We charged {}."), "what is paid", stale="The brochure said {}."),
        Field(
            "bags",
            "count",
            ("You may bring {} bags.", "{} bags are included."),
            "number of bags",
            stale="In the past {} bags were allowed.",
        ),
        Field(
            "cabin",
            "flag",
            ("A cabin is included.", "You have a cabin of your own."),
            "whether a cabin is included",
            unless=("There is no cabin in this fare.", "A cabin is not included."),
        ),
        Field(
            "seat",
            "choice",
            ("You sit {}.",),
            "place of the seat",
            options={"W": "at the window", "A": "on the aisle", "D": "on the upper deck"},
        ),
        Field(
            "ticket_to", "email", ("The ticket was sent to {}.", "We mailed the ticket to {}."), "where the ticket went"
        ),
        Field("hotline", "phone", ("In trouble call {}.", "Our hotline is {}."), "hotline"),
    ),
    ("bicycle", "surfboard", "pram", "dog crate"),
    Field("luggage", "items", ("On board go {}.",), "large luggage"),
)
_CLUB = Domain(
    "club",
    ("New member of the rowing club.", "Form for the register of members."),
    (
        Field("member", "name", ("The new member is {}.", "{} has joined."), "name of the member"),
        Field(
            "joined",
            "date",
            ("The membership began on {}.", "The first day was {}."),
            "first day of membership",
            stale="The trial session was on {}.",
        ),
        Field(
            "dues",
            "money",
            ("The dues are {} a year.", "{} are due each year."),
            "dues for a year",
            stale="Students would pay {}.",
        ),
        Field("training", "duration", ("Training takes {}.", "One session lasts {}."), "length of a session"),
        Field("medals", "count", ("So far there are {} medals.", "The cupboard holds {} medals."), "number of medals"),
        Field(
            "can_swim",
            "flag",
            ("A swimming test was passed.", "The swimming badge was shown."),
            "whether the member can swim",
            unless=("A swimming test is still missing.", "No swimming badge was shown."),
        ),
        Field(
            "boat",
            "choice",
            ("The place is {}.",),
            "boat class",
            options={"S1": "in a single", "D2": "in a double", "E8": "in an eight"},
        ),
        Field("mail", "email", ("Newsletters go to {}.", "The address is {}."), "e-mail of the member"),
        Field("emergency", "phone", ("In an emergency call {}.", "The family is at {}."), "phone for emergencies"),
    ),
    ("life vest", "club shirt", "oar", "rain jacket"),
    Field("kit", "items", ("Handed out were {}.",), "kit that was bought"),
)
DOMAINS = {"train": (_ORDER, _EVENT, _LISTING), "validation": (_REPAIR,), "test": (_TRIP, _CLUB)}
NAMES = {
    "train": ("Anouk Bela Carlo Dunja Emil Fiona Gerd Helene".split(), "Adler Borg Carver Dietz Engel Frost".split()),
    "validation": ("Igor Jolanda Konrad Luisa".split(), "Haller Irwin Jost Koenig".split()),
    "test": ("Milan Nora Otto Petra Quirin Rita".split(), "Lange Mertens Nagel Olsen Peters".split()),
}
"""First and last names of a split."""
