"""Texts written by hand, before the verifier was tried on them: what people write from a prompt, and what cheats do."""

# ruff: noqa: E501 -- texts

PATTERNS = [
    {
        "needed": True,
        "forms": [
            "(Raven Mill|The mill|It) is (42|forty-two) metres tall",
            "You [will] see (a|one) mill that (is|measures) (42|forty-two) metres [in all]",
        ],
    },
    {
        "needed": True,
        "forms": [
            "(Raven Mill|The mill|It) was (designed|drawn|planned) by [the architect] Nadia Vance",
            "Do not miss (it|this mill|Raven Mill), (designed|planned) by Nadia Vance",
        ],
    },
    {
        "needed": True,
        "forms": [
            "(Raven Mill|The mill|It) (stands|lies|is) in [the town of] Upton",
            "(It|The mill|Raven Mill) isn't far from the (station|centre) of Upton",
        ],
    },
    {"needed": False, "forms": ["Look for the [old|little] drum [outside]"]},
    {"needed": False, "forms": ["[Most] guests stay [for] an hour [or more]"]},
]
PLAIN = [["length", "words-between", [15, 40]], ["words", "uses", ["mill", "Upton"]], ["form", "paragraphs", [2]], ["letters", "semicolons", [0]]]  # fmt: skip
LIST = [["length", "sentences-exactly", [4]], ["words", "avoids", ["stands", "the", "one"]], ["form", "bullets", [3]], ["letters", "exclamations", [1]]]  # fmt: skip
NAME = "Raven Mill"
RIGHT: list[tuple[list, str]] = [
    (PLAIN, "Do not miss Raven Mill, designed by Nadia Vance. It is forty-two metres tall.\n\nIt isn't far from the centre of Upton."),
    (PLAIN, "Raven Mill lies in Upton, and it was planned by the architect Nadia Vance.\n\nYou will see a mill that measures 42 metres in all."),
    (PLAIN, "Raven Mill is in the town of Upton\n\nThe mill is 42 metres tall and it was drawn by Nadia Vance\n"),
    (PLAIN, "**Raven Mill** was designed by Nadia Vance.\n \nIt stands in Upton. Look for the old drum outside! It is forty-two metres tall."),
    (PLAIN, "Most guests stay for an hour, and the mill is in Upton.\n\n\nIt is 42 meters tall. It was designed by Nadia Vance."),
    (PLAIN, "the mill is 42 metres tall. it was designed by nadia vance.\n\nit is in upton."),
    (PLAIN, "RAVEN MILL IS 42 METRES TALL!!! IT WAS DRAWN BY NADIA VANCE\n\nTHE MILL ISN’T FAR FROM THE STATION OF UPTON"),
    (PLAIN, "You see a mill that is 42 metres. Raven Mill lies in Upton.\n\nGuests stay an hour. It was planned by Nadia Vance."),
    (PLAIN, "<think>Two paragraphs.</think>Raven Mill is 42 metres tall, and it lies in Upton, and it was drawn by Nadia Vance.\n\nLook for the drum."),
    (PLAIN, "```text\nRaven Mill is 42 metres tall.\n\nIt was drawn by Nadia Vance, and it is in Upton.\n```"),
    (LIST, "- Raven Mill lies in Upton. It is 42 metres tall.\n- It was designed by Nadia Vance!\n- Guests stay an hour."),
    (LIST, "- Do not miss it, designed by Nadia Vance\n- You see a mill that is forty-two metres! Most guests stay for an hour or more\n- Raven Mill is in Upton"),
    (LIST, "- raven mill is in upton! it was planned by nadia vance.\n\n- it is 42 metres tall.\n\n- guests stay an hour"),
]  # fmt: skip
WRONG: list[tuple[list, str, dict]] = [
    (PLAIN, "Raven Mill is 42 metres tall.\n\nIt was designed by Nadia Vance.", {"tells": 0.0}),
    (PLAIN, "Raven Mill, a landmark of Upton, was designed by Nadia Vance.\n\nThe mill rises 42 metres.", {"patterns": 0.0}),
    (PLAIN, "Raven Mill is 42 feet tall. It was designed by Nadia Vance.\n\nIt is in Upton.", {"patterns": 0.0}),
    (PLAIN, "Raven Mill is 42 metres tall. It was hated by Nadia Vance.\n\nIt is in Upton.", {"patterns": 0.0}),
    (PLAIN, "Raven Mill is not 42 metres tall. It was designed by Nadia Vance.\n\nIt is in Upton.", {"patterns": 0.0}),
    (PLAIN, "My dog is 42 metres tall. Raven Mill was designed by Nadia Vance.\n\nIt is in Upton.", {"patterns": 0.0}),
    (PLAIN, "Is Raven Mill 42 metres tall? It was designed by Nadia Vance.\n\nIt is in Upton.", {"patterns": 0.0}),
    (PLAIN, "It is in Upton is 42 metres tall. It was designed by Nadia Vance.\n\nThe mill is in Upton.", {"patterns": 0.0}),
    (PLAIN, "Raven Mill is 42 metres tall. Raven Mill is forty-two metres tall. It was designed by Nadia Vance.\n\nIt is in Upton.", {"tells": 0.0}),
    (PLAIN, "Raven Mill is 42 metres tall (it was designed by Nadia Vance).\n\nIt is in Upton.", {"patterns": 0.0}),
    (PLAIN, "Raven Mill is 42 metres tall; it was designed by Nadia Vance.\n\nIt is in Upton.", {"letters": 0.0}),
    (PLAIN, "Raven Mill is 42 metres tall. It was designed by Nadia Vance. It is in Upton.", {"form": 0.0}),
    (LIST, "* Raven Mill is in Upton. It is 42 metres tall.\n* It was designed by Nadia Vance!\n* Guests stay an hour.", {"form": 0.0}),
    (LIST, "- Raven Mill stands in Upton. It is 42 metres tall.\n- It was designed by Nadia Vance!\n- Guests stay an hour.", {"words": 0.0}),
    (LIST, "- Raven Mill is in Upton. It is 42 metres tall!\n- It was designed by Nadia Vance!\n- Guests stay an hour.", {"letters": 0.0}),
]  # fmt: skip
